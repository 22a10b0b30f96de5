//go:build unix

package inspect

import (
	"fmt"
	"path/filepath"
	"syscall"
)

// writable reports why this user cannot make files in a directory.
func writable(dir string) error {
	const write = 2
	if err := syscall.Access(dir, write); err != nil {
		return fmt.Errorf("%s cannot be written: %w", dir, err)
	}
	return nil
}

// FreeSpace is how many bytes are free where a path lies, or will lie.
func FreeSpace(path string) (int64, error) {
	for {
		var st syscall.Statfs_t
		err := syscall.Statfs(path, &st)
		if err == nil {
			return int64(st.Bavail) * int64(st.Bsize), nil
		}
		if up := filepath.Dir(path); err == syscall.ENOENT && up != path {
			path = up
			continue
		}
		return 0, err
	}
}
