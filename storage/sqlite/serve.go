package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gofrs/flock"

	"sluice/storage"
)

// Serve takes the lock of the file PATH.lock and writes into it who holds it. storage.ErrLocked names the holder.
// The lock is lost with the process only: lost is never closed.
func (s *store) Serve(_ context.Context, holder string) (release func() error, lost <-chan struct{}, err error) {
	path := s.path + ".lock"
	lock := flock.New(path, flock.SetPermissions(0o600))
	taken, err := lock.TryLock()
	if err != nil {
		return nil, nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !taken {
		return nil, nil, fmt.Errorf("%w: %s holds %s", storage.ErrLocked, holderOf(path), path)
	}
	line := fmt.Sprintf("%s (process %d)\n", strings.ReplaceAll(holder, "\n", " "), os.Getpid())
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("name the holder in %s: %w", path, err), lock.Unlock())
	}
	return lock.Unlock, make(chan struct{}), nil
}

// Lock succeeds at once: one process alone writes the runs of a file, and it serialises the transitions of a run.
func (s *store) Lock(context.Context, string) (storage.Locked, error) { return locked{s}, nil }

type locked struct{ *store }

// Release does nothing.
func (locked) Release() {}

// holderOf reads who holds the lock; the holder may not have written its name yet.
func holderOf(path string) string {
	line, err := os.ReadFile(path)
	name := strings.TrimSpace(string(line))
	if err != nil || name == "" {
		return "another process"
	}
	return name
}
