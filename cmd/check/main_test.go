package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A stage that must print nothing may still tell what it is doing, as the go command does of what it downloads.
func TestQuietStages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		name, script string
		fails        bool
	}{
		{"silent", "true", false},
		{"telling", "echo downloading >&2", false},
		{"finding", "echo main.go", true},
		{"finding and telling", "echo downloading >&2; echo main.go", true},
		{"broken", "echo no such flag >&2; exit 2", true},
	} {
		path := filepath.Join(dir, strings.ReplaceAll(c.name, " ", "-"))
		if err := os.WriteFile(path, []byte(c.script), 0o600); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err := stage{name: c.name, command: "sh " + path, quiet: "it must print nothing"}.run(t.Context(), &out)
		if (err != nil) != c.fails {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.fails && !strings.Contains(out.String(), "main.go") && !strings.Contains(out.String(), "no such flag") {
			t.Errorf("%s says %q", c.name, out.String())
		}
	}
}
