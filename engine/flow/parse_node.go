package flow

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// nodeShape is what all kinds of nodes share, see [field].
type nodeShape struct {
	ID            string        `json:"id"`
	Type          Kind          `json:"type"`
	Name          string        `json:"name,omitempty"`
	Description   string        `json:"description,omitempty"`
	FlowchartType FlowchartType `json:"flowchart_type,omitempty"`
	Routes        []Route       `json:"routes,omitempty"`
	OnError       []ErrorRoute  `json:"on_error,omitempty"`
	Retry         *Retry        `json:"retry,omitempty"`
	Timeout       Duration      `json:"timeout,omitzero"`
}

func (p *parsing) node(v *value, out *Node, f field, i int, w where) {
	inside := w.in(f.key)
	inside.inner, inside.index, inside.owner = "", i+1, fmt.Sprintf("flow node %d", i+1)
	if v.kind != kindMap {
		p.uncertain[i] = true
		p.wrongType(v, f, w, "a mapping", "")
		return
	}
	if id := v.get("id"); id != nil && id.kind == kindString && id.text != "" {
		inside.owner, inside.node = "flow node '"+id.text+"'", id.text
	}
	out.Spec = p.kind(v, inside)
	common, own := nodeKeys(out.Spec)
	if out.Spec != nil {
		out.Kind = out.Spec.Kind()
		v = p.nodeAliases(v, out.Kind, inside)
	}
	var shared nodeShape
	for _, pr := range v.pairs {
		switch field, known := fieldNamed(common, pr.key); {
		case known && pr.key == "type":
		case known:
			p.field(pr.value, reflect.ValueOf(&shared).Elem().Field(field.index), reflect.TypeFor[nodeShape](), field, inside)
		case out.Spec == nil: // what belongs to an unknown kind cannot be judged
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
func nodeKeys(s Spec) (common, own []field) {
	common = shape(reflect.TypeFor[nodeShape]())
	if s != nil {
		own = shape(reflect.TypeOf(s).Elem())
	}
	return common, own
}

// kind reads the type of a node and makes the part of that kind; nil if there is none.
func (p *parsing) kind(v *value, w where) Spec {
	written := v.get("type")
	if written == nil || written.kind == kindNull {
		p.uncertain[w.index-1] = true
		return nil // missing reports it
	}
	p.places[join(w.path, "type")] = written
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	if written.kind == kindString {
		if s := nativeSpec(Kind(written.text)); s != nil {
			return s
		}
	}
	p.uncertain[w.index-1] = true
	inside := w
	inside.path = join(w.path, "type")
	if written.kind == kindString && newSpec(Kind(written.text)) != nil {
		p.add(written.at, inside, "foreign-type", fmt.Sprintf("type '%s' is only for imported flows%s", written.text, w.phrase()),
			"one of "+strings.Join(names, ", "))
		return nil
	}
	hint := didYouMean(nearest(written.text, names))
	if hint == "" {
		hint = "one of " + strings.Join(names, ", ")
	}
	p.add(written.at, inside, "unknown-type", fmt.Sprintf("unknown type '%s'%s", written.text, w.phrase()), hint)
	return nil
}

func (p *parsing) specField(pr pair, s Spec, common, own []field, w where) {
	f, ok := fieldNamed(own, pr.key)
	if ok {
		t := reflect.ValueOf(s).Elem()
		p.field(pr.value, t.Field(f.index), t.Type(), f, w)
		return
	}
	var others []string
	for _, k := range kinds {
		if k.foreign {
			continue
		}
		if _, has := fieldNamed(shape(reflect.TypeOf(k.make()).Elem()), pr.key); has {
			others = append(others, string(k.kind))
		}
	}
	if len(others) == 0 {
		p.unknownKey(pr, keysOf(append(slices.Clone(common), own...)), w)
		return
	}
	p.doubt(pr.value, nil, w)
	inside := w
	inside.path = join(w.path, pr.key)
	hint := "remove it, or change the type"
	if near := nearest(pr.key, keysOf(own)); len(near) > 0 {
		hint = didYouMean(near)
	}
	p.add(pr.at, inside, "key-of-another-kind",
		fmt.Sprintf("key '%s' belongs to %s nodes, not to the %s node '%s'", pr.key, wordList(others, "and"), s.Kind(), w.node), hint)
}

// nodeAliases rewrites the spellings that published S3 files use: params for an agent's input, params.output for a
// terminal's output.
func (p *parsing) nodeAliases(v *value, k Kind, w where) *value {
	params := v.get("params")
	if params == nil || params.kind == kindNull {
		return v
	}
	switch k {
	case KindAgent:
		if v.get("input") != nil {
			return v // params is then reported as a key of tool nodes
		}
		return v.renamed("params", "input")
	case KindTerminal:
		output := params.get("output")
		if params.kind != kindMap || output == nil || v.get("output") != nil {
			return v
		}
		for _, pr := range params.pairs {
			if pr.key != "output" {
				p.unknownKey(pr, []string{"output"}, w.in("params"))
			}
		}
		out := v.renamed("params", "output")
		for i := range out.pairs {
			if out.pairs[i].key == "output" {
				out.pairs[i].value = output
			}
		}
		return out
	default:
		return v
	}
}

// renamed is a copy with another name for a key.
func (v *value) renamed(from, to string) *value {
	out := *v
	out.pairs = slices.Clone(v.pairs)
	for i := range out.pairs {
		if out.pairs[i].key == from {
			out.pairs[i].key = to
		}
	}
	return &out
}

// without is a copy without a key.
func (v *value) without(key string) *value {
	out := *v
	out.pairs = slices.DeleteFunc(slices.Clone(v.pairs), func(p pair) bool { return p.key == key })
	return &out
}

// routeAliases rewrites "default: true" to a route without a condition, and a branch that is only a name.
func (p *parsing) routeAliases(v *value, f field, w where) *value {
	branch := strings.HasPrefix(f.key, "branches")
	if branch && v.kind == kindString {
		return &value{kind: kindMap, at: v.at, pairs: []pair{{"to", v.at, v}}}
	}
	if v.kind != kindMap {
		return v
	}
	when := v.get("when")
	if when != nil && when.kind == kindNull {
		when = nil
	}
	if flag := v.get("default"); flag != nil && flag.kind == kindBool {
		if flag.data.(bool) && when != nil && when.text != "default" {
			p.add(flag.at, w, "default-with-when", "a route with default: true cannot have a 'when'"+w.phrase(), "remove one of them")
		}
		v = v.without("default")
	}
	if branch && when != nil {
		if when.text != "default" {
			p.report(when.at, SeverityWarning, w, "branch-condition", "a branch always starts; its 'when' is not looked at"+w.phrase(),
				"put a decision at the head of the branch")
		}
		v = v.without("when")
	}
	return v
}

// joinAliases rewrites the key min to count.
func (p *parsing) joinAliases(v *value, w where) *value {
	if v.kind != kindMap || v.get("min") == nil {
		return v
	}
	if v.get("count") != nil {
		p.add(v.get("min").at, w, "min-with-count", "'min' and 'count' say the same"+w.phrase(), "keep count")
		return v.without("min")
	}
	out := v.renamed("min", "count")
	if out.get("type") == nil {
		out.pairs = append(out.pairs, pair{"type", v.at, &value{kind: kindString, at: v.at, text: "count"}})
	}
	return out
}
