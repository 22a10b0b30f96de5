package flow_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
	"golang.org/x/tools/txtar"

	. "sluice/engine/flow"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// checks stand for an installation with a few tools. Expressions are wrong where an @ or an unclosed quote stands.
func checks() Checks {
	tools := []string{"http.get", "http.post", "shop.get_order", "shop.refund", "slack.post_message"}
	syntax := func(src string, _ []string) (int, string, string, bool) {
		if i := strings.IndexByte(src, '@'); i >= 0 {
			return i, "unexpected '@'", "names hold letters, digits and _", false
		}
		return 0, "", "", true
	}
	return Checks{
		Tool: func(name string) (bool, []string) {
			if slices.Contains(tools, name) {
				return true, nil
			}
			var near []string
			for _, t := range tools {
				if module, _, _ := strings.Cut(name, "."); strings.HasPrefix(t, module+".") {
					near = append(near, t)
				}
			}
			return false, near
		},
		Flow:       func(name string) (bool, []string) { return name == "payout", []string{"payout"} },
		Expression: syntax,
		Template:   syntax,
		Cron: func(fields string) error {
			_, err := cron.ParseStandard(fields)
			return err
		},
		Timezone: func(name string) error {
			if name != "Europe/Berlin" {
				return errors.New("unknown zone")
			}
			return nil
		},
		Schema: func(schema map[string]any) error {
			if p, ok := schema["properties"]; ok {
				if _, ok := p.(map[string]any); !ok {
					return errors.New("properties must be an object")
				}
			}
			return nil
		},
	}
}

// golden compares the section "want" of every txtar file with what got makes of its flow, which is the first section.
func golden(t *testing.T, pattern string, got func(t *testing.T, file txtar.File) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files at %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := got(t, archive.Files[0])
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(text)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 {
				t.Fatal("the file needs a flow and a section want; run with -update")
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), text); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestProblems shows every sort of bad input with its message. The name of the file is the case.
func TestProblems(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/problems/*.txtar", func(t *testing.T, file txtar.File) string {
		_, problems := Check(file.Name, file.Data, checks())
		if len(problems) == 0 {
			return ""
		}
		return problems.Error() + "\n"
	})
}

// TestPlans shows the picture of every shape of flow, as lines.
func TestPlans(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/plans/*.txtar", func(t *testing.T, file txtar.File) string {
		return planText(parsed(t, file.Data).Plan())
	})
}

func planText(p Plan) string {
	var b strings.Builder
	for _, n := range p.Nodes {
		fmt.Fprintf(&b, "%2d %-10s %s [%s]", n.Number, n.Type, n.ID, n.Name)
		if n.Description != "" {
			fmt.Fprintf(&b, " %s", n.Description)
		}
		b.WriteByte('\n')
	}
	for _, e := range p.Edges {
		arrow := "->"
		if e.Error {
			arrow = "~>"
		}
		fmt.Fprintf(&b, "%s: %s %s %s", e.ID, e.From, arrow, e.To)
		if e.Label != "" {
			fmt.Fprintf(&b, " |%s|", e.Label)
		}
		if e.Description != "" {
			fmt.Fprintf(&b, " (%s)", e.Description)
		}
		b.WriteByte('\n')
	}
	for _, id := range slices.Sorted(mapKeys(p.Map)) {
		if len(p.Map[id]) != 1 || p.Map[id][0] != id {
			fmt.Fprintf(&b, "map %s: %s\n", id, strings.Join(p.Map[id], ", "))
		}
	}
	return b.String()
}

func mapKeys(m map[string][]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestPlanOfGeneratedFlows checks what every picture promises.
func TestPlanOfGeneratedFlows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		f := newGenerator(seed).flow()
		p := f.Plan()
		nodes := map[string]PlanNode{}
		for _, n := range p.Nodes {
			if _, twice := nodes[n.ID]; twice {
				t.Fatalf("seed %d: plan node %s is there twice", seed, n.ID)
			}
			if n.Type == "" || n.Name == "" {
				t.Fatalf("seed %d: plan node %s has no type or name", seed, n.ID)
			}
			nodes[n.ID] = n
		}
		for i := range f.Nodes {
			if n := nodes[f.Nodes[i].ID]; n.Number != i+1 || p.Map[n.ID][0] != n.ID {
				t.Fatalf("seed %d: node %s has number %d", seed, n.ID, n.Number)
			}
		}
		edges := map[string]bool{}
		for _, e := range p.Edges {
			if _, ok := nodes[e.From]; !ok {
				t.Fatalf("seed %d: edge %s comes from %s, which is not drawn", seed, e.ID, e.From)
			}
			if _, ok := nodes[e.To]; !ok {
				t.Fatalf("seed %d: edge %s leads to %s, which is not drawn", seed, e.ID, e.To)
			}
			if edges[e.ID] {
				t.Fatalf("seed %d: edge %s is there twice", seed, e.ID)
			}
			edges[e.ID] = true
		}
		for i := range f.Nodes {
			for _, e := range f.Nodes[i].Edges() {
				if !edges[e.ID] {
					t.Fatalf("seed %d: edge %s is not drawn", seed, e.ID)
				}
			}
		}
	}
}

func TestProblemsAsJSON(t *testing.T) {
	t.Parallel()
	_, problems := Check("a.yaml", []byte("name: a\nflow:\n  entry: x\n  nodes:\n    - {id: x, type: say, mesage: hi}\n"), Checks{})
	if len(problems) != 2 || problems.Err() == nil || len(problems.Errors()) != 2 || len(problems.Warnings()) != 0 {
		t.Fatalf("got %v", problems)
	}
	got, err := json.Marshal(problems[1])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"file":"a.yaml","line":5,"column":26,"severity":"error","code":"unknown-key",` +
		`"message":"unknown key 'mesage' on flow node 'x'","hint":"did you mean 'message'?","node":"x",` +
		`"path":"flow.nodes[0].mesage","snippet":"    5 |     - {id: x, type: say, mesage: hi}\n      |                          ^"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wrapped := fmt.Errorf("saving the flow: %w", problems)
	if len(AsProblems(wrapped)) != 2 || AsProblems(errors.New("other")) != nil {
		t.Error("AsProblems does not find what is wrapped")
	}
}
