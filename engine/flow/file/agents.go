package file

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/agents"
	"sluice/engine/flow/source"
	"sluice/engine/flow/validate"
)

// ParseAgents reads a file of agents of the installation: a mapping with a list of them under agents, or one agent alone. The flow of the
// document declares them and does nothing else. The document is never nil.
func ParseAgents(file string, src []byte) (*Document, flow.Problems) {
	p := newParsing(&source.File{Name: file}, Dialect{})
	root, bad := p.load(file, src, "it begins with agents:, or with id: and instructions:")
	if bad != nil {
		return p.unread(bad)
	}
	var all struct {
		Agents []flow.Agent `json:"agents"`
	}
	if root.Get("agents") == nil && root.Get("id") != nil {
		root = &source.Value{Kind: source.Map, At: root.At, Pairs: []source.Pair{{
			Key: "agents", At: root.At, Value: &source.Value{Kind: source.List, At: root.At, Items: []*source.Value{root}},
		}}}
	}
	p.decode(root, &all, where{})
	f := (&flow.Flow{Agents: all.Agents}).WithDefaults()
	return &Document{File: file, Flow: f, src: p.src, places: p.places, flagged: p.flagged}, p.problems.Sorted()
}

// CheckAgents checks the agents of a document of [ParseAgents] as parts of a flow in which each has a step. known are all agents of the
// installation, those of the document included.
func (d *Document) CheckAgents(known []flow.Agent, c flow.Checks) flow.Problems {
	if d.broken || len(d.Flow.Agents) == 0 {
		return nil
	}
	f := &flow.Flow{Name: "agents"}
	for i, a := range d.Flow.Agents {
		id := fmt.Sprintf("agent-%d", i)
		n := flow.Node{ID: id, Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: a.ID}}
		if i > 0 {
			f.Nodes[i-1].Routes = []flow.Route{{To: id}}
		}
		f.Nodes = append(f.Nodes, n)
	}
	f.Entry = f.Nodes[0].ID
	f = f.WithDefaults()
	c.Agents = known
	agents.Resolve(f, known)
	return d.ofAgents(f, c)
}

// ofAgents gives the problems of a flow's agents that are those of the document, at their places in the file.
func (d *Document) ofAgents(f *flow.Flow, c flow.Checks) (own flow.Problems) {
	place := map[string]string{} // by the path of an agent in the flow: its path in the file
	for i, a := range f.Agents {
		for k, b := range d.Flow.Agents {
			if a.ID == b.ID {
				place[fmt.Sprintf("agents[%d]", i)] = fmt.Sprintf("agents[%d]", k)
			}
		}
	}
	for _, p := range validate.Flow(f, c) {
		head, rest, _ := strings.Cut(p.Path, ".")
		at, mine := place[head]
		if !mine {
			continue
		}
		path := strings.TrimSuffix(at+"."+rest, ".")
		if d.flagged[path] {
			continue
		}
		placed := d.Problem(path, p.Code, p.Message, p.Hint)
		placed.Severity = p.Severity
		own = append(own, placed)
	}
	return own
}

// Problem is an error at a part of the document.
func (d *Document) Problem(path, code, message, hint string) flow.Problem {
	p := d.src.Problem(d.placeOf(path, -1), flow.SeverityError, code, message, hint)
	p.Path = path
	return p
}

// FormatAgent writes an agent of the installation as a file of its own.
func FormatAgent(a flow.Agent) []byte {
	w := yamlWriter{}
	w.mapping(structTree(reflect.ValueOf(a)), 0)
	return w.out.Bytes()
}

// HoldsAgents reports whether a text looks like a file of agents, rather than like a flow.
func HoldsAgents(src []byte) bool {
	root, bad := newParsing(&source.File{}, Dialect{}).load("", src, "")
	if bad != nil {
		return false
	}
	has := func(key string) bool { return root.Get(key) != nil }
	return (has("agents") || has("id") && has("instructions")) && !slices.ContainsFunc([]string{"flow", "runtime", "nodes", "app", "graph"}, has)
}
