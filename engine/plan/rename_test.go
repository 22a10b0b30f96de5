package plan_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/engine/tool"
)

// renaming replaces the words of all names of a catalogue, and of channels and groups, by others of the same length.
type renaming map[string]string

var (
	letters = regexp.MustCompile(`[A-Za-z]+`)
	address = regexp.MustCompile(`[#@][a-z][a-z-]*`)
)

// renamingOf collects the words of names: of tools, of fields, and of whatever the outline addresses.
func renamingOf(tools []tool.Tool, outline string) renaming {
	r := renaming{}
	add := func(name string) {
		for _, w := range letters.FindAllString(strings.ToLower(name), -1) {
			if !slices.Contains([]string{"is", "days", "gb", "message"}, w) { // words of the language that names contain, too
				r[w] = other(w)
			}
		}
	}
	for _, t := range tools {
		add(t.Name)
		for _, schema := range []map[string]any{t.Params, t.Result} {
			fields(schema, add)
		}
	}
	for _, a := range address.FindAllString(outline, -1) {
		add(a)
	}
	return r
}

func fields(schema map[string]any, add func(string)) {
	props, _ := schema["properties"].(map[string]any)
	for name, p := range props {
		add(name)
		if s, ok := p.(map[string]any); ok {
			fields(s, add)
		}
	}
}

// other turns a word into one that nobody knows. It keeps the length, since names are cut to fit into a shape, and the end,
// since that is where words are inflected.
func other(w string) string {
	const from, to = "abcdefghijklmnopqrtuvwxyz", "ebqdifghojklmnupcrtyvwxza"
	b := []byte(w)
	for i := range len(b) {
		if k := strings.IndexByte(from, b[i]); k >= 0 && i < len(b)-1 {
			b[i] = to[k]
		}
	}
	b[0] = 'z'
	return string(b)
}

// text renames words wherever they stand, in small letters or with a capital, plural or not.
func (r renaming) text(s string) string {
	return letters.ReplaceAllStringFunc(s, func(w string) string {
		low := strings.ToLower(w)
		for _, end := range []string{"", "s"} {
			if now, ok := r[strings.TrimSuffix(low, end)]; ok && strings.HasSuffix(low, end) {
				if w != low {
					now = strings.ToUpper(now[:1]) + now[1:]
				}
				return now + end
			}
		}
		return w
	})
}

func (r renaming) tools(all []tool.Tool) []tool.Tool {
	out := slices.Clone(all)
	for i, t := range out {
		out[i].Name, out[i].Description = r.text(t.Name), r.text(t.Description)
		out[i].Words = make([]string, len(t.Words))
		for j, w := range t.Words {
			out[i].Words[j] = r.text(w)
		}
		out[i].Params, out[i].Result = r.schema(t.Params), r.schema(t.Result)
	}
	return out
}

func (r renaming) schema(s map[string]any) map[string]any {
	if s == nil {
		return nil
	}
	out := maps.Clone(s)
	if d, ok := out["description"].(string); ok {
		out["description"] = r.text(d)
	}
	if props, ok := out["properties"].(map[string]any); ok {
		renamed := map[string]any{}
		for name, p := range props {
			if sub, ok := p.(map[string]any); ok {
				p = r.schema(sub)
			}
			renamed[r.text(name)] = p
		}
		out["properties"] = renamed
	}
	if required, ok := out["required"].([]any); ok {
		out["required"] = r.value(required, "")
	}
	return out
}

// value renames every text in a flow, and the keys of free values. What the format itself says stays.
func (r renaming) value(v any, under string) any {
	switch v := v.(type) {
	case string:
		if slices.Contains([]string{"type", "flowchart_type", "cron", "after"}, under) {
			return v
		}
		return sorted(r.text(v))
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = r.value(e, under)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			key := k
			if under == "params" || under == "form" {
				key = r.text(k)
			}
			out[key] = r.value(e, k)
		}
		return out
	}
	return v
}

// sorted puts the values that a default message lists into an order that does not depend on their names.
func sorted(s string) string {
	title, rest, found := strings.Cut(s, "{{run.title}}: ")
	if !found || title != "" {
		return s
	}
	parts := strings.Split(rest, ", ")
	slices.Sort(parts)
	return "{{run.title}}: " + strings.Join(parts, ", ")
}

func structure(t *testing.T, f *flow.Flow, r renaming) any {
	t.Helper()
	if f == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(flow.Canonical(f), &v); err != nil {
		t.Fatal(err)
	}
	return r.value(v, "")
}

// TestRenaming renames all tools, fields, channels and groups alike in catalogue and outline: the graph must be the same up to
// names, or the planner would know one of them.
func TestRenaming(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/outlines/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := readCase(t, a)
			r := renamingOf(c.options.Tools, c.outline)
			if len(r) < 10 {
				t.Fatalf("only %d words are renamed", len(r))
			}
			renamed := c.options
			renamed.Tools = r.tools(c.options.Tools)
			if known := c.options.Exists; known != nil {
				renamed.Exists = func(name string) bool {
					return slices.ContainsFunc([]string{"@hr", "#hr"}, func(n string) bool { return known(n) && r.text(n) == name })
				}
			}
			before, _ := plan.Read(c.outline)
			after, ok := plan.Read(r.text(c.outline))
			if !ok {
				t.Fatal("no steps after renaming")
			}
			p, q := plan.Build(before, c.options), plan.Build(after, renamed)
			if diff := cmp.Diff(structure(t, p.Flow, r), structure(t, q.Flow, nil)); diff != "" {
				t.Errorf("%s\nanother graph after renaming (-want +got):\n%s", after, diff)
			}
			if diff := cmp.Diff(noteCodes(p), noteCodes(q)); diff != "" {
				t.Errorf("other notes after renaming (-want +got):\n%s", diff)
			}
		})
	}
}

func noteCodes(p *plan.Proposal) []string {
	var out []string
	for _, n := range p.Notes {
		out = append(out, n.Code)
	}
	return out
}
