package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"sluice/engine/flow"
	"sluice/engine/tool"
)

// Limits of the tools.
const (
	MaxSize    = 4 << 20 // bytes of a file that is read or written
	maxEntries = 1000    // of a folder that is listed
)

// workspace is the folder that the tools see.
type workspace struct{ folder string }

// Tools gives the tools of a workspace. The folder is made when the first file is written.
func Tools(folder string) []tool.Tool {
	w := workspace{folder}
	written := result(map[string]any{"path": text("path of the file"), "bytes": map[string]any{"type": "integer"}})
	return []tool.Tool{
		declare("files.read", "Read a text or JSON file of the workspace.", []string{"read file"}, flow.EffectsRead, w.read,
			params(nil, "path"), result(map[string]any{"path": text("path of the file"), "content": map[string]any{"description": "the text, or the value of a .json file"}})),
		declare("files.write", "Write a text or JSON file into the workspace.", []string{"write file", "save file"}, flow.EffectsIdempotent, w.write,
			params(map[string]any{"content": map[string]any{"description": "a text, or a value that is written as JSON"}}, "path", "content"), written),
		declare("files.list", "List a folder of the workspace.", []string{"list files"}, flow.EffectsRead, w.list,
			params(nil), result(map[string]any{"path": text("path of the folder"), "entries": map[string]any{"type": "array", "items": text("a name; of a folder with / behind it")}})),
		declare("files.read_pdf", "Read the text and the properties of a PDF file of the workspace.", []string{"read pdf"}, flow.EffectsRead, w.readPDF,
			params(nil, "path"), result(map[string]any{"text": text("the text of all pages"), "pages": map[string]any{"type": "integer"}, "metadata": map[string]any{"type": "object"}})),
		declare("files.write_pdf", "Write text or Markdown as a PDF file into the workspace.", []string{"write pdf", "make pdf"}, flow.EffectsIdempotent, w.writePDF,
			params(map[string]any{"content": text("text or Markdown"), "title": text("title of the document")}, "path", "content"), written),
	}
}

// declare makes a tool of a function on parameters.
func declare(name, description string, words []string, effects flow.Effects, do func(map[string]any) (map[string]any, error), params, result map[string]any) tool.Tool {
	return tool.Tool{
		Name: name, Description: description, Words: words, Params: params, Result: result, Effects: effects, Policy: tool.Allow,
		Call: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			if err := ctx.Err(); err != nil {
				return tool.Result{}, err
			}
			data, err := do(c.Params)
			if err != nil {
				return tool.Result{}, &tool.Error{Type: "FileError", Message: err.Error(), Permanent: true, Err: err}
			}
			return tool.Result{Data: data}, nil
		},
	}
}

func text(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

func params(more map[string]any, required ...string) map[string]any {
	all := map[string]any{"path": text("path in the workspace, such as reports/march.md")}
	maps.Copy(all, more)
	return map[string]any{"type": "object", "properties": all, "required": anything(required), "additionalProperties": false}
}

func anything(words []string) []any {
	all := make([]any, len(words))
	for i, w := range words {
		all[i] = w
	}
	return all
}

func result(properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties}
}

// place gives the path of a parameter within the workspace.
func place(p map[string]any) (string, error) {
	written, _ := p["path"].(string)
	clean := path.Clean(filepath.ToSlash(strings.TrimSpace(written)))
	if !filepath.IsLocal(clean) {
		return "", fmt.Errorf("the path %q is not in the workspace", written)
	}
	return clean, nil
}

// open opens the workspace. It is made for writing only.
func (w workspace) open(create bool) (*os.Root, error) {
	if create {
		if err := os.MkdirAll(w.folder, 0o755); err != nil {
			return nil, plain("the workspace", err)
		}
	}
	root, err := os.OpenRoot(w.folder)
	return root, plain("the workspace", err)
}

// plain is an error about a file without the place of the workspace on the machine.
func plain(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", what)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be opened", what)
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("%s cannot be used: %w", what, err)
}

// bytes reads a file.
func (w workspace) bytes(name string) ([]byte, error) {
	root, err := w.open(false)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(name)
	if err != nil {
		return nil, plain(name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	body, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if len(body) > MaxSize {
		return nil, fmt.Errorf("%s has more than %d bytes", name, MaxSize)
	}
	return body, plain(name, err)
}

// store writes a file.
func (w workspace) store(name string, body []byte) (map[string]any, error) {
	if len(body) > MaxSize {
		return nil, fmt.Errorf("%s would have more than %d bytes", name, MaxSize)
	}
	root, err := w.open(true)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, plain(path.Dir(name), err)
	}
	part := name + ".part"
	if err := root.WriteFile(part, body, 0o644); err != nil {
		return nil, plain(name, err)
	}
	if err := root.Rename(part, name); err != nil {
		return nil, plain(name, err)
	}
	return map[string]any{"path": name, "bytes": len(body)}, nil
}

func (w workspace) read(p map[string]any) (map[string]any, error) {
	name, err := place(p)
	if err != nil {
		return nil, err
	}
	if ending(name, ".pdf") {
		return nil, fmt.Errorf("%s is a PDF file: read it with files.read_pdf", name)
	}
	body, err := w.bytes(name)
	switch {
	case err != nil:
		return nil, err
	case !utf8.Valid(body):
		return nil, fmt.Errorf("%s is not a UTF-8 text", name)
	}
	content := any(string(body))
	if ending(name, ".json") {
		var v any
		if json.Unmarshal(body, &v) == nil {
			content = v
		}
	}
	return map[string]any{"path": name, "content": content}, nil
}

func (w workspace) write(p map[string]any) (map[string]any, error) {
	name, err := place(p)
	if err != nil {
		return nil, err
	}
	if ending(name, ".pdf") {
		return nil, fmt.Errorf("a text in %s would be no PDF file: write it with files.write_pdf", name)
	}
	body, isText := p["content"].(string)
	if !isText {
		written, err := json.MarshalIndent(p["content"], "", "  ")
		if err != nil {
			return nil, fmt.Errorf("the content cannot be written as JSON: %w", err)
		}
		body = string(written) + "\n"
	}
	return w.store(name, []byte(body))
}

func ending(name, with string) bool { return strings.EqualFold(path.Ext(name), with) }

func (w workspace) list(p map[string]any) (map[string]any, error) {
	name, err := place(p)
	if err != nil {
		return nil, err
	}
	root, err := w.open(false)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	all, err := fs.ReadDir(root.FS(), name)
	if err != nil {
		return nil, plain(name, err)
	}
	if len(all) > maxEntries {
		return nil, fmt.Errorf("%s has more than %d files", name, maxEntries)
	}
	entries := []any{}
	for _, e := range all {
		shown := e.Name()
		if e.IsDir() {
			shown += "/"
		}
		entries = append(entries, shown)
	}
	slices.SortFunc(entries, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return map[string]any{"path": name, "entries": entries}, nil
}
