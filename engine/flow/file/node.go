package file

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/naming"
)

func (p *parsing) node(v *source.Value, out *flow.Node, f field, i int, w where) {
	inside := w.in(f.key)
	inside.inner, inside.index, inside.owner = "", i+1, fmt.Sprintf("flow node %d", i+1)
	if v.Kind != source.Map {
		p.uncertain[i] = true
		p.wrongType(v, f, w, "a mapping", "")
		return
	}
	if id := v.Get("id"); id != nil && id.Kind == source.String && id.Text != "" {
		inside.owner, inside.node = "flow node '"+id.Text+"'", id.Text
	}
	out.Spec = p.kind(v, inside)
	common, own := p.nodeKeys(out.Spec)
	if out.Spec != nil {
		out.Kind = out.Spec.Kind()
		v = p.nodeAliases(v, out.Kind, inside)
	}
	var shared flow.NodeFields
	for _, pr := range v.Pairs {
		switch field, known := fieldNamed(common, pr.Key); {
		case known && pr.Key == "type":
		case known:
			p.field(pr.Value, reflect.ValueOf(&shared).Elem().Field(field.index), reflect.TypeFor[flow.NodeFields](), field, inside)
		case out.Spec == nil: // the keys of an unknown kind cannot be checked
		default:
			p.specField(pr, out.Spec, common, own, inside)
		}
	}
	p.missing(v, append(slices.Clone(common), own...), inside)
	out.ID, out.Name, out.Description = shared.ID, shared.Name, shared.Description
	out.FlowchartType, out.Routes, out.OnError = shared.FlowchartType, shared.Routes, shared.OnError
	out.Retry, out.Timeout = shared.Retry, shared.Timeout
}

// nodeKeys gives the fields that all nodes have and those of a kind.
func (p *parsing) nodeKeys(s flow.Spec) (common, own []field) {
	common = p.shape(reflect.TypeFor[flow.NodeFields]())
	if s != nil {
		own = p.shape(reflect.TypeOf(s).Elem())
	}
	return common, own
}

// kind reads the type of a node and makes the part of that kind; nil if there is none.
func (p *parsing) kind(v *source.Value, w where) flow.Spec {
	written := v.Get("type")
	if written == nil || written.Kind == source.Null {
		p.uncertain[w.index-1] = true
		return nil // missing reports it
	}
	p.places[flow.JoinPath(w.path, "type")] = written
	kinds := p.dialect.Kinds
	if kinds == nil {
		kinds = flow.Kinds()
	}
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	if written.Kind == source.String && slices.Contains(kinds, flow.Kind(written.Text)) {
		return flow.NewSpec(flow.Kind(written.Text))
	}
	p.uncertain[w.index-1] = true
	inside := w
	inside.path = flow.JoinPath(w.path, "type")
	if spec := flow.NewSpec(flow.Kind(written.Text)); written.Kind == source.String && p.dialect.Kinds == nil && flow.IsForeign(spec) {
		p.add(written.At, inside, "foreign-type", fmt.Sprintf("type '%s' is only for imported flows%s", written.Text, w.phrase()),
			"one of "+strings.Join(names, ", "))
		return nil
	}
	hint := naming.Suggest(written.Text, names)
	if hint == "" {
		hint = "one of " + strings.Join(names, ", ")
	}
	p.add(written.At, inside, "unknown-type", fmt.Sprintf("unknown type '%s'%s", written.Text, w.phrase()), hint)
	return nil
}

func (p *parsing) specField(pr source.Pair, s flow.Spec, common, own []field, w where) {
	f, ok := fieldNamed(own, pr.Key)
	if ok {
		t := reflect.ValueOf(s).Elem()
		p.field(pr.Value, t.Field(f.index), t.Type(), f, w)
		return
	}
	var others []string
	for _, k := range flow.AllKinds() {
		if k.Foreign {
			continue
		}
		if _, has := fieldNamed(p.shape(reflect.TypeOf(k.New()).Elem()), pr.Key); has && p.dialect.has(k.Kind) {
			others = append(others, string(k.Kind))
		}
	}
	if len(others) == 0 {
		p.unknownKey(pr, keysOf(append(slices.Clone(common), own...)), w)
		return
	}
	p.uncertainEdges(pr.Value, nil, w)
	inside := w
	inside.path = flow.JoinPath(w.path, pr.Key)
	hint := "remove it, or change the type"
	if near := naming.Nearest(pr.Key, keysOf(own)); len(near) > 0 {
		hint = naming.DidYouMean(near)
	}
	p.add(pr.At, inside, "key-of-another-kind",
		fmt.Sprintf("key '%s' belongs to %s nodes, not to the %s node '%s'", pr.Key, naming.List(others, "and"), s.Kind(), w.node), hint)
}

// nodeAliases rewrites the spellings of published flow files: params for an agent's input, params.output for a
// terminal's output.
func (p *parsing) nodeAliases(v *source.Value, k flow.Kind, w where) *source.Value {
	params := v.Get("params")
	alias := k == flow.KindAgent || k == flow.KindTerminal
	switch {
	case params == nil, params.Kind == source.Null && !alias:
		return v
	case params.Kind == source.Null, params.Kind == source.Map && len(params.Pairs) == 0 && alias:
		return v.Without("params")
	}
	switch k {
	case flow.KindAgent:
		if v.Get("input") != nil {
			return v // params is then reported as a key of tool nodes
		}
		return v.Renamed("params", "input")
	case flow.KindTerminal:
		output := params.Get("output")
		if params.Kind != source.Map || output == nil || v.Get("output") != nil {
			return v
		}
		for _, pr := range params.Pairs {
			if pr.Key != "output" {
				p.unknownKey(pr, []string{"output"}, w.in("params"))
			}
		}
		out := v.Renamed("params", "output")
		for i := range out.Pairs {
			if out.Pairs[i].Key == "output" {
				out.Pairs[i].Value = output
			}
		}
		return out
	default:
		return v
	}
}

// routeAliases rewrites "default: true" to a route without a condition, and a branch that is only a name.
func (p *parsing) routeAliases(v *source.Value, f field, w where) *source.Value {
	branch := strings.HasPrefix(f.key, "branches")
	if branch && v.Kind == source.String {
		return &source.Value{Kind: source.Map, At: v.At, Pairs: []source.Pair{{Key: "to", At: v.At, Value: v}}}
	}
	if v.Kind != source.Map {
		return v
	}
	when := v.Get("when")
	if when != nil && when.Kind == source.Null {
		when = nil
	}
	if flag := v.Get("default"); flag != nil && flag.Kind == source.Bool {
		if flag.Data.(bool) && when != nil && when.Text != "default" {
			p.add(flag.At, w, "default-with-when", "a route with default: true cannot have a 'when'"+w.phrase(), "remove one of them")
		}
		v = v.Without("default")
	}
	if branch && when != nil {
		if when.Text != "default" {
			p.report(when.At, flow.SeverityWarning, w, "branch-condition", "a branch always starts; its 'when' is not looked at"+w.phrase(),
				"put a decision at the head of the branch")
		}
		v = v.Without("when")
	}
	return v
}

// joinAliases rewrites the key min to count.
func (p *parsing) joinAliases(v *source.Value, w where) *source.Value {
	if v.Kind != source.Map || v.Get("min") == nil {
		return v
	}
	if v.Get("count") != nil {
		p.add(v.Get("min").At, w, "min-with-count", "'min' and 'count' say the same"+w.phrase(), "keep count")
		return v.Without("min")
	}
	out := v.Renamed("min", "count")
	if out.Get("type") == nil {
		out.Pairs = append(out.Pairs, source.Pair{Key: "type", At: v.At, Value: &source.Value{Kind: source.String, At: v.At, Text: "count"}})
	}
	return out
}
