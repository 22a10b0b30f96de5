package typecheck

import (
	"cmp"
	"fmt"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/naming"
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

const maxProblems = 200 // reported for one flow

// checker checks one flow.
type checker struct {
	f       *flow.Flow
	w       World
	send    flow.Report
	sent    int
	muted   int // above 0 nothing is reported
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

// place is a part of the flow.
type place struct {
	path string
	node string // id
	on   string // " on flow node 'pay'", appended to messages
}

func (p place) in(key string) place {
	if p.path != "" {
		p.path += "."
	}
	p.path += key
	return p
}

func (p place) item(key string, i int) place { return p.in(fmt.Sprintf("%s[%d]", key, i)) }

func (p place) index(i int) place {
	p.path += fmt.Sprintf("[%d]", i)
	return p
}

func newChecker(f *flow.Flow, w World) *checker {
	c := &checker{
		f: f, w: w, tools: make(map[string]*tool.Tool, len(w.Tools)), nodes: make(map[string]int, len(f.Nodes)),
		agent: map[string]*flow.Agent{}, inputs: map[string]*flow.Input{},
		items: map[string]string{}, counts: map[string]bool{}, setters: map[string][]any{}, known: map[string]*shape{}, schemas: schemas{},
		send: func(flow.Problem, int) {}, here: reading{node: -1},
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

func (c *checker) error(at place, offset int, code, message, hint string) {
	c.report(at, offset, flow.SeverityError, code, message, hint)
}

func (c *checker) warn(at place, offset int, code, message, hint string) {
	c.report(at, offset, flow.SeverityWarning, code, message, hint)
}

func (c *checker) report(at place, offset int, s flow.Severity, code, message, hint string) {
	if c.muted > 0 || c.sent >= maxProblems {
		return
	}
	c.sent++
	c.send(flow.Problem{Severity: s, Code: code, Message: message + at.on, Hint: hint, Node: at.node, Path: at.path}, offset)
}

// quiet says that nothing would be reported: what only makes a message may be left out.
func (c *checker) quiet() bool { return c.muted > 0 || c.sent >= maxProblems }

// suggest is a hint with the names that come nearest.
func (c *checker) suggest(name string, names []string) string {
	if c.quiet() {
		return ""
	}
	return naming.Suggest(name, names)
}
