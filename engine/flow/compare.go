package flow

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Difference is what changed between two flows.
type Difference struct {
	Added   []string `json:"added,omitempty"`   // ids of nodes of the new flow, in its order
	Removed []string `json:"removed,omitempty"` // ids of nodes of the old flow, in its order
	Changed []string `json:"changed,omitempty"` // ids of nodes in both whose own part changed; edges are counted apart
	// AddedEdges are edge ids of the new flow, RemovedEdges of the old one. An edge is the same if it has the same
	// ends, kind, condition and label; its id, which is a position, may differ.
	AddedEdges   []string `json:"added_edges,omitempty"`
	RemovedEdges []string `json:"removed_edges,omitempty"`
	Words        []string `json:"words,omitempty"` // every change in a sentence, in the order of the new flow
}

// Empty reports whether nothing changed.
func (d Difference) Empty() bool {
	return len(d.Words) == 0 && len(d.AddedEdges) == 0 && len(d.RemovedEdges) == 0
}

// Compare lists what changed from old to now. Nodes are the same if they have the same id.
func Compare(old, now *Flow) Difference {
	old, now = old.Clone(), now.Clone()
	fillDefaults(old)
	fillDefaults(now)
	var d Difference
	d.header(old, now)
	for i := range now.Nodes {
		n := &now.Nodes[i]
		was := old.Node(n.ID)
		if was == nil {
			d.Added = append(d.Added, n.ID)
			d.say("'%s' is new: %s", n.ID, kindWords(n))
			continue
		}
		if changes := fieldChanges(ownTree(was), ownTree(n)); len(changes) > 0 {
			d.Changed = append(d.Changed, n.ID)
			for _, c := range changes {
				d.say("'%s': %s", n.ID, c)
			}
		}
	}
	for i := range old.Nodes {
		if id := old.Nodes[i].ID; now.Node(id) == nil {
			d.Removed = append(d.Removed, id)
			d.say("'%s' is gone", id)
		}
	}
	d.edges(old, now)
	return d
}

func (d *Difference) say(format string, args ...any) {
	d.Words = append(d.Words, fmt.Sprintf(format, args...))
}

// header compares everything but the nodes.
func (d *Difference) header(old, now *Flow) {
	was, is := fileTree(old), fileTree(now)
	for _, c := range fieldChanges(was.without("flow", "inputs"), is.without("flow", "inputs")) {
		d.say("%s", c)
	}
	for _, c := range fieldChanges(structTree(reflect.ValueOf(old.Rules)), structTree(reflect.ValueOf(now.Rules))) {
		d.say("%s", c)
	}
	for _, in := range now.Inputs {
		before := slices.IndexFunc(old.Inputs, func(o Input) bool { return o.Name == in.Name })
		if before < 0 {
			d.say("input '%s' is new", in.Name)
		} else if len(fieldChanges(structTree(reflect.ValueOf(old.Inputs[before])), structTree(reflect.ValueOf(in)))) > 0 {
			d.say("input '%s' changed", in.Name)
		}
	}
	for _, in := range old.Inputs {
		if !slices.ContainsFunc(now.Inputs, func(o Input) bool { return o.Name == in.Name }) {
			d.say("input '%s' is gone", in.Name)
		}
	}
	graph := func(t *tree) *tree { g, _ := t.get("flow").(*tree); return g.without("nodes", "entry") }
	for _, c := range fieldChanges(graph(was), graph(is)) {
		d.say("%s", c)
	}
}

func (t *tree) get(key string) any {
	if i := slices.Index(t.keys, key); i >= 0 {
		return t.values[i]
	}
	return nil
}

func (t *tree) without(keys ...string) *tree {
	out := &tree{}
	for i, key := range t.keys {
		if !slices.Contains(keys, key) {
			out.set(key, t.values[i])
		}
	}
	return out
}

// ownTree is a node without its edges.
func ownTree(n *Node) *tree {
	own := nodeTree(*n).without("id", "routes", "on_error", "branches", "body")
	other := structTree(reflect.ValueOf(n.foreign()))
	own.keys, own.values = append(own.keys, other.keys...), append(own.values, other.values...)
	if n.Spec != nil {
		own.hidden(reflect.ValueOf(n.Spec).Elem())
	}
	return own
}

// hidden adds the fields that the file does not have.
func (t *tree) hidden(v reflect.Value) {
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if value := v.Field(i); rules[v.Type().Name()+"."+key].hidden && !emptyField(value) {
			t.set(key, treeValue(value))
		}
	}
}

// fieldChanges says in words which keys differ.
func fieldChanges(was, is *tree) []string {
	var out []string
	keys := slices.Clone(is.keys)
	for _, key := range was.keys {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		before, after := was.get(key), is.get(key)
		if reflect.DeepEqual(before, after) {
			continue
		}
		name := strings.ReplaceAll(key, "_", " ")
		a, b := wordsOf(before), wordsOf(after)
		switch {
		case before == nil && b != "":
			out = append(out, fmt.Sprintf("%s is now %s", name, b))
		case before == nil:
			out = append(out, name+" is new")
		case after == nil:
			out = append(out, name+" is gone")
		case a != "" && b != "":
			out = append(out, fmt.Sprintf("%s was %s, is now %s", name, a, b))
		default:
			out = append(out, name+" changed")
		}
	}
	return out
}

// wordsOf shows a value in a sentence, or "" if it is too long for one.
func wordsOf(value any) string {
	const most = 60
	var s string
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		s = "'" + value + "'"
	case []any:
		words := make([]string, len(value))
		for i, item := range value {
			if nested(item) {
				return ""
			}
			words[i] = fmt.Sprint(item)
		}
		s = strings.Join(words, ", ")
	case *tree:
		s, _ = oneLine(value)
	default:
		s = fmt.Sprint(value)
	}
	if utf8.RuneCountInString(s) > most || strings.Contains(s, "\n") {
		return ""
	}
	return s
}

func kindWords(n *Node) string {
	switch s := n.Spec.(type) {
	case *ToolSpec:
		return "calls " + s.Tool
	case *AgentSpec:
		return "agent " + s.Agent
	case *SubflowSpec:
		return "runs " + s.Flow
	default:
		return string(n.Kind)
	}
}

// edgeKey is what makes an edge the same in another flow.
type edgeKey struct {
	from, to, condition, label string
	kind                       EdgeKind
}

// edgesOf gives the ids of a flow's edges by what they are; equal edges of one node share a key.
func edgesOf(f *Flow) (map[edgeKey][]string, []edgeKey) {
	ids, order := map[edgeKey][]string{}, []edgeKey{}
	put := func(k edgeKey, id string) {
		if len(ids[k]) == 0 {
			order = append(order, k)
		}
		ids[k] = append(ids[k], id)
	}
	put(edgeKey{from: PlanStart, to: f.Entry, kind: EdgeRoute}, PlanStartEdge)
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for _, e := range n.Edges() {
			condition, label := n.condition(e)
			put(edgeKey{n.ID, e.To, condition, label, e.Kind}, e.ID)
		}
	}
	return ids, order
}

// condition gives the condition and the label of one of the node's edges.
func (n *Node) condition(e Edge) (condition, label string) {
	switch e.Kind {
	case EdgeRoute:
		return n.Routes[e.Index].condition(), n.Routes[e.Index].Label
	case EdgeError:
		r := n.OnError[e.Index]
		if r.Default {
			return "default", ""
		}
		return r.Match, ""
	case EdgeBranch:
		return "", n.branches()[e.Index].Label
	default:
		return "", ""
	}
}

// condition is what makes the route be taken, as one text.
func (r Route) condition() string {
	words := r.When
	if r.If != IfExpr {
		words = r.ConditionWords()
	}
	if r.Priority != 0 {
		words = strings.TrimSpace(fmt.Sprintf("%s (priority %d)", words, r.Priority))
	}
	return words
}

func (d *Difference) edges(old, now *Flow) {
	was, wasOrder := edgesOf(old)
	is, isOrder := edgesOf(now)
	for _, k := range isOrder {
		if extra := len(is[k]) - len(was[k]); extra > 0 {
			d.AddedEdges = append(d.AddedEdges, is[k][len(is[k])-extra:]...)
			d.say("new: %s", k.words())
		}
	}
	for _, k := range wasOrder {
		if extra := len(was[k]) - len(is[k]); extra > 0 {
			d.RemovedEdges = append(d.RemovedEdges, was[k][len(was[k])-extra:]...)
			d.say("gone: %s", k.words())
		}
	}
	// Order decides which route is tried first, so a new order of the same routes is a change too.
	for i := range now.Nodes {
		n := &now.Nodes[i]
		before := old.Node(n.ID)
		if before != nil && !slices.Equal(before.Routes, n.Routes) && sameRoutes(before.Routes, n.Routes) {
			d.say("'%s': its routes are tried in another order", n.ID)
		}
	}
}

func sameRoutes(a, b []Route) bool {
	count := map[Route]int{}
	for _, r := range a {
		count[r]++
	}
	for _, r := range b {
		count[r]--
	}
	return !slices.ContainsFunc(slices.Collect(maps.Values(count)), func(n int) bool { return n != 0 })
}

func (k edgeKey) words() string {
	from := "'" + k.from + "'"
	if k.from == PlanStart {
		from = "the start"
	}
	s := from + " leads to '" + k.to + "'"
	switch {
	case k.kind == EdgeError && k.condition == "default":
		s += " on any error"
	case k.kind == EdgeError:
		s += " on the error " + k.condition
	case k.condition != "":
		s += " when " + k.condition
	}
	return s
}
