package approval_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/flow/chart"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/growth"
)

// TestTextGrowth checks that the time of reading a file grows no faster than its text, up to the largest file.
func TestTextGrowth(t *testing.T) {
	const head, node = "name: a\nflow:\n  nodes:\n", "    - id: a\n      type: say\n      message: "
	for _, c := range []struct{ name, before, after string }{
		{"alone", "", ""},
		{"as a text", head + node, "\n"},
		{"in quotes", head + node + "\"", "\"\n"},
		{"as a block", "name: a\ndescription: |\n  ", "\n"},
		{"as a folded block", "name: a\ndescription: >-\n  a\n  ", "\n  b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			growth.Around(t, flow.MaxDocumentBytes, c.before, c.after, func(s string) {
				doc, problems := flowfile.Check("a.yaml", []byte(s), flow.Checks{})
				_ = problems.Error()
				chart.Of(doc.Flow)
			})
		})
	}
	t.Run("JSON", func(t *testing.T) {
		growth.Texts(t, flow.MaxDocumentBytes, func(s string) {
			_, _ = flow.FromJSON([]byte(s))
			b, err := json.Marshal(map[string]any{"name": "a", "entry": "x", "nodes": []any{map[string]any{"id": "x", "type": "say", "message": s}}})
			if err != nil {
				t.Error(err)
			}
			_, _ = flow.FromJSON(b)
		})
	})
	t.Run("Slug", func(t *testing.T) { growth.Texts(t, flow.MaxDocumentBytes, func(s string) { flow.Slug(s) }) })
}

// TestFlowGrowth checks the same for reading and comparing flows of many nodes, routes, inputs and values.
func TestFlowGrowth(t *testing.T) {
	file := func(n int, form string) string {
		var b strings.Builder
		b.WriteString("name: a\n")
		if form == "inputs" {
			b.WriteString("inputs:\n")
			for i := range n {
				fmt.Fprintf(&b, "  in%d: {type: string}\n", i)
			}
		}
		b.WriteString("flow:\n  nodes:\n")
		nodes := n
		if form != "nodes" && form != "errors" {
			nodes = 2
		}
		for i := range nodes {
			fmt.Fprintf(&b, "    - {id: n%d, type: say, message: hello", i)
			switch form {
			case "errors":
				fmt.Fprintf(&b, ", routes: [{to: m%d}], nmae: x", i)
			case "routes":
				b.WriteString(", routes: [")
				for k := range n {
					fmt.Fprintf(&b, "{to: n1, when: x == %d}, ", k)
				}
				b.WriteString("{to: end}]")
			default:
				if i+1 < nodes {
					fmt.Fprintf(&b, ", routes: [{to: n%d}]", i+1)
				}
			}
			b.WriteString("}\n")
		}
		return b.String()
	}
	for form, most := range map[string]int{"nodes": flow.MaxNodes, "errors": flow.MaxNodes, "routes": 8000, "inputs": flow.MaxKeys} {
		t.Run(form, func(t *testing.T) {
			growth.Linear(t, most, func(n int) func() {
				src, other := file(n, form), file(n/2, form)
				return func() {
					doc, problems := flowfile.Check("a.yaml", []byte(src), flow.Checks{})
					_ = problems.Error()
					was, _ := flowfile.Parse("b.yaml", []byte(other))
					approval.Changes(was.Flow, doc.Flow)
					approval.NewlyAllows(was.Flow, doc.Flow, nil)
				}
			})
		})
	}
}

// The largest flow that is allowed does not differ from itself.
func TestLargestFlow(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "a", Entry: "n0"}
	for i := range flow.MaxNodes {
		f.Nodes = append(f.Nodes, flow.Node{
			ID: fmt.Sprintf("n%d", i), Spec: &flow.SaySpec{Message: "hi"}, Routes: []flow.Route{{To: fmt.Sprintf("n%d", i+1)}},
		})
	}
	f.Nodes[flow.MaxNodes-1].Routes[0].To = flow.End
	if c := approval.Changes(f, f.Clone()); len(c) != 0 {
		t.Error("the flow differs from itself")
	}
	if a := approval.NewlyAllows(f, f.Clone(), nil); len(a) != 0 {
		t.Errorf("newly allows %v", a)
	}
}
