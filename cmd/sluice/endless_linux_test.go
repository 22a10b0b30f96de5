package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFileWithoutEnd: no command reads more of a file than a flow may have.
func TestAFileWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"render", "/dev/zero", "--out", filepath.Join(t.TempDir(), "flow.svg"), "--tools", "none"},
		{"run", "/dev/zero", "--tools", "none"},
		{"validate", "/dev/zero", "--tools", "none"},
	} {
		var out bytes.Buffer
		if code := program(args, stdio{strings.NewReader(""), &out, &out}); code != exitBadFile || !strings.Contains(out.String(), "more than 1048576 bytes") {
			t.Errorf("%s ends with %d and says %q", args[0], code, out.String())
		}
	}
}
