package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnAnswerTakesWhatIsSet: a tool's answer that is larger than a step may give fails the step by name.
func TestAnAnswerTakesWhatIsSet(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 3<<10)) }))
	t.Cleanup(srv.Close)
	file := filepath.Join(t.TempDir(), "get.yaml")
	src := fmt.Sprintf("name: get\nflow: {entry: a, nodes: [{id: a, type: tool, tool: http.get, params: {url: %q}}]}\n", srv.URL)
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[string]int{"2": exitFailed, "4": 0} {
		var out bytes.Buffer
		code := program([]string{"run", file, "--tools", "none", "--allow-private", strings.TrimPrefix(srv.URL, "http://"), "--max-output-kb", most}, stdio{strings.NewReader(""), &out, &out})
		if code != want || strings.Contains(out.String(), "an operator can raise SLUICE_MAX_OUTPUT_KB") != (want != 0) {
			t.Errorf("with %s KiB it ends with %d and says %q", most, code, out.String())
		}
	}
}
