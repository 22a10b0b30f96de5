package file

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/naming"
)

func validText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// decode fills the struct that out points to from a mapping, strictly.
func (p *parsing) decode(v *source.Value, out any, w where) {
	p.object(v, reflect.ValueOf(out).Elem(), w)
}

// object fills a struct from a mapping: unknown keys, missing keys and wrong types are reported, the rest is filled.
func (p *parsing) object(v *source.Value, dst reflect.Value, w where) {
	fields := p.shape(dst.Type())
	for _, pr := range v.Pairs {
		f, ok := fieldNamed(fields, pr.Key)
		if !ok {
			p.unknownKey(pr, keysOf(fields), w)
			continue
		}
		p.field(pr.Value, dst.Field(f.index), dst.Type(), f, w)
	}
	p.missing(v, fields, w)
}

// field fills one field of a struct.
func (p *parsing) field(v *source.Value, dst reflect.Value, owner reflect.Type, f field, w where) {
	if v.Kind == source.Null && dst.Kind() != reflect.Interface {
		return
	}
	p.places[flow.JoinPath(w.path, f.key)] = v
	p.into(v, dst, f, rules[owner.Name()+"."+f.key], w)
}

func (p *parsing) unknownKey(pr source.Pair, known []string, w where) {
	near := naming.Nearest(pr.Key, known)
	p.uncertainEdges(pr.Value, near, w)
	hint := naming.DidYouMean(near)
	if hint == "" {
		hint = "known keys: " + strings.Join(known, ", ")
	}
	inside := w
	inside.path = flow.JoinPath(w.path, pr.Key)
	p.add(pr.At, inside, "unknown-key", fmt.Sprintf("unknown key '%s'%s", pr.Key, w.phrase()), hint)
}

// uncertainEdges remembers that a node's edges may hide under a key that could not be read.
func (p *parsing) uncertainEdges(v *source.Value, near []string, w where) {
	if w.index == 0 {
		return
	}
	routing := func(k string) bool { return slices.Contains(routingKeys, k) }
	if v.Kind == source.List || v.Kind == source.Map || slices.ContainsFunc(near, routing) {
		p.uncertain[w.index-1] = true
	}
}

var routingKeys = []string{"routes", "on_error", "branches", "body", "to", "type"}

func (p *parsing) missing(v *source.Value, fields []field, w where) {
	for _, f := range fields {
		if got := v.Get(f.key); f.required && (got == nil || got.Kind == source.Null) {
			if f.key == "name" && w.path == "" { // may come from flow.id, see name
				continue
			}
			if slices.Contains(routingKeys, f.key) && w.index > 0 {
				p.uncertain[w.index-1] = true
			}
			inside := w
			inside.path = flow.JoinPath(w.path, f.key)
			hint := ""
			if f.doc != "" {
				hint = "add " + f.key + ": " + strings.ToLower(f.doc[:1]) + strings.TrimSuffix(f.doc[1:], ".")
			}
			p.add(v.At, inside, "missing-key", fmt.Sprintf("'%s' is missing%s", f.key, w.phrase()), hint)
		}
	}
}

// wrongType reports a value of the wrong type and marks the node's edges as uncertain.
func (p *parsing) wrongType(v *source.Value, f field, w where, want, hint string) {
	if w.index > 0 {
		for _, k := range routingKeys {
			if f.key == k || strings.HasPrefix(w.inner, k) {
				p.uncertain[w.index-1] = true
			}
		}
	}
	inside := w
	inside.path = flow.JoinPath(w.path, f.key)
	p.add(v.At, inside, "wrong-type", fmt.Sprintf("'%s'%s must be %s, not %s", f.key, w.phrase(), want, v.Kind.Words()), hint)
}

var (
	durationType = reflect.TypeFor[flow.Duration]()
	inputsType   = reflect.TypeFor[[]flow.Input]()
	nodeType     = reflect.TypeFor[flow.Node]()
	freeMapType  = reflect.TypeFor[map[string]any]()
	routeType    = reflect.TypeFor[flow.Route]()
	joinType     = reflect.TypeFor[flow.Join]()
)

// into fills any Go value from a document's value.
func (p *parsing) into(v *source.Value, dst reflect.Value, f field, r rule, w where) {
	switch dst.Type() {
	case durationType:
		p.duration(v, dst, f, r, w)
		return
	case inputsType:
		p.inputs(v, dst.Addr().Interface().(*[]flow.Input), f, w)
		return
	case freeMapType:
		if v.Kind != source.Map {
			p.wrongType(v, f, w, "a mapping", "")
			return
		}
		p.remember(v, flow.JoinPath(w.path, f.key))
		dst.Set(reflect.ValueOf(v.Plain()))
		return
	}
	switch dst.Kind() {
	case reflect.Interface:
		p.remember(v, flow.JoinPath(w.path, f.key))
		if got := v.Plain(); got != nil {
			dst.Set(reflect.ValueOf(got))
		}
	case reflect.Pointer:
		fresh := reflect.New(dst.Type().Elem())
		p.into(v, fresh.Elem(), f, r, w)
		dst.Set(fresh)
	case reflect.Struct:
		p.structure(v, dst, f, w)
	case reflect.Slice:
		p.list(v, dst, f, r, w)
	case reflect.Map:
		p.mapping(v, dst, f, w)
	default:
		p.scalar(v, dst, f, r, w)
	}
}

// remember records the places of the templates inside a free value.
func (p *parsing) remember(v *source.Value, path string) {
	p.places[path] = v
	for i, it := range v.Items {
		p.remember(it, fmt.Sprintf("%s[%d]", path, i))
	}
	for _, pr := range v.Pairs {
		p.remember(pr.Value, flow.JoinPath(path, pr.Key))
	}
}

func (p *parsing) structure(v *source.Value, dst reflect.Value, f field, w where) {
	inside := w.in(f.key)
	switch dst.Type() {
	case routeType:
		v = p.routeAliases(v, f, inside)
	case joinType:
		v = p.joinAliases(v, inside)
	}
	if v.Kind != source.Map {
		p.wrongType(v, f, w, "a mapping", "")
		return
	}
	if dst.Type() == reflect.TypeFor[graphShape]() {
		inside.inner = "flow"
	}
	p.object(v, dst, inside)
	if j, ok := dst.Addr().Interface().(*flow.Join); ok {
		written := v.Get("timeout")
		j.TimeoutSet = written != nil && written.Kind != source.Null
	}
}

func (p *parsing) list(v *source.Value, dst reflect.Value, f field, r rule, w where) {
	if v.Kind != source.List {
		hint := ""
		if v.Kind == source.String && len(v.Text) < 40 && dst.Type().Elem().Kind() == reflect.String {
			hint = fmt.Sprintf("write %s: [%s]", f.key, v.Text)
		}
		p.wrongType(v, f, w, "a list", hint)
		return
	}
	items := v.Items
	if most, hint := longest(dst.Type().Elem()); len(items) > most {
		p.add(items[most].At, w.in(f.key), "too-large", fmt.Sprintf("a flow may have %d %s; this one has %d", most, f.key, len(items)), hint)
		items = items[:most]
	}
	out := reflect.MakeSlice(dst.Type(), len(items), len(items))
	for i, item := range items {
		element := f
		element.key = fmt.Sprintf("%s[%d]", f.key, i)
		p.places[flow.JoinPath(w.path, element.key)] = item
		switch target := out.Index(i).Addr().Interface().(type) {
		case *flow.Node:
			p.node(item, target, element, i, w)
		case *flow.Agent:
			p.agent(item, target, element, i, w)
		default:
			p.into(item, out.Index(i), element, r, w)
		}
	}
	dst.Set(out)
}

// longest limits the length of lists whose checks are expensive.
func longest(element reflect.Type) (most int, hint string) {
	switch element {
	case nodeType:
		return flow.MaxNodes, "move parts into subflows"
	case reflect.TypeFor[flow.Agent](), reflect.TypeFor[flow.Trigger]():
		return flow.MaxAgents, ""
	default:
		return flow.MaxValues, ""
	}
}

// mapping fills a map of structs, such as the fields of a form, which come in the order of the file.
func (p *parsing) mapping(v *source.Value, dst reflect.Value, f field, w where) {
	if v.Kind != source.Map {
		p.wrongType(v, f, w, "a mapping", "")
		return
	}
	out := reflect.MakeMap(dst.Type())
	for i, pr := range v.Pairs {
		item := reflect.New(dst.Type().Elem()).Elem()
		element := f
		element.key = f.key + "." + pr.Key
		p.places[flow.JoinPath(w.path, element.key)] = pr.Value
		p.into(pr.Value, item, element, rule{}, w)
		if field, ok := item.Addr().Interface().(*flow.FormField); ok {
			field.Order = i + 1
		}
		out.SetMapIndex(reflect.ValueOf(pr.Key), item)
	}
	dst.Set(out)
}

// inputs reads a mapping whose order counts: the order of the fields in a modal.
func (p *parsing) inputs(v *source.Value, out *[]flow.Input, f field, w where) {
	if v.Kind != source.Map {
		p.wrongType(v, f, w, "a mapping of names", "write for example inputs: {order_id: {type: string, required: true}}")
		return
	}
	for _, pr := range v.Pairs {
		in := flow.Input{Name: pr.Key}
		inside := where{path: flow.JoinPath(w.in(f.key).path, pr.Key), owner: "input '" + pr.Key + "'"}
		p.places[inside.path] = &source.Value{At: pr.At, Kind: source.String, Text: pr.Key}
		switch pr.Value.Kind {
		case source.Map:
			p.decode(pr.Value, &in, inside)
		case source.Null:
		default:
			p.add(pr.Value.At, inside, "wrong-type", fmt.Sprintf("input '%s' must be a mapping, not %s", pr.Key, pr.Value.Kind.Words()),
				fmt.Sprintf("write %s: {type: string}", pr.Key))
		}
		*out = append(*out, in)
	}
}

func (p *parsing) agent(v *source.Value, out *flow.Agent, f field, i int, w where) {
	inside := w.in(f.key)
	inside.owner, inside.inner = fmt.Sprintf("agent %d", i+1), ""
	if v.Kind != source.Map {
		p.wrongType(v, f, w, "a mapping", "")
		return
	}
	if id := v.Get("id"); id != nil && id.Kind == source.String {
		inside.owner = "agent '" + id.Text + "'"
	}
	p.decode(v, out, inside)
}

func (p *parsing) duration(v *source.Value, dst reflect.Value, f field, r rule, w where) {
	var d flow.Duration
	var err error
	switch {
	case v.Kind == source.String:
		d, err = flow.ParseDuration(v.Text)
	case v.Kind == source.Number && r.seconds:
		d, err = flow.Seconds(v.Float())
	case v.Kind == source.Number:
		p.wrongType(v, f, w, "a duration", fmt.Sprintf("write a unit, such as %ss", v.Text))
		return
	default:
		p.wrongType(v, f, w, "a duration", `write for example "30s", "2h" or "2 working days"`)
		return
	}
	if err != nil {
		inside := w
		inside.path = flow.JoinPath(w.path, f.key)
		p.add(v.At, inside, "wrong-value", fmt.Sprintf("'%s'%s is '%s', which is no duration", f.key, w.phrase(), v.Text),
			`write for example "30s", "15m", "2h", "90d" or "2 working days"`)
		return
	}
	dst.Set(reflect.ValueOf(d))
}

// scalar fills strings, numbers and booleans, and checks a closed list of values.
func (p *parsing) scalar(v *source.Value, dst reflect.Value, f field, r rule, w where) {
	switch dst.Kind() {
	case reflect.String:
		p.text(v, dst, f, r, w)
	case reflect.Bool:
		if v.Kind != source.Bool {
			p.wrongType(v, f, w, "true or false", "")
			return
		}
		dst.SetBool(v.Data.(bool))
	case reflect.Int:
		n := v.Float()
		if v.Kind != source.Number || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
			p.wrongNumber(v, f, w, "a whole number")
			return
		}
		dst.SetInt(int64(n))
	case reflect.Float64:
		if v.Kind != source.Number {
			p.wrongNumber(v, f, w, "a number")
			return
		}
		dst.SetFloat(v.Float())
	}
}

func (p *parsing) wrongNumber(v *source.Value, f field, w where, want string) {
	if v.Kind == source.Number {
		inside := w
		inside.path = flow.JoinPath(w.path, f.key)
		p.add(v.At, inside, "wrong-type", fmt.Sprintf("'%s'%s must be %s, not %s", f.key, w.phrase(), want, v.Text), "")
		return
	}
	hint := ""
	if v.Kind == source.String && strings.Trim(v.Text, "0123456789.") == "" && v.Text != "" {
		hint = "write " + v.Text + " without quotes"
	}
	p.wrongType(v, f, w, want, hint)
}

func (p *parsing) text(v *source.Value, dst reflect.Value, f field, r rule, w where) {
	switch {
	case v.Kind == source.String:
	case r.scalar && (v.Kind == source.Bool || v.Kind == source.Number):
	default:
		hint := ""
		if v.Kind == source.Bool || v.Kind == source.Number {
			hint = fmt.Sprintf("write %q, in quotes", v.Text)
		}
		p.wrongType(v, f, w, "a string", hint)
		return
	}
	if len(f.enum) > 0 && !slices.Contains(f.enum, v.Text) {
		inside := w
		inside.path = flow.JoinPath(w.path, f.key)
		p.add(v.At, inside, "wrong-value", fmt.Sprintf("'%s'%s must be one of %s, not '%s'", f.key, w.phrase(), strings.Join(f.enum, ", "), v.Text),
			naming.Suggest(v.Text, f.enum))
		return
	}
	dst.SetString(v.Text)
}
