//go:build !unix

package inspect

import "errors"

func writable(string) error { return nil }

// FreeSpace is not known here.
func FreeSpace(string) (int64, error) { return 0, errors.New("not known on this system") }
