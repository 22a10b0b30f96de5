package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sluice/engine/plan"
	"sluice/engine/tool"
)

func seeds(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/outlines/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(txtar.Parse(src).Files[0].Data))
	}
	f.Add("1. if {{x}} is over }} ask @a to {{ 2. tell #b {{secret.X}} {a.b} {{{")
	f.Add("x: if if if if unless the a is a ask ask and or , then then otherwise else")
	f.Add("1. tell @a 'b' 2. ask @end to end 3. end 4. go to 4 5. go to 1")
}

func fuzzTools(t testing.TB) []tool.Tool {
	t.Helper()
	tools := []tool.Tool{tool.PostMessage(nil)}
	for _, name := range []string{"shop", "people", "ops"} {
		tools = append(tools, catalogue(t, name)...)
	}
	return tools
}

// FuzzBuild makes flows of any text. Nothing may panic, and every flow must be valid.
func FuzzBuild(f *testing.F) {
	seeds(f)
	tools := fuzzTools(f)
	f.Fuzz(func(t *testing.T, text string) {
		o, ok := plan.Read(text)
		if ok != (len(o.Lines) > 0) {
			t.Fatalf("%d lines, found %v", len(o.Lines), ok)
		}
		if !ok {
			o = outline("", text)
		}
		opt := plan.Options{Tools: tools}
		p := plan.Build(o, opt)
		if p.Flow == nil {
			if !p.Blocked() {
				t.Error("no flow and no reason")
			}
			return
		}
		checkProposal(t, p, opt)
		if len(p.ReadBack(tools)) == 0 || len(plan.ReadBack(p.Flow, tools)) == 0 {
			t.Error("nothing to read back")
		}
		for n, ids := range p.Nodes {
			for _, id := range ids {
				if p.Flow.Node(id) == nil || n < 1 || n > len(o.Lines) {
					t.Errorf("node %q has number %d", id, n)
				}
			}
		}
		opt.Base = p.Flow
		again := plan.Build(o, opt)
		if again.Flow == nil {
			t.Fatal("a flow cannot be made again from its own words")
		}
		checkProposal(t, again, opt)
	})
}

// FuzzRead reads what it has written.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		o, ok := plan.Read(text)
		if !ok || len(o.Lines) < 2 {
			return
		}
		if again, ok := plan.Read(o.String()); !ok || again.String() != o.String() {
			t.Errorf("%q was written as %q and read as %q", text, o.String(), again.String())
		}
		if plan.FlowName(o) == "" {
			t.Error("no name")
		}
	})
}

// FuzzEdit edits with any text: the steps stay numbered, and no step is lost or empty.
func FuzzEdit(f *testing.F) {
	seeds(f)
	for _, s := range []string{"2. x", "remove 1", "delete 1, 2 and 3", "add after 1: x 2. y", "call it y", "2. a 3. b 4. c 5. d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := outline("a", "get it", "go to 3", "pay it")
		next, words, ok := o.Edit(text)
		if !ok {
			return
		}
		if strings.TrimSpace(words) == "" {
			t.Error("an edit without words")
		}
		for i, l := range next.Lines {
			if l.Number != i+1 || strings.TrimSpace(l.Text) == "" || strings.Contains(l.Text, "\n") {
				t.Errorf("line %d is %+v", i+1, l)
			}
		}
	})
}
