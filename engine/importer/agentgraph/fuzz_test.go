package agentgraph_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/flowtest"
	"sluice/engine/importer/agentgraph"
	"sluice/engine/importer/importertest"
)

// FuzzDecode reads anything: what is read comes back as it was, its canonical form is stable, and it can be run.
func FuzzDecode(f *testing.F) {
	for _, src := range []string{gate, beside, pick(two), graph(caller, "s>p p>c@subagent c>d@subagent")} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		agentgraph.Recognise(src)
		if now, err := agentgraph.Upgrade(src); err == nil {
			agentgraph.Recognise(now)
		}
		doc, err := agentgraph.Decode("graph.json", src)
		if err != nil || doc.Check(flowtest.Checks()).HasErrors() {
			return
		}
		stored, err := flow.FromJSON(flow.Canonical(doc.Flow))
		if err != nil {
			t.Fatal(err)
		}
		if back, err := agentgraph.Encode(stored); err != nil || string(back) != string(src) || flow.Hash(stored) != flow.Hash(doc.Flow) {
			t.Errorf("it came back as %q: %v", back, err)
		}
		stored.MaxVisits = 50
		_, facts, err := importertest.Play(stored, 1)
		if err != nil {
			t.Error(err)
		}
		agentgraph.NewRecord("r1", stored, facts)
	})
}

func TestHostileGraphs(t *testing.T) {
	t.Parallel()
	hostile := importertest.Hostile()
	hostile["many nodes"] = []byte(graph(strings.Repeat("x:agent ", 60_000), ""))
	var circle strings.Builder
	var nodes strings.Builder
	nodes.WriteString("s:start ")
	for i := range 1900 {
		fmt.Fprintf(&nodes, `n%d:agent={"tools":{"subagents":true}} `, i)
		fmt.Fprintf(&circle, "n%d>n%d@subagent ", i, (i+1)%1900)
	}
	hostile["a circle of agents"] = []byte(graph(nodes.String(), circle.String()))
	for name, src := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			importertest.Bounded(t, agentgraph.Decode, name, src)
		})
	}
}
