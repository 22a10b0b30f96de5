package storage_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sluice/storage"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, url, kind, dsn, wrong string }{
		{name: "empty", url: "", kind: storage.SQLite, dsn: filepath.Join("data", "sluice.db")},
		{name: "relative file", url: "sqlite:here.db", kind: storage.SQLite, dsn: "here.db"},
		{name: "absolute file", url: "sqlite:/var/lib/x.db", kind: storage.SQLite, dsn: "/var/lib/x.db"},
		{name: "absolute file with slashes", url: "sqlite:///var/lib/x.db", kind: storage.SQLite, dsn: "/var/lib/x.db"},
		{name: "postgres", url: "postgres://u:p@h/db", kind: storage.Postgres, dsn: "postgres://u:p@h/db"},
		{name: "postgresql", url: "postgresql://h/db", kind: storage.Postgres, dsn: "postgresql://h/db"},
		{name: "no file", url: "sqlite:", wrong: "needs the path"},
		{name: "no database", url: "postgres://u:hunter2@h", wrong: "not a valid address"},
		{name: "broken", url: "postgres://u:hunter2@h:port/db", wrong: "not a valid address"},
		{name: "other kind", url: "mysql://u:hunter2@h/db", wrong: "unknown kind"},
		{name: "only a word", url: "hunter2", wrong: "unknown kind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kind, dsn, err := storage.ParseURL(c.url, "data")
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Fatalf("error %v, want one with %q", err, c.wrong)
				}
				if strings.Contains(err.Error(), "hunter2") {
					t.Fatalf("the error repeats a password: %v", err)
				}
				return
			}
			if err != nil || kind != c.kind || dsn != c.dsn {
				t.Fatalf("got %q %q %v, want %q %q", kind, dsn, err, c.kind, c.dsn)
			}
		})
	}
}
