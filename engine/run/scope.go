package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

const dots = "•••"

// scope is what an expression of a node sees, for one token.
type scope struct {
	m       *machine
	t       Token
	own     string // node whose output is "output"; empty before it has one
	mask    bool   // sensitive inputs are dots: the text is for people
	secrets bool   // secret.NAME may be used: parameters of a tool
	pulls   *pulls // values made on the way
}

// Get finds a name: the roots first, then nodes by id, then the items that the token is inside of, then fields of the latest
// agent answer.
func (sc *scope) Get(name string) (any, bool) {
	m := sc.m
	switch name {
	case "event":
		m.read(Read{What: ReadEvent})
		return m.start().Event, true
	case "inputs", "input":
		return sc.inputs(), true
	case "vars":
		return variables{sc}, true
	case "nodes":
		return nodes{sc}, true
	case "approvals":
		return approvals{sc}, true
	case "previous":
		return sc.value(sc.t.Prev, sc.t.PrevNode), true
	case "output":
		if sc.own == "" {
			return nil, true
		}
		v, _ := sc.value(m.s.output(&sc.t, sc.own), sc.own).(*outputValue)
		return v.output(), true
	case "error":
		return sc.err(), true
	case "run":
		return m.runValue(), true
	case "secret":
		return expr.Secrets{}, sc.secrets
	case "state":
		return sc.state(), true
	}
	if m.p.nodes[name] != nil {
		return sc.nodeValue(name), true
	}
	if m.p.items[name] {
		if v, ok := sc.item(name); ok {
			return v, true
		}
	}
	return sc.bare(name)
}

// value gives the output behind a fact as expressions see it; nil when there is none.
func (sc *scope) value(seq int64, node string) any {
	sc.m.read(Read{What: ReadOutput, Name: node, Seq: seq})
	if seq == 0 {
		return nil
	}
	out, ok := sc.m.load(seq)
	if !ok {
		return nil
	}
	v := &outputValue{m: sc.m, seq: seq, out: out}
	if n := sc.m.p.nodes[node]; n != nil {
		v.kind = n.Kind
	}
	return v
}

// nodeValue gives what a node gave: its latest output, the present round of a loop, or a value that is made now.
func (sc *scope) nodeValue(id string) any {
	n := sc.m.p.nodes[id]
	switch {
	case n == nil:
	case n.pulled():
		return sc.pulled(n)
	case n.repeats():
		if v := sc.roundOf(n); v != nil {
			return v
		}
	}
	return sc.value(sc.m.s.output(&sc.t, id), id)
}

func (sc *scope) bare(name string) (any, bool) {
	sc.m.read(Read{What: ReadBare, Name: name})
	v, ok := sc.value(sc.t.LastJSON, "").(*outputValue)
	if !ok {
		return nil, false
	}
	fields, ok := v.data().(map[string]any)
	if !ok {
		return nil, false
	}
	field, ok := fields[name]
	return field, ok
}

func (sc *scope) inputs() any {
	inputs := sc.m.start().Inputs
	if sc.m.c.Trial != nil {
		return triedInputs{sc.m, sc.shown(inputs)}
	}
	return sc.shown(inputs)
}

// shown puts dots in the place of sensitive inputs when the text is for people.
func (sc *scope) shown(inputs map[string]any) map[string]any {
	if !sc.mask {
		return inputs
	}
	masked := maps.Clone(inputs)
	for name := range masked {
		if sc.m.p.sensitive[name] {
			masked[name] = dots
		}
	}
	return masked
}

func (sc *scope) err() any {
	e := sc.t.Error
	if e == nil {
		return nil
	}
	return map[string]any{"node": e.Node, "type": e.Type, "message": e.Message}
}

func (m *machine) runValue() any {
	st := m.start()
	return map[string]any{
		"id": m.c.RunID, "name": st.Name, "title": st.Title, "started_by": st.By, "url": st.URL,
		"started_at": m.s.Started,
	}
}

// nodes, approvals and vars are read member by member, so that only what is named is looked up.
type (
	nodes     struct{ sc *scope }
	approvals struct{ sc *scope }
	variables struct{ sc *scope }
)

func (n nodes) Member(id string) any { return n.sc.nodeValue(id) }

func (a approvals) Member(id string) any {
	a.sc.m.read(Read{What: ReadAnswer, Name: id})
	v, ok := a.sc.m.s.approval(&a.sc.t, id)
	if !ok {
		return nil
	}
	return approvalValue{v, a.sc.m, id}
}

func (v variables) Member(name string) any {
	v.sc.m.read(Read{What: ReadVariable, Name: name})
	value, seq := v.sc.m.s.variable(&v.sc.t, name)
	if seq != 0 {
		return v.sc.m.largeVar(seq, name)
	}
	return value
}

func (v variables) Plain() any {
	v.sc.m.read(Read{What: ReadVariable})
	all := v.sc.m.s.variables(&v.sc.t)
	for name, seq := range all.large {
		all.values[name] = v.sc.m.largeVar(seq, name)
	}
	return all.values
}

// approvalValue reads as its choice, and has the note and the form's fields as members.
type approvalValue struct {
	Approval
	m    *machine
	node string
}

func (a approvalValue) Plain() any { return a.Choice }

func (a approvalValue) Member(key string) any {
	if key != "choice" {
		a.m.read(Read{What: ReadDetail, Name: a.node})
	}
	switch key {
	case "choice":
		return a.Choice
	case "by":
		return a.By
	case "at":
		return a.At
	case "note":
		if a.Note != "" {
			return a.Note
		}
	}
	return a.Form[key]
}

// outputValue is a node's output as expressions see it: <id>.output, .result, .text, .data, and the fields of its data.
type outputValue struct {
	m    *machine
	seq  int64
	out  Output
	kind flow.Kind
}

// data is decoded once in a decision, however often it is read.
func (v *outputValue) data() any {
	if len(v.out.Data) == 0 {
		return nil
	}
	data, ok := v.m.decoded[v.seq]
	if !ok {
		data = decode(v.out.Data)
		put(&v.m.decoded, v.seq, data)
	}
	return data
}

// Plain is the output as a whole.
func (v *outputValue) Plain() any { return v.output() }

func (v *outputValue) output() any {
	if v == nil {
		return nil
	}
	data := v.data()
	fields, isObject := data.(map[string]any)
	switch {
	case data == nil:
		return v.out.Text
	case v.kind == flow.KindAgent && isObject:
		text, ok := expr.DisplayText(fields)
		if !ok {
			text = expr.JSON(data)
		}
		return replyValue{text, fields}
	case isObject && v.out.Text != "" && (v.kind == flow.KindApproval || v.kind == flow.KindAsk):
		return replyValue{v.out.Text, fields}
	}
	return data
}

func (v *outputValue) Member(key string) any {
	if v.kind == flow.KindApproval && key != "output" && key != "text" && key != "choice" {
		v.m.read(Read{What: ReadDetail, Seq: v.seq})
	}
	switch key {
	case "output":
		return v.output()
	case "data":
		return v.data()
	case "result":
		if data := v.data(); data != nil {
			return data
		}
		return v.out.Text
	case "text":
		if v.out.Text != "" {
			return v.out.Text
		}
	}
	if field := member(v.data(), key); field != nil || v.kind != flow.KindLLM && v.kind != flow.KindAgent {
		return field
	}
	return v.pin(key)
}

// pin is a part of a model's answer that other formats name.
func (v *outputValue) pin(key string) any {
	switch key {
	case "response":
		return v.out.Text
	case "tool_calls":
		return decode([]byte(expr.JSON(callList(v.out.Calls))))
	case "success":
		return true
	case "meta":
		return v.out.Meta
	}
	return nil
}

func callList(calls []ToolCall) []any {
	list := []any{}
	for _, c := range calls {
		item := map[string]any{"id": c.ID, "name": c.Name, "arguments": c.Arguments}
		if arguments, ok := decode([]byte(c.Arguments)).(map[string]any); ok {
			item["arguments"] = arguments
		}
		list = append(list, item)
	}
	return list
}

// replyValue is an answer that reads as a text and has members.
type replyValue struct {
	text   string
	fields map[string]any
}

func (r replyValue) Plain() any            { return r.text }
func (r replyValue) Member(key string) any { return r.fields[key] }

// member is member access as expressions do it.
func member(v any, key string) any {
	switch x := v.(type) {
	case expr.Getter:
		return x.Member(key)
	case expr.Plainer:
		return member(x.Plain(), key)
	case map[string]any:
		return x[key]
	case []any:
		var i int
		if _, err := fmt.Sscanf(key, "%d", &i); err == nil && i >= 0 && i < len(x) {
			return x[i]
		}
	}
	return nil
}

// decode reads JSON without losing digits.
func decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	if _, err := d.Token(); err != io.EOF {
		return nil
	}
	return v
}

// normal gives a value as it will be when it comes back from storage.
func normal(v any) any {
	switch x := v.(type) {
	case nil, bool, json.Number:
		return v
	case string:
		if utf8.ValidString(x) {
			return x
		}
	}
	return decode([]byte(expr.JSON(expr.Redacted(v))))
}

func normalMap(m map[string]any) map[string]any {
	if len(m) == 0 {
		return nil
	}
	n, _ := normal(m).(map[string]any)
	return n
}

// native gives numbers to tools as Go programs expect them, unless digits would be lost.
func native(v any) any {
	switch x := v.(type) {
	case expr.Plainer:
		return native(x.Plain())
	case json.Number:
		if f, err := x.Float64(); err == nil && expr.Compare("==", f, x) && expr.Text(f) == expr.Text(x) {
			return f
		}
		return x
	case int64:
		return native(json.Number(expr.Text(x)))
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			m[k] = native(e)
		}
		return m
	case []any:
		l := make([]any, len(x))
		for i, e := range x {
			l[i] = native(e)
		}
		return l
	}
	return v
}

// seen collects the values behind a condition for "why this branch": small, and without sensitive inputs.
type seen map[string]any

const (
	seenMost = 16  // values
	seenSize = 120 // characters of one
)

func (s seen) add(sc *scope, e *expr.Expr) {
	if e == nil {
		return
	}
	masked := *sc
	masked.mask, masked.secrets = true, false
	defer func(doubt bool) { sc.m.doubt = doubt }(sc.m.doubt) // what is shown has not decided
	for _, path := range e.Reads() {
		if len(s) >= seenMost || path[0] == "secret" {
			continue
		}
		v, _ := masked.Get(path[0])
		for _, key := range path[1:] {
			v = member(v, key)
		}
		s[strings.Join(path, ".")] = small(v)
	}
}

func small(v any) any {
	switch x := v.(type) {
	case expr.Plainer:
		return small(x.Plain())
	case map[string]any:
		return fmt.Sprintf("an object with %d fields", len(x))
	case []any:
		return fmt.Sprintf("a list of %d", len(x))
	case string:
		if len(x) > seenSize {
			r := []rune(x[:min(len(x), utf8.UTFMax*seenSize)])
			return normal(string(r[:min(len(r), seenSize)]) + "…")
		}
	}
	return normal(v)
}

// Title renders the flow's run.title for a start; sensitive inputs are dots. It is empty when the flow has none or when the
// title reads nothing that is there.
func (p *Program) Title(start RunStarted, at time.Time) (string, error) {
	v, err := p.title.Render(&startScope{p: p, start: &start, hide: func(any) any { return dots }}, expr.Options{Now: at})
	if err != nil {
		return "", fmt.Errorf("render run.title: %w", err)
	}
	return strings.TrimSpace(expr.Text(v)), nil
}

// Key renders the flow's run.key for a start; sensitive inputs are replaced by a fingerprint, so that equal values still meet.
func (p *Program) Key(start RunStarted, at time.Time) (string, error) {
	v, err := p.key.Render(&startScope{p: p, start: &start, hide: fingerprint}, expr.Options{Now: at})
	if err != nil {
		return "", fmt.Errorf("render run.key: %w", err)
	}
	return strings.TrimSpace(expr.Text(v)), nil
}

// startScope is what a run's title and key may read: all that is known before its first step.
type startScope struct {
	p     *Program
	start *RunStarted
	hide  func(any) any
}

// Get finds inputs, event and run.
func (s *startScope) Get(name string) (any, bool) {
	switch name {
	case "inputs", "input":
		inputs := maps.Clone(s.start.Inputs)
		for _, key := range slices.Collect(maps.Keys(inputs)) {
			if s.p.sensitive[key] {
				inputs[key] = s.hide(inputs[key])
			}
		}
		return inputs, true
	case "event":
		return s.start.Event, true
	case "run":
		return map[string]any{"name": s.start.Name, "started_by": s.start.By}, true
	}
	return nil, false
}
