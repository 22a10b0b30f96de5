package sqlite_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/storage"
	"sluice/storage/sqlite"
)

func TestServeNamesTheHolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sluice.db")
	release, _, err := openAt(t, path).Serve(t.Context(), "sluice dev\non host-a")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = openAt(t, path).Serve(t.Context(), "another")
	want := fmt.Sprintf("sluice dev on host-a (process %d)", os.Getpid())
	if !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), want) {
		t.Fatalf("error %v, want one with %q", err, want)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

func TestAnotherProcessReadsAndWritesAServedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sluice.db")
	first, second := openAt(t, path), openAt(t, path)
	release, _, err := first.Serve(t.Context(), "first")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 20 {
		writer, reader := first, second
		if n%2 == 1 {
			writer, reader = second, first
		}
		name := fmt.Sprint("flow", n)
		if err := writer.Write(t.Context(), &storage.Batch{Flow: &storage.Flow{Name: name}}); err != nil {
			t.Fatal(err)
		}
		if _, err := reader.Flow(t.Context(), name); err != nil {
			t.Fatalf("written by the other process: %v", err)
		}
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

func TestBusyFileIsUnavailable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sluice.db")
	s := openAt(t, path)
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	conn, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	batch := &storage.Batch{Flow: &storage.Flow{Name: "refund"}}
	if err := s.Write(t.Context(), batch); !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("error %v, want ErrUnavailable", err)
	}
	// Reading goes on meanwhile.
	if _, err := s.Flow(t.Context(), "refund"); !errors.Is(err, storage.ErrNotFound) {
		t.Fatalf("error %v", err)
	}
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), batch); err != nil {
		t.Fatalf("after the other one ended: %v", err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "text.db")
	if err := os.WriteFile(file, []byte(strings.Repeat("no database at all\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"not a database": file, "a directory": dir, "below a file": filepath.Join(file, "x.db")} {
		_, err := sqlite.Open(t.Context(), path)
		if err == nil || !strings.Contains(err.Error(), path) && !strings.Contains(err.Error(), file) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
