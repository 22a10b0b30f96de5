package storage

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// The kinds of database that ParseURL tells apart.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// ParseURL reads a DATABASE_URL. Empty means SQLite in the file sluice.db of dataDir; sqlite:PATH means SQLite in that file;
// postgres://... means Postgres. It returns the kind and what that kind's Open takes: a path or the URL. Its errors never
// repeat the URL, which may hold a password.
func ParseURL(databaseURL, dataDir string) (kind, dsn string, err error) {
	scheme, rest, found := strings.Cut(databaseURL, ":")
	switch {
	case databaseURL == "":
		return SQLite, filepath.Join(dataDir, "sluice.db"), nil
	case found && scheme == "sqlite":
		path := strings.TrimPrefix(rest, "//")
		if path == "" {
			return "", "", fmt.Errorf("DATABASE_URL: sqlite: needs the path of a file, such as sqlite:/var/lib/sluice/sluice.db")
		}
		return SQLite, path, nil
	case found && (scheme == "postgres" || scheme == "postgresql"):
		u, err := url.Parse(databaseURL)
		if err != nil || u.Path == "" || u.Path == "/" {
			return "", "", fmt.Errorf("DATABASE_URL: not a valid address: it looks like postgres://user:password@host:5432/database")
		}
		return Postgres, databaseURL, nil
	}
	return "", "", fmt.Errorf("DATABASE_URL: unknown kind of database: leave it empty, or use sqlite:PATH or postgres://USER@HOST/DATABASE")
}
