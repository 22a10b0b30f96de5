package importertest

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared finds a file or folder among the shared documents, which lie beside the repository. Without it the test is skipped.
func Shared(t testing.TB, name string) string {
	t.Helper()
	found := Find(name)
	if found == "" {
		t.Skipf("there is no shared/%s beside the repository", name)
	}
	return found
}

// Find is Shared for tests that can do without the file; then it is empty.
func Find(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		found := filepath.Join(up, "shared", name)
		if _, err := os.Stat(found); err == nil {
			return found
		}
	}
	return ""
}
