package postgres_test

import (
	"testing"

	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/storagetest"
)

func open(t *testing.T) storage.Store {
	t.Helper()
	return openAt(t, pgtest.URL(t))
}

func openAt(t *testing.T, url string) storage.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url)
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
