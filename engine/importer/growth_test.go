package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/growth"
	"sluice/engine/importer"
)

// TestTimeGrowsWithTheDocument reads, checks and draws documents of many sizes.
func TestTimeGrowsWithTheDocument(t *testing.T) {
	for name, write := range map[string]func(n int) string{
		"an app": func(n int) string {
			var b strings.Builder
			b.WriteString("agents: [{id: bot}]\nflow:\n  id: f\n  entry: n0\n  max_iterations: 9\n  nodes:\n")
			for i := range n {
				fmt.Fprintf(&b, "    - {id: n%d, type: agent, agent: bot, routes: [{when: \"x == '%d'\", to: n0}, {to: n%d}]}\n", i, i, (i+1)%n)
			}
			return b.String()
		},
		"a workflow": func(n int) string {
			nodes, edges := []string{`{"id": "a", "nodeType": "AGENT", "nodeName": "a", "agentId": "a"}`}, []string{}
			for i := range n {
				nodes = append(nodes, fmt.Sprintf(`{"id": "n%d", "nodeType": "AGENT", "nodeName": "n%d", "agentId": "a"}`, i, i))
				for _, condition := range []string{"ALWAYS", "CONDITIONAL"} {
					edges = append(edges, fmt.Sprintf(`{"sourceNodeId": "a", "targetNodeId": "n%d", "conditionType": "%s", "conditionValue": "n%d"}`, i, condition, i))
				}
			}
			return `{"id": "w", "entrypointNodeId": "a", "nodes": [` + strings.Join(nodes, ",") + `], "edges": [` + strings.Join(edges, ",") + `]}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			growth.Linear(t, flow.MaxNodes-1, func(n int) func() {
				src := []byte(write(n))
				return func() {
					doc, _, problems := importer.Check("f", src, flow.Checks{})
					if problems.HasErrors() {
						t.Fatal(problems.Errors())
					}
					chart.Of(doc.Flow)
				}
			})
		})
	}
}
