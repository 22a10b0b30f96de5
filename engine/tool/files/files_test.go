package files_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/engine/tool"
	"sluice/engine/tool/files"
)

func ExampleTools() {
	for _, t := range files.Tools("workspace") {
		fmt.Println(t.Name, t.Effects)
	}
	// Output:
	// files.read read
	// files.write idempotent
	// files.list read
	// files.read_pdf read
	// files.write_pdf idempotent
}

// workspace gives a function that calls a tool of a new workspace.
func workspace(t *testing.T) (folder string, call func(name string, params map[string]any) (map[string]any, error)) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "workspace")
	set, err := tool.New(files.Tools(folder)...)
	if err != nil {
		t.Fatal(err)
	}
	return folder, func(name string, params map[string]any) (map[string]any, error) {
		one, ok := set.Lookup(name)
		if !ok {
			t.Fatalf("there is no tool %s", name)
		}
		r, err := one.Call(t.Context(), tool.Call{Tool: name, Params: params})
		data, _ := r.Data.(map[string]any)
		return data, err
	}
}

func TestFilesAreWrittenAndRead(t *testing.T) {
	t.Parallel()
	_, call := workspace(t)
	for _, c := range []struct {
		path    string
		content any
	}{{"notes/größe.md", "# Größe\n"}, {"data.json", map[string]any{"a": []any{1.0, nil}}}, {"./notes/../b.txt", ""}} {
		if _, err := call("files.write", map[string]any{"path": c.path, "content": c.content}); err != nil {
			t.Fatal(err)
		}
		got, err := call("files.read", map[string]any{"path": c.path})
		if err != nil || fmt.Sprint(got["content"]) != fmt.Sprint(c.content) {
			t.Errorf("%s gives %v, %v", c.path, got, err)
		}
	}
	list, err := call("files.list", map[string]any{})
	if err != nil || fmt.Sprint(list["entries"]) != "[b.txt data.json notes/]" {
		t.Errorf("the workspace has %v, %v", list, err)
	}
}

func TestPathsStayInTheWorkspace(t *testing.T) {
	t.Parallel()
	folder, call := workspace(t)
	if _, err := call("files.write", map[string]any{"path": "a.txt", "content": "a"}); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(filepath.Dir(folder), "outside.txt")
	if err := os.WriteFile(outside, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "link.txt")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../outside.txt", "a/../../outside.txt", outside, "link.txt", "", "..", "~/x"} {
		for _, name := range []string{"files.read", "files.write"} {
			_, err := call(name, map[string]any{"path": path, "content": "changed"})
			if err == nil && !(name == "files.write" && (path == "link.txt" || path == "~/x")) {
				t.Errorf("%s of %q is possible", name, path)
			}
			if err != nil && strings.Contains(err.Error(), filepath.Dir(folder)) && path != outside {
				t.Errorf("the error tells where the workspace is: %v", err)
			}
		}
	}
	if body, err := os.ReadFile(outside); err != nil || string(body) != "outside" {
		t.Errorf("a file outside has %q, %v", body, err)
	}
}

func TestPDFFilesAreRealOnes(t *testing.T) {
	t.Parallel()
	folder, call := workspace(t)
	if _, err := call("files.write", map[string]any{"path": "a.pdf", "content": "# Markdown"}); err == nil {
		t.Error("Markdown is written to a .pdf path")
	}
	content := "# Report\n\nTwelve **orders** from Köln.\n- one\n---\n```\ncode\n```\n" + strings.Repeat("A long line of words. ", 400)
	made, err := call("files.write_pdf", map[string]any{"path": "out/a.pdf", "content": content, "title": "March"})
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(filepath.Join(folder, "out", "a.pdf"))
	if err != nil || !bytes.HasPrefix(body, []byte("%PDF-")) || made["bytes"] != len(body) {
		t.Fatalf("%v: %.20q, %v", made, body, err)
	}
	got, err := call("files.read_pdf", map[string]any{"path": "out/a.pdf"})
	if err != nil {
		t.Fatal(err)
	}
	words := fmt.Sprint(got["text"])
	for _, want := range []string{"Report", "Twelve orders from Köln.", "code", "A long line"} {
		if !strings.Contains(words, want) {
			t.Errorf("the text lacks %q: %.300q", want, words)
		}
	}
	metadata, _ := got["metadata"].(map[string]any)
	if metadata["title"] != "March" || got["pages"] != 3 && got["pages"] != 2 {
		t.Errorf("it has %v pages and %v", got["pages"], metadata)
	}
	if _, err := call("files.read", map[string]any{"path": "out/a.pdf"}); err == nil {
		t.Error("a PDF file is read as a text")
	}
}

func TestBrokenFilesAreErrors(t *testing.T) {
	t.Parallel()
	folder, call := workspace(t)
	if _, err := call("files.read", map[string]any{"path": "a.txt"}); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("a missing workspace gives %v", err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "folder.txt"), 0o750); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{"a.txt": "\xff\xfe", "b.pdf": "%PDF-1.4 nothing", "c.pdf": "%PDF-1.4\nxref\n0 1\ntrailer<</Root 1 0 R/Size 1>>\nstartxref\n9\n%%EOF", "long.txt": strings.Repeat("x", files.MaxSize+1)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, with := range map[string]string{"a.txt": "files.read", "b.pdf": "files.read_pdf", "c.pdf": "files.read_pdf", "long.txt": "files.read", "folder.txt": "files.read", "d.txt": "files.read_pdf"} {
		if got, err := call(with, map[string]any{"path": path}); err == nil && path != "c.pdf" {
			t.Errorf("%s gives %v", path, got)
		}
	}
}
