package visualflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

// graph is a document as it was written, without what the editor keeps for itself.
type graph struct {
	src                   *document.Source
	id, name, description string
	entry                 *node
	nodes                 []*node
	byID                  map[string]*node
	kinds                 map[string]kind
}

// node is one node of a document.
type node struct {
	id        string // in the document
	run       string // id of the run-time node
	kind      string // its type in today's spelling
	record    kind   // of the type
	known     bool   // there is a record
	label     string
	at        *source.Value
	data      *source.Value
	inputs    []pin
	outputs   []pin
	settings  map[string]any // values of input pins that no edge gives: pin defaults, and what older editors kept elsewhere
	in        map[string]end // data edges, by the input pin that they lead to
	next      map[string]*node
	arrivals  []arrival                 // execution edges to the node, in their order
	overrides map[string]map[string]end // by input pin and route
	read      map[string]bool           // output pins that data edges begin at
}

// pin is a connection point as the document declares it.
type pin struct{ id, kind string }

// end is where a data edge begins.
type end struct {
	from *node
	pin  string
}

// arrival is an execution edge to a node.
type arrival struct {
	route  string // the key under which overrides name it
	from   *node
	handle string
}

const (
	execution = "execution" // type of the pins that order execution
	execIn    = "exec-in"
	execOut   = "exec-out"
)

// readGraph reads what a document says. The error is for one that is no such document at all.
func readGraph(s *document.Source) (*graph, error) {
	g := &graph{src: s, byID: map[string]*node{}, kinds: allKinds()}
	for _, key := range []string{"id", "flow_id", "workflow_id"} {
		g.id = cmp.Or(g.id, strings.TrimSpace(text(s.Root.Get(key))))
	}
	if g.id == "" {
		return nil, s.Unreadable(s.Root, "no-id", "the document has no 'id'", "other documents call this one by its id")
	}
	g.name, g.description = text(s.Root.Get("name")), text(s.Root.Get("description"))
	nodes := s.Root.Get("nodes")
	if err := s.Count(nodes); err != nil {
		return nil, err
	}
	if nodes == nil || nodes.Kind != source.List {
		return nil, s.Unreadable(s.Root, "no-nodes", "the document has no list of 'nodes'", "")
	}
	for _, v := range nodes.Items {
		g.addNode(v)
	}
	if edges := s.Root.Get("edges"); edges != nil {
		for _, v := range edges.Items {
			g.addEdge(v)
		}
	}
	for _, n := range g.nodes {
		g.readRoutes(n)
	}
	g.findEntry()
	if g.entry == nil {
		return nil, s.Unreadable(nodes, "no-entry", "no node of the document can be executed", "a run begins at a node such as on_flow_start")
	}
	return g, nil
}

func text(v *source.Value) string {
	if v == nil || v.Kind == source.Null {
		return ""
	}
	return v.Text
}

func (g *graph) addNode(v *source.Value) {
	id := strings.TrimSpace(text(v.Get("id")))
	if id == "" {
		g.src.Warn(v.At, "", "no-id", "a node without 'id' is left out", "")
		return
	}
	if first := g.byID[id]; first != nil {
		g.src.Error(v.At, "", "duplicate-id", "node id '"+id+"' is used twice", "")
		return
	}
	data := v.Get("data")
	n := &node{id: id, at: v, data: data, in: map[string]end{}, next: map[string]*node{}, read: map[string]bool{}}
	n.kind = kindName(cmp.Or(text(v.Get("type")), text(v.Get("type").Get("value")), text(data.Get("nodeType"))))
	n.record, n.known = g.kinds[n.kind]
	n.label = strings.TrimSpace(cmp.Or(text(data.Get("label")), text(v.Get("label"))))
	n.inputs, n.outputs = pins(v, data, "inputs"), pins(v, data, "outputs")
	for i := range n.inputs {
		n.inputs[i].id = n.inputName(n.inputs[i].id)
	}
	n.readSettings()
	g.nodes = append(g.nodes, n)
	g.byID[id] = n
}

// kindName gives a type in today's spelling: "NodeType.LLM_CALL" is llm_call.
func kindName(written string) string {
	written = strings.TrimSpace(written)
	if _, member, ok := strings.Cut(written, "NodeType."); ok {
		written = strings.ToLower(strings.TrimSpace(member))
	}
	return written
}

// pins reads the pins of a node, which stand in its data, or beside them.
func pins(v, data *source.Value, key string) (all []pin) {
	list := data.Get(key)
	if list == nil || len(list.Items) == 0 {
		list = v.Get(key)
	}
	if list == nil {
		return nil
	}
	for _, p := range list.Items {
		if id := text(p.Get("id")); id != "" {
			all = append(all, pin{id, text(p.Get("type"))})
		}
	}
	return all
}

// readSettings collects values of pins. Pin defaults come before the records of older editors.
func (n *node) readSettings() {
	n.settings = map[string]any{}
	for _, key := range []string{"pinDefaults", "agentConfig", "effectConfig", "eventConfig", "providerModelsConfig"} {
		record := n.data.Get(key)
		if record == nil {
			continue
		}
		for _, p := range record.Pairs {
			name := n.inputName(p.Key)
			if _, known := n.settings[name]; known || key != "pinDefaults" && text(p.Value) == "" && p.Value.Kind == source.String {
				continue
			}
			n.settings[name] = p.Value.Plain()
		}
	}
}

func (g *graph) addEdge(v *source.Value) {
	field := func(key string) string { return strings.TrimSpace(text(v.Get(key))) }
	from, to := g.byID[field("source")], g.byID[field("target")]
	handle, target := field("sourceHandle"), field("targetHandle")
	switch {
	case handle == "" || target == "":
		g.src.Warn(v.At, "", "no-pin", "an edge without both of its pins is left out", "connect it again in the editor")
	case from == nil || to == nil:
		g.src.Warn(v.At, "", "no-node", "an edge is left out, because there is no node at one of its ends", "")
	case executes(from.outputs, handle) || executes(to.inputs, target) || target == execIn:
		g.addExecution(v, from, handle, to)
	default:
		name := to.inputName(target)
		if _, taken := to.in[name]; taken {
			g.src.Error(v.At, "", "second-edge", "two edges lead to the pin '"+target+"' of node '"+to.id+"'", "a pin has one value; remove one of them")
			return
		}
		if out, in := typeOf(from.outputs, handle), typeOf(to.inputs, name); !fits(out, in) {
			g.src.Warn(v.At, "", "pin-type", fmt.Sprintf("the %s '%s' of node '%s' leads to the %s '%s' of node '%s'", out, handle, from.id, in, target, to.id), "the value is used as it is")
		}
		to.in[name] = end{from, handle}
		from.read[handle] = true
	}
}

func executes(pins []pin, id string) bool { return slices.Contains(pins, pin{id, execution}) }

func (g *graph) addExecution(v *source.Value, from *node, handle string, to *node) {
	if other := from.next[handle]; other != nil {
		g.src.Error(v.At, "", "second-edge", "two execution edges begin at '"+handle+"' of node '"+from.id+"'", "use a sequence or a parallel node")
		return
	}
	from.next[handle] = to
	to.arrivals = append(to.arrivals, arrival{route: from.id + "::" + handle, from: from, handle: handle})
}

// readRoutes reads by which route a node is reached, and which pins have another value there.
func (g *graph) readRoutes(n *node) {
	if routes := n.data.Get("entryRoutes"); routes != nil {
		for _, r := range routes.Items {
			from := cmp.Or(text(r.Get("sourceNodeId")), text(r.Get("source")))
			handle := cmp.Or(text(r.Get("sourceHandle")), execOut)
			for i, a := range n.arrivals {
				if a.from.id == from && a.handle == handle {
					n.arrivals[i].route = cmp.Or(text(r.Get("key")), a.route)
				}
			}
		}
	}
	overrides := n.data.Get("inputRouteOverrides")
	if overrides == nil {
		return
	}
	n.overrides = map[string]map[string]end{}
	for _, p := range overrides.Pairs {
		for _, r := range p.Value.Pairs {
			from := g.byID[cmp.Or(text(r.Value.Get("sourceNodeId")), text(r.Value.Get("source")))]
			handle := cmp.Or(text(r.Value.Get("sourceHandle")), text(r.Value.Get("handle")))
			known := slices.ContainsFunc(n.arrivals, func(a arrival) bool { return a.route == r.Key })
			if from == nil || handle == "" || !known {
				g.src.Error(r.At, "", "no-route", "the pin '"+p.Key+"' of node '"+n.id+"' has a value for a route that does not exist: "+r.Key, "connect it again in the editor")
				continue
			}
			name := n.inputName(p.Key)
			if n.overrides[name] == nil {
				n.overrides[name] = map[string]end{}
			}
			n.overrides[name][r.Key] = end{from, handle}
			from.read[handle] = true
		}
	}
}

// acts reports whether the node is executed: it has an execution pin, or is of a type that always has one.
func (n *node) acts() bool {
	isExecution := func(p pin) bool { return p.kind == execution }
	if len(n.inputs)+len(n.outputs) > 0 {
		if slices.ContainsFunc(n.inputs, isExecution) || slices.ContainsFunc(n.outputs, isExecution) {
			return true
		}
	}
	return n.record.act != nil && n.record.pure == nil || len(n.arrivals)+len(n.next) > 0
}

// findEntry finds where a run begins: at the entry node, else at the first executed node that nothing leads to, else at the first one.
func (g *graph) findEntry() {
	written := g.src.Root.Get("entryNode")
	if n := g.byID[strings.TrimSpace(text(written))]; n != nil && n.acts() {
		g.entry = n
		return
	}
	for _, n := range g.nodes {
		if n.acts() && len(n.arrivals) == 0 {
			g.entry = n
			break
		}
	}
	if i := slices.IndexFunc(g.nodes, (*node).acts); g.entry == nil && i >= 0 {
		g.entry = g.nodes[i]
	}
	if g.entry != nil {
		at := g.src.Root.At
		if written != nil {
			at = written.At
		}
		g.src.Warn(at, "flow.entry", "no-entry", "the document names no node to begin at; a run begins at '"+g.entry.id+"'", "set entryNode")
	}
}

// number gives the run-time nodes their ids: those of the document where these are possible.
func (g *graph) number() {
	taken := map[string]bool{flow.End: true}
	for _, n := range g.nodes {
		n.run = unusedID(cleanID(n.id), taken)
	}
}

// cleanID writes an id without other characters than A to Z, digits, _ and -.
func cleanID(id string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, id)
	return cmp.Or(strings.Trim(clean, "-"), "node")
}
