package embedded

import (
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// zeroAhead is how much of a log file is written with zeros before its records
// come there, in bytes.
const zeroAhead = 1 << 20

var zeros [zeroAhead]byte

// logFS keeps the write-ahead log's files longer than what was written to them.
// Syncing a record then writes data only: the file does not grow, so the file
// system has no new length to commit. A reader takes the zeros behind the last
// record for the end of the log.
type logFS struct{ vfs.FS }

func (fs logFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, category)
	if err != nil || filepath.Ext(name) != ".log" {
		return f, err
	}
	return &logFile{File: f}, nil
}

func (fs logFS) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.ReuseForWrite(old, name, category)
	if err != nil || filepath.Ext(name) != ".log" {
		return f, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &logFile{File: f, length: info.Size()}, nil
}

// Unwrap returns the file system below.
func (fs logFS) Unwrap() vfs.FS { return fs.FS }

// logFile is a log that is written from its start.
type logFile struct {
	vfs.File
	offset int64 // where the next record goes
	length int64 // how long the file is
}

func (f *logFile) Write(p []byte) (int, error) {
	for f.offset+int64(len(p)) > f.length {
		// Before the record: a file that has the record has no gap below it.
		n, err := f.WriteAt(zeros[:], f.length)
		f.length += int64(n)
		if err != nil {
			return 0, err
		}
	}
	n, err := f.File.Write(p)
	f.offset += int64(n)
	return n, err
}
