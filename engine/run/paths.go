package run

import (
	"slices"

	"sluice/engine/expr"
)

// roots are the names that every expression knows. They hide nodes of the same id, which are reached as nodes.ID.
var roots = []string{
	"event", "inputs", "input", "vars", "nodes", "approvals", "previous", "output", "error", "run", "secret", "state",
}

// paths is what expressions read of earlier outputs.
type paths struct {
	raw      [][]string
	nodes    []string // ids of nodes whose outputs are read
	every    bool     // any node's output, since the id is computed
	vars     []string // variables
	everyVar bool     // any variable, since the name is computed
	previous bool
	bare     bool // fields of the latest agent answer
	item     bool // the item of a foreach
	done     bool // the output of the step itself; only of the node whose routes are chosen
}

func (p *paths) read(e *expr.Expr) {
	if e != nil {
		p.addPaths(e.Reads())
	}
}

func (p *paths) addPaths(all [][]string) { p.raw = append(p.raw, all...) }

// sort tells node ids from bare names, once all nodes are known.
func (p *paths) sort(prog *Program) {
	for _, path := range p.raw {
		switch first := path[0]; {
		case first == "previous":
			p.previous = true
		case first == "nodes" && len(path) > 1:
			p.node(path[1])
		case first == "nodes":
			p.every = true
		case first == "vars" && len(path) > 1:
			p.variable(path[1])
		case first == "vars":
			p.everyVar = true
		case slices.Contains(roots, first):
		case prog.nodes[first] != nil:
			p.node(first)
			p.item = true // of a loop, its present round
		default:
			p.item = p.item || prog.items[first]
			p.bare = true // the item's name outside the foreach, too
		}
	}
	p.raw = nil
}

func (p *paths) node(id string) {
	if !slices.Contains(p.nodes, id) {
		p.nodes = append(p.nodes, id)
	}
}

func (p *paths) variable(name string) {
	if !slices.Contains(p.vars, name) {
		p.vars = append(p.vars, name)
	}
}

func (p *paths) add(other paths) {
	for _, id := range other.nodes {
		p.node(id)
	}
	for _, name := range other.vars {
		p.variable(name)
	}
	p.everyVar = p.everyVar || other.everyVar
	p.every = p.every || other.every
	p.previous = p.previous || other.previous
	p.bare = p.bare || other.bare
	p.item = p.item || other.item
}

func (p *paths) clone() paths {
	c := *p
	c.nodes, c.vars = slices.Clone(p.nodes), slices.Clone(p.vars)
	return c
}
