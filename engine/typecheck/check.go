package typecheck

import (
	"cmp"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/tool"
)

// What a name of the workspace is, see World.Kind.
const (
	User    = "user"
	Group   = "group"
	Channel = "channel"
	Nobody  = "nobody"  // nobody and nothing will ever be called so
	Unasked = "unasked" // it could not be found out: nothing is said
)

// World is what there is beside the flow. A nil function is not asked.
type World struct {
	Tools []tool.Tool // nil = not checked
	// Kind says what @name, #name or an id is; "" = nobody and nothing now.
	Kind func(name string) string
	// Names are the names that there are, with @ or #, for suggestions.
	Names func() []string
	// Flow gives the inputs of another flow.
	Flow func(name string) ([]flow.Input, bool)
	// Secret says whether a secret is set.
	Secret func(name string) bool
	// Models are the full names of the models that the installation lists, and FullModel gives the full name of any; nil = none is configured.
	Models    []string
	Agents    []string // of the installation; nil = not checked
	FullModel func(name string) string
}

// Check gives the problems of a flow, in the order of its parts. A flow that is being written may be checked: parts that are missing are
// passed over. The path of each problem says where it is.
func Check(f *flow.Flow, w World) flow.Problems {
	var all flow.Problems
	w.Report(f, func(p flow.Problem, _ int) { all = append(all, p) })
	return all
}

// Report is Check for [flow.Checks], which adds the place in the file.
func (w World) Report(f *flow.Flow, report flow.Report) {
	c := newChecker(f, w)
	c.send = report
	c.walk()
}

// checker checks one flow.
type checker struct {
	reports
	f       *flow.Flow
	w       World
	lenient int // above 0 a value may well be missing
	tools   map[string]*tool.Tool
	agent   map[string]*flow.Agent
	inputs  map[string]*flow.Input
	nodes   map[string]int
	ids     []string
	names   *expr.Names
	counts  map[string]bool   // what a foreach gives beside an item: which one it is, and of how many
	items   map[string]string // expressions of lists, by the name that a foreach gives to an item
	setters map[string][]any  // values of set nodes, by variable
	known   map[string]*shape // shapes of nodes, variables and items, by "kind name"; nil while one is being found
	agents  shape             // fields of every agent's answer
	order   *order
	missing []missing
	schemas schemas
	here    reading
}

// reading is the place of the expression that is being looked at.
type reading struct {
	at    place
	node  int  // index of the node that reads; -1 = none
	after bool // the node has run: its routes
}

func newChecker(f *flow.Flow, w World) *checker {
	c := &checker{
		f: f, w: w, tools: make(map[string]*tool.Tool, len(w.Tools)), nodes: make(map[string]int, len(f.Nodes)),
		agent: map[string]*flow.Agent{}, inputs: map[string]*flow.Input{},
		items: map[string]string{}, counts: map[string]bool{}, setters: map[string][]any{}, known: map[string]*shape{}, schemas: schemas{},
		reports: reports{send: func(flow.Problem, int) {}}, here: reading{node: -1},
	}
	for i := range w.Tools {
		c.tools[w.Tools[i].Name] = &w.Tools[i]
	}
	for i := range f.Agents {
		c.agent[f.Agents[i].ID] = &f.Agents[i]
	}
	for i := range f.Inputs {
		c.inputs[f.Inputs[i].Name] = &f.Inputs[i]
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		c.ids = append(c.ids, n.ID)
		if _, twice := c.nodes[n.ID]; !twice {
			c.nodes[n.ID] = i
		}
		switch s := n.Spec.(type) {
		case *flow.ForeachSpec:
			item := cmp.Or(s.As, flow.DefaultItemName)
			c.items[item] = s.Items
			for _, count := range []string{"_index", "_number", "_total"} {
				c.counts[item+count] = true
			}
		case *flow.SetSpec:
			for name, value := range s.Vars {
				c.setters[name] = append(c.setters[name], value)
			}
		}
	}
	c.names = expr.NewNames(c.ids)
	c.order = newOrder(f, c.nodes)
	c.agents = c.agentFields()
	return c
}

// node gives a node by id, or nil.
func (c *checker) node(id string) *flow.Node {
	if i, ok := c.nodes[id]; ok {
		return &c.f.Nodes[i]
	}
	return nil
}
