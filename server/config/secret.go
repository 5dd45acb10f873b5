package config

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	handleSecretFile  = "handle-secret"
	handleSecretBytes = 32
)

// LoadOrCreateHandleSecret reads the secret that seals receipt handles from the
// file handle-secret in dir, so that handles outlive a restart. When there is no
// such file it makes one with 32 random bytes, readable by its owner only, and
// generated is true. The file appears whole or not at all, and of two processes
// that make it at once both answer the one that stays. A file with fewer than 16
// bytes is refused rather than replaced: replacing it would void every handle.
func LoadOrCreateHandleSecret(dir string) (secret []byte, generated bool, err error) {
	path := filepath.Join(dir, handleSecretFile)
	secret, err = readHandleSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, false, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, false, fmt.Errorf("the data folder cannot be made: %w", err)
	}
	secret = make([]byte, handleSecretBytes)
	rand.Read(secret)
	err = writeOnce(path, secret)
	if errors.Is(err, fs.ErrExist) {
		secret, err = readHandleSecret(path)
		return secret, false, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("the handle secret cannot be kept in the data folder: %w; make the folder writable or set QUEEN_SQS_HANDLE_SECRET", err)
	}
	return secret, true, nil
}

func readHandleSecret(path string) ([]byte, error) {
	secret, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the handle secret cannot be read: %w; make it readable or set QUEEN_SQS_HANDLE_SECRET", err)
	}
	if len(secret) < minHandleSecret {
		return nil, fmt.Errorf("the handle secret in %s has %d bytes and needs %d; restore the file, or remove it so that a new one is made, which voids the receipt handles given out so far", path, len(secret), minHandleSecret)
	}
	return secret, nil
}

// writeOnce makes a file with its whole content, durably, or fails with
// fs.ErrExist when there is one.
func writeOnce(path string, data []byte) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	// A link, unlike a rename, does not replace.
	if err := os.Link(tmp.Name(), path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := renameOnce(tmp.Name(), path); err != nil {
			return err
		}
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// renameOnce is for file systems without links. Two processes could pass its
// check at once there; the lock on the data folder keeps the second one out.
func renameOnce(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}
