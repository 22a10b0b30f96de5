package plan_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/engine/run"
	"sluice/engine/tool"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestOutlines reads outlines over three catalogues. The comment of each archive says why it is there, and its settings:
// catalogue, more (another catalogue), exists (names that are known), zone, messages (no: without the tool that writes to people).
func TestOutlines(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/outlines/*.txtar")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d outlines, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := readCase(t, a)
			got := &txtar.Archive{Comment: a.Comment, Files: []txtar.File{a.Files[0]}}
			o, ok := plan.Read(c.outline)
			if !ok {
				t.Fatal("no steps found")
			}
			p := plan.Build(o, c.options)
			got.Files = append(got.Files, txtar.File{Name: "steps", Data: []byte(o.String() + "\n")})
			got.Files = append(got.Files, txtar.File{Name: "notes", Data: []byte(noteLines(p))})
			if p.Flow != nil {
				got.Files = append(got.Files,
					txtar.File{Name: "flow.yaml", Data: flow.Format(p.Flow)},
					txtar.File{Name: "read-back", Data: []byte(strings.Join(p.ReadBack(c.options.Tools), "\n") + "\n")})
				checkProposal(t, p, c.options)
				if warnings := flow.Validate(p.Flow, flow.Checks{}); len(warnings) > 0 {
					t.Errorf("the flow has warnings: %v", warnings)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); diff != "" && !*update {
				t.Errorf("another outcome than in the golden file (-want +got):\n%s", diff)
			}
		})
	}
}

// outlineCase is one archive, read.
type outlineCase struct {
	outline string
	options plan.Options
}

func readCase(t testing.TB, a *txtar.Archive) outlineCase {
	t.Helper()
	if len(a.Files) == 0 || a.Files[0].Name != "outline" {
		t.Fatal("an archive begins with the outline")
	}
	c := outlineCase{outline: string(a.Files[0].Data)}
	messages := true
	for line := range strings.SplitSeq(string(a.Comment), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "catalogue", "more":
			c.options.Tools = append(c.options.Tools, catalogue(t, value)...)
		case "exists":
			names := strings.Fields(value)
			c.options.Exists = func(name string) bool { return slices.Contains(names, name) }
		case "zone":
			c.options.Zone = value
		case "messages":
			messages = value != "no"
		}
	}
	if messages {
		c.options.Tools = append(c.options.Tools, tool.PostMessage(nil))
	}
	return c
}

func catalogue(t testing.TB, name string) []tool.Tool {
	t.Helper()
	file := filepath.Join("testdata", "catalogues", name+".yaml")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.LoadActions(file, src, tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func noteLines(p *plan.Proposal) string {
	var b strings.Builder
	for _, n := range p.Notes {
		sort := "warning"
		if n.Blocks {
			sort = "blocks"
		}
		fmt.Fprintf(&b, "%s %s (line %d)", sort, n.Code, n.Line)
		if len(n.Nearest) > 0 {
			fmt.Fprintf(&b, " nearest %s", strings.Join(n.Nearest, ", "))
		}
		fmt.Fprintf(&b, ": %s\n", n.Text)
	}
	return b.String()
}

// checkProposal checks what must hold for every proposal.
func checkProposal(t testing.TB, p *plan.Proposal, opt plan.Options) {
	t.Helper()
	known := map[string]bool{}
	for _, x := range opt.Tools {
		known[x.Name] = true
	}
	checks := flow.Checks{Tool: func(name string) (bool, []string) { return known[name], nil }}
	for _, problem := range flow.Validate(p.Flow, checks).Errors() {
		t.Errorf("the flow has a problem: %v", problem)
	}
	if _, err := run.Compile(p.Flow); err != nil {
		t.Errorf("the flow cannot run: %v", err)
	}
	d, problems := flow.Parse("flow.yaml", flow.Format(p.Flow))
	if err := problems.Err(); err != nil {
		t.Fatalf("the flow's file cannot be read: %v", err)
	}
	if flow.Hash(d.Flow) != flow.Hash(p.Flow) {
		t.Error("the flow's file is another flow")
	}
	for _, n := range p.Flow.Nodes {
		if !slices.ContainsFunc(slices.Collect(lines(p)), func(id string) bool { return id == n.ID }) {
			t.Errorf("node %s belongs to no line", n.ID)
		}
	}
}

// lines lists the nodes of all lines.
func lines(p *plan.Proposal) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, ids := range p.Nodes {
			for _, id := range ids {
				if !yield(id) {
					return
				}
			}
		}
	}
}
