package flow

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

func validText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// decode fills the struct that out points to from a mapping, strictly.
func (p *parsing) decode(v *value, out any, w where) {
	p.object(v, reflect.ValueOf(out).Elem(), w)
}

// object fills a struct from a mapping: unknown keys, missing keys and wrong types are reported, the rest is filled.
func (p *parsing) object(v *value, dst reflect.Value, w where) {
	fields := shape(dst.Type())
	for _, pr := range v.pairs {
		f, ok := fieldNamed(fields, pr.key)
		if !ok {
			p.unknownKey(pr, keysOf(fields), w)
			continue
		}
		p.field(pr.value, dst.Field(f.index), dst.Type(), f, w)
	}
	p.missing(v, fields, w)
}

// field fills one field of a struct.
func (p *parsing) field(v *value, dst reflect.Value, owner reflect.Type, f field, w where) {
	if v.kind == kindNull && dst.Kind() != reflect.Interface {
		return
	}
	p.places[join(w.path, f.key)] = v
	p.into(v, dst, f, rules[owner.Name()+"."+f.key], w)
}

func (p *parsing) unknownKey(pr pair, known []string, w where) {
	near := nearest(pr.key, known)
	p.doubt(pr.value, near, w)
	hint := didYouMean(near)
	if hint == "" {
		hint = "known keys: " + strings.Join(known, ", ")
	}
	inside := w
	inside.path = join(w.path, pr.key)
	p.add(pr.at, inside, "unknown-key", fmt.Sprintf("unknown key '%s'%s", pr.key, w.phrase()), hint)
}

// doubt remembers that a node's edges may hide under a key that could not be read.
func (p *parsing) doubt(v *value, near []string, w where) {
	if w.index == 0 {
		return
	}
	routing := func(k string) bool { return slices.Contains(routingKeys, k) }
	if v.kind == kindList || v.kind == kindMap || slices.ContainsFunc(near, routing) {
		p.uncertain[w.index-1] = true
	}
}

var routingKeys = []string{"routes", "on_error", "branches", "body", "to", "type"}

func (p *parsing) missing(v *value, fields []field, w where) {
	for _, f := range fields {
		if got := v.get(f.key); f.required && (got == nil || got.kind == kindNull) {
			if f.key == "name" && w.path == "" { // may come from flow.id, see name
				continue
			}
			if slices.Contains(routingKeys, f.key) && w.index > 0 {
				p.uncertain[w.index-1] = true
			}
			inside := w
			inside.path = join(w.path, f.key)
			hint := ""
			if f.doc != "" {
				hint = "add " + f.key + ": " + strings.ToLower(f.doc[:1]) + strings.TrimSuffix(f.doc[1:], ".")
			}
			p.add(v.at, inside, "missing-key", fmt.Sprintf("'%s' is missing%s", f.key, w.phrase()), hint)
		}
	}
}

// wrongType reports a value of the wrong type and marks the node's edges as doubtful.
func (p *parsing) wrongType(v *value, f field, w where, want, hint string) {
	if w.index > 0 {
		for _, k := range routingKeys {
			if f.key == k || strings.HasPrefix(w.inner, k) {
				p.uncertain[w.index-1] = true
			}
		}
	}
	inside := w
	inside.path = join(w.path, f.key)
	p.add(v.at, inside, "wrong-type", fmt.Sprintf("'%s'%s must be %s, not %s", f.key, w.phrase(), want, v.kind.words()), hint)
}

var (
	durationType = reflect.TypeFor[Duration]()
	inputsType   = reflect.TypeFor[[]Input]()
	nodeType     = reflect.TypeFor[Node]()
	freeMapType  = reflect.TypeFor[map[string]any]()
	routeType    = reflect.TypeFor[Route]()
	joinType     = reflect.TypeFor[Join]()
)

// into fills any Go value from a document's value.
func (p *parsing) into(v *value, dst reflect.Value, f field, r rule, w where) {
	switch dst.Type() {
	case durationType:
		p.duration(v, dst, f, r, w)
		return
	case inputsType:
		p.inputs(v, dst.Addr().Interface().(*[]Input), f, w)
		return
	case freeMapType:
		if v.kind != kindMap {
			p.wrongType(v, f, w, "a mapping", "")
			return
		}
		p.remember(v, join(w.path, f.key))
		dst.Set(reflect.ValueOf(v.free()))
		return
	}
	switch dst.Kind() {
	case reflect.Interface:
		p.remember(v, join(w.path, f.key))
		if got := v.free(); got != nil {
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

// remember records the places inside a free value, for templates in it.
func (p *parsing) remember(v *value, path string) {
	p.places[path] = v
	for i, it := range v.items {
		p.remember(it, fmt.Sprintf("%s[%d]", path, i))
	}
	for _, pr := range v.pairs {
		p.remember(pr.value, join(path, pr.key))
	}
}

func (p *parsing) structure(v *value, dst reflect.Value, f field, w where) {
	inside := w.in(f.key)
	switch dst.Type() {
	case routeType:
		v = p.routeAliases(v, f, inside)
	case joinType:
		v = p.joinAliases(v, inside)
	}
	if v.kind != kindMap {
		p.wrongType(v, f, w, "a mapping", "")
		return
	}
	if dst.Type() == reflect.TypeFor[graphShape]() {
		inside.inner = "flow"
	}
	p.object(v, dst, inside)
	if j, ok := dst.Addr().Interface().(*Join); ok {
		written := v.get("timeout")
		j.TimeoutSet = written != nil && written.kind != kindNull
	}
}

func (p *parsing) list(v *value, dst reflect.Value, f field, r rule, w where) {
	if v.kind != kindList {
		hint := ""
		if v.kind == kindString && len(v.text) < 40 && dst.Type().Elem().Kind() == reflect.String {
			hint = fmt.Sprintf("write %s: [%s]", f.key, v.text)
		}
		p.wrongType(v, f, w, "a list", hint)
		return
	}
	items := v.items
	if most, hint := longest(dst.Type().Elem()); len(items) > most {
		p.add(items[most].at, w.in(f.key), "too-large", fmt.Sprintf("a flow may have %d %s; this one has %d", most, f.key, len(items)), hint)
		items = items[:most]
	}
	out := reflect.MakeSlice(dst.Type(), len(items), len(items))
	for i, item := range items {
		element := f
		element.key = fmt.Sprintf("%s[%d]", f.key, i)
		p.places[join(w.path, element.key)] = item
		switch target := out.Index(i).Addr().Interface().(type) {
		case *Node:
			p.node(item, target, element, i, w)
		case *Agent:
			p.agent(item, target, element, i, w)
		default:
			p.into(item, out.Index(i), element, r, w)
		}
	}
	dst.Set(out)
}

// longest bounds the lists whose length makes checks expensive.
func longest(element reflect.Type) (most int, hint string) {
	switch element {
	case nodeType:
		return MaxNodes, "move parts into subflows"
	case reflect.TypeFor[Agent](), reflect.TypeFor[Trigger]():
		return MaxAgents, ""
	default:
		return MaxValues, ""
	}
}

// mapping fills a map of structs, such as the fields of a form.
func (p *parsing) mapping(v *value, dst reflect.Value, f field, w where) {
	if v.kind != kindMap {
		p.wrongType(v, f, w, "a mapping", "")
		return
	}
	out := reflect.MakeMap(dst.Type())
	for _, pr := range v.pairs {
		item := reflect.New(dst.Type().Elem()).Elem()
		element := f
		element.key = f.key + "." + pr.key
		p.places[join(w.path, element.key)] = pr.value
		p.into(pr.value, item, element, rule{}, w)
		out.SetMapIndex(reflect.ValueOf(pr.key), item)
	}
	dst.Set(out)
}

// inputs reads a mapping whose order counts: the order of the fields in a modal.
func (p *parsing) inputs(v *value, out *[]Input, f field, w where) {
	if v.kind != kindMap {
		p.wrongType(v, f, w, "a mapping of names", "write for example inputs: {order_id: {type: string, required: true}}")
		return
	}
	for _, pr := range v.pairs {
		in := Input{Name: pr.key}
		inside := where{path: join(w.in(f.key).path, pr.key), owner: "input '" + pr.key + "'"}
		p.places[inside.path] = &value{at: pr.at, kind: kindString, text: pr.key}
		switch pr.value.kind {
		case kindMap:
			p.decode(pr.value, &in, inside)
		case kindNull:
		default:
			p.add(pr.value.at, inside, "wrong-type", fmt.Sprintf("input '%s' must be a mapping, not %s", pr.key, pr.value.kind.words()),
				fmt.Sprintf("write %s: {type: string}", pr.key))
		}
		*out = append(*out, in)
	}
}

func (p *parsing) agent(v *value, out *Agent, f field, i int, w where) {
	inside := w.in(f.key)
	inside.owner, inside.inner = fmt.Sprintf("agent %d", i+1), ""
	if v.kind != kindMap {
		p.wrongType(v, f, w, "a mapping", "")
		return
	}
	if id := v.get("id"); id != nil && id.kind == kindString {
		inside.owner = "agent '" + id.text + "'"
	}
	p.decode(v, out, inside)
}

func (p *parsing) duration(v *value, dst reflect.Value, f field, r rule, w where) {
	var d Duration
	var err error
	switch {
	case v.kind == kindString:
		d, err = ParseDuration(v.text)
	case v.kind == kindNumber && r.seconds:
		d, err = seconds(asFloat(v.data))
	case v.kind == kindNumber:
		p.wrongType(v, f, w, "a duration", fmt.Sprintf("write a unit, such as %ss", v.text))
		return
	default:
		p.wrongType(v, f, w, "a duration", `write for example "30s", "2h" or "2 working days"`)
		return
	}
	if err != nil {
		inside := w
		inside.path = join(w.path, f.key)
		p.add(v.at, inside, "wrong-value", fmt.Sprintf("'%s'%s is '%s', which is no duration", f.key, w.phrase(), v.text),
			`write for example "30s", "15m", "2h", "90d" or "2 working days"`)
		return
	}
	dst.Set(reflect.ValueOf(d))
}

func asFloat(data any) float64 {
	switch n := data.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	default:
		return 0
	}
}

// scalar fills strings, numbers and booleans, and checks a closed list of values.
func (p *parsing) scalar(v *value, dst reflect.Value, f field, r rule, w where) {
	switch dst.Kind() {
	case reflect.String:
		p.text(v, dst, f, r, w)
	case reflect.Bool:
		if v.kind != kindBool {
			p.wrongType(v, f, w, "true or false", "")
			return
		}
		dst.SetBool(v.data.(bool))
	case reflect.Int:
		n := asFloat(v.data)
		if v.kind != kindNumber || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
			p.wrongNumber(v, f, w, "a whole number")
			return
		}
		dst.SetInt(int64(n))
	case reflect.Float64:
		if v.kind != kindNumber {
			p.wrongNumber(v, f, w, "a number")
			return
		}
		dst.SetFloat(asFloat(v.data))
	}
}

func (p *parsing) wrongNumber(v *value, f field, w where, want string) {
	if v.kind == kindNumber {
		inside := w
		inside.path = join(w.path, f.key)
		p.add(v.at, inside, "wrong-type", fmt.Sprintf("'%s'%s must be %s, not %s", f.key, w.phrase(), want, v.text), "")
		return
	}
	hint := ""
	if v.kind == kindString && strings.Trim(v.text, "0123456789.") == "" && v.text != "" {
		hint = "write " + v.text + " without quotes"
	}
	p.wrongType(v, f, w, want, hint)
}

func (p *parsing) text(v *value, dst reflect.Value, f field, r rule, w where) {
	switch {
	case v.kind == kindString:
	case r.scalar && (v.kind == kindBool || v.kind == kindNumber):
	default:
		hint := ""
		if v.kind == kindBool || v.kind == kindNumber {
			hint = fmt.Sprintf("write %q, in quotes", v.text)
		}
		p.wrongType(v, f, w, "a string", hint)
		return
	}
	if len(f.enum) > 0 && !slices.Contains(f.enum, v.text) {
		inside := w
		inside.path = join(w.path, f.key)
		p.add(v.at, inside, "wrong-value", fmt.Sprintf("'%s'%s must be one of %s, not '%s'", f.key, w.phrase(), strings.Join(f.enum, ", "), v.text),
			didYouMean(nearest(v.text, f.enum)))
		return
	}
	dst.SetString(v.text)
}
