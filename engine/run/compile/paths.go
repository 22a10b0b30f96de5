package compile

import (
	"slices"

	"sluice/engine/expr"
)

// roots are the names that every expression knows. They hide nodes of the same id, which are reached as nodes.ID.
var roots = []string{
	"event", "inputs", "input", "vars", "nodes", "approvals", "previous", "output", "error", "run", "secret", "state",
}

// Paths is what expressions read of earlier outputs.
type Paths struct {
	raw      [][]string
	Nodes    []string // ids of nodes whose outputs are read
	Every    bool     // any node's output, since the id is computed
	Vars     []string // variables
	EveryVar bool     // any variable, since the name is computed
	Previous bool
	Bare     bool // fields of the latest agent answer
	Item     bool // the item of a foreach
	Done     bool // the output of the step itself; only of the node whose routes are chosen
}

func (p *Paths) read(e *expr.Expr) {
	if e != nil {
		p.addPaths(e.Reads())
	}
}

func (p *Paths) addPaths(all [][]string) { p.raw = append(p.raw, all...) }

// sort tells node ids from bare names, once all nodes are known.
func (p *Paths) sort(prog *Program) {
	for _, path := range p.raw {
		if prog.flow.Rules.Memory {
			p.variable(path[0])
		}
		switch first := path[0]; {
		case first == "previous":
			p.Previous = true
		case first == "nodes" && len(path) > 1:
			p.node(path[1])
		case first == "nodes":
			p.Every = true
		case first == "vars" && len(path) > 1:
			p.variable(path[1])
		case first == "vars":
			p.EveryVar = true
		case slices.Contains(roots, first):
		case first == "memory" && prog.flow.Rules.Memory && len(path) > 1:
			p.variable(path[1])
		case first == "memory" && prog.flow.Rules.Memory:
			p.EveryVar = true
		case prog.Nodes[first] != nil:
			p.node(first)
			p.Item = true // of a loop, its present round
		default:
			p.Item = p.Item || prog.Items[first]
			p.Bare = true // the item's name outside the foreach, too
		}
	}
	p.raw = nil
}

func (p *Paths) node(id string) {
	if !slices.Contains(p.Nodes, id) {
		p.Nodes = append(p.Nodes, id)
	}
}

func (p *Paths) variable(name string) {
	if !slices.Contains(p.Vars, name) {
		p.Vars = append(p.Vars, name)
	}
}

// Add reads what other reads, too.
func (p *Paths) Add(other Paths) {
	for _, id := range other.Nodes {
		p.node(id)
	}
	for _, name := range other.Vars {
		p.variable(name)
	}
	p.EveryVar = p.EveryVar || other.EveryVar
	p.Every = p.Every || other.Every
	p.Previous = p.Previous || other.Previous
	p.Bare = p.Bare || other.Bare
	p.Item = p.Item || other.Item
}

// Clone gives a copy that can be changed.
func (p *Paths) Clone() Paths {
	c := *p
	c.Nodes, c.Vars = slices.Clone(p.Nodes), slices.Clone(p.Vars)
	return c
}
