package embedded

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// journalFormat is the layout of keys and rows. A folder of another format is
// refused.
const journalFormat = 1

const (
	memTableBytes = 16 << 20
	flushDelay    = 5 * time.Second
	// inlineBody is the largest body kept in its message's row. A larger one has a
	// row of its own, which the start-up scan does not read.
	inlineBody = 1 << 10
)

// journal is the engine's log on disk. A nil database means memory only: every
// write is dropped.
type journal struct {
	db    *pebble.DB
	sync  *syncer
	lock  io.Closer
	cache *pebble.Cache
}

func openJournal(cfg Config, broken func(error)) (*journal, error) {
	if cfg.Dir == "" {
		return &journal{}, nil
	}
	fs := cfg.FS
	if fs == nil {
		fs = vfs.Default
	}
	if err := fs.MkdirAll(cfg.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot create the data folder %q: %w", cfg.Dir, err)
	}
	lock, err := pebble.LockDirectory(cfg.Dir, fs)
	if err != nil {
		return nil, fmt.Errorf("the data folder %q is in use by another process (or cannot be locked): stop that process or choose another folder: %w", cfg.Dir, err)
	}
	cache := pebble.NewCache(cfg.BlockCacheBytes)
	opts := &pebble.Options{
		FS:    logFS{fs},
		Lock:  lock,
		Cache: cache,
		// Fixed, so that a newer library does not move a folder to a format that
		// an older binary cannot read.
		FormatMajorVersion:          pebble.FormatTableFormatV6,
		MemTableSize:                memTableBytes,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       20,
		LBaseMaxBytes:               64 << 20,
		// Small tables: a drained queue's range deletes cover most of them whole, and
		// a table that is covered is dropped without being read.
		TargetFileSizes:            [7]int64{2 << 20, 2 << 20, 4 << 20, 4 << 20, 8 << 20, 8 << 20, 8 << 20},
		MaxOpenFiles:               512,
		BytesPerSync:               512 << 10,
		WALBytesPerSync:            512 << 10,
		CompactionConcurrencyRange: func() (int, int) { return 1, 2 },
		// A drained queue's range deletes reach the tables soon even when nothing
		// else is written.
		FlushDelayDeleteRange: flushDelay,
		Logger:                journalLogger{log: cfg.Logger, broken: broken},
	}
	opts.EventListener = &pebble.EventListener{BackgroundError: func(err error) {
		cfg.Logger.Error("journal background work failed", "error", err)
	}}
	db, err := pebble.Open(cfg.Dir, opts)
	if err != nil {
		lock.Close()
		cache.Unref()
		return nil, fmt.Errorf("cannot open the journal in %q: %w", cfg.Dir, err)
	}
	return &journal{db: db, sync: startSyncer(db, broken), lock: lock, cache: cache}, nil
}

func (j *journal) close() error {
	if j.db == nil {
		return nil
	}
	j.sync.stop()
	err := j.db.Close()
	j.cache.Unref()
	if lockErr := j.lock.Close(); err == nil {
		err = lockErr
	}
	return err
}

// journalLogger keeps the library quiet but for its errors.
type journalLogger struct {
	log    *slog.Logger
	broken func(error)
}

func (journalLogger) Infof(string, ...any) {}

func (l journalLogger) Errorf(format string, args ...any) {
	l.log.Error("journal", "error", fmt.Sprintf(format, args...))
}

// Fatalf must not return: the library would go on with state it calls
// unusable, and its locks stay held. The process ends; its next start rebuilds
// everything that was answered.
func (l journalLogger) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	l.broken(err)
	panic(err)
}
