package sqlite_test

import (
	"path/filepath"
	"testing"

	"sluice/storage"
	"sluice/storage/sqlite"
	"sluice/storage/storagetest"
)

func open(t *testing.T) storage.Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "data ?#%", "sluice.db"))
}

func openAt(t *testing.T, path string) storage.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, open)
}
