package scope

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// Scope is what an expression of a node sees, for one token.
type Scope struct {
	rd      *Reader
	t       history.Token
	own     string // node whose output is "output"; empty before it has one
	mask    bool   // sensitive inputs and answers are dots: the text is for people
	secrets bool   // secret.NAME may be used: parameters of a tool
	pulls   *pulls // values that are made when they are read
}

// Scope gives the scope of a token.
func (rd *Reader) Scope(t history.Token) *Scope { return &Scope{rd: rd, t: t} }

// Of is the scope in which "output" is the output of a node.
func (sc *Scope) Of(node string) *Scope {
	own := *sc
	own.own = node
	return &own
}

// Masked is the scope in which sensitive inputs and fields of answers are dots.
func (sc *Scope) Masked() *Scope {
	own := *sc
	own.mask = true
	return &own
}

// Token is the one whose scope it is.
func (sc *Scope) Token() history.Token { return sc.t }

// Get finds a name: the roots first, then nodes by id, then the items that the token is inside of, then fields of the latest
// agent answer.
func (sc *Scope) Get(name string) (any, bool) {
	m := sc.rd
	switch name {
	case "event":
		m.Note(Read{What: ReadEvent})
		return m.Start().Event, true
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
		v, _ := sc.value(outputSeen(m.State, &sc.t, sc.own), sc.own).(*outputValue)
		return v.output(), true
	case "error":
		return sc.err(), true
	case "run":
		return runFields{sc}, true
	case "secret":
		return expr.Secrets{}, sc.secrets
	case "state":
		return sc.state(), true
	}
	if m.Program.Flow().Rules.Memory {
		if v, ok := sc.remembered(name); ok {
			return v, true
		}
	}
	if m.Program.Nodes[name] != nil {
		return sc.nodeValue(name), true
	}
	if m.Program.Items[name] {
		if v, ok := sc.item(name); ok {
			return v, true
		}
	}
	return sc.bare(name)
}

// value gives the output behind a fact as expressions see it; nil when there is none.
func (sc *Scope) value(seq int64, node string) any {
	sc.rd.Note(Read{What: ReadOutput, Name: node, Seq: seq})
	if seq == 0 {
		return nil
	}
	out, ok := sc.rd.Load(seq)
	if !ok {
		return nil
	}
	v := &outputValue{rd: sc.rd, seq: seq, out: out}
	if sc.mask {
		v.masked = sc.rd.Program.Masks[node]
	}
	if n := sc.rd.Program.Nodes[node]; n != nil {
		v.kind, v.asks = n.Kind, n.Question() != nil
	}
	return v
}

// nodeValue gives the value of a node: its latest output, the present round of a loop, or a value that is made now.
func (sc *Scope) nodeValue(id string) any {
	n := sc.rd.Program.Nodes[id]
	switch {
	case n == nil:
	case n.Pulled():
		return sc.pulled(n)
	case n.Repeats():
		if v := sc.roundOf(n); v != nil {
			return v
		}
	}
	return sc.value(outputSeen(sc.rd.State, &sc.t, id), id)
}

func (sc *Scope) bare(name string) (any, bool) {
	sc.rd.Note(Read{What: ReadBare, Name: name})
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

// memory is the variables, with an input in the place of a variable that is not set.
type memory struct{ variables }

// Member gives a variable or an input.
func (m memory) Member(name string) any {
	v, _ := m.sc.remembered(name)
	return v
}

// remembered gives a variable, else an input, by its bare name.
func (sc *Scope) remembered(name string) (any, bool) {
	if name == "memory" {
		return memory{variables{sc}}, true
	}
	if v := (variables{sc}).Member(name); v != nil {
		return v, true
	}
	v := member(sc.inputs(), name)
	return v, v != nil
}

func (sc *Scope) inputs() any {
	inputs := sc.rd.Start().Inputs
	if sc.rd.Trial != nil {
		return trialInputs{sc.rd, sc.shown(inputs)}
	}
	return sc.shown(inputs)
}

// shown puts dots in the place of sensitive inputs when the text is for people.
func (sc *Scope) shown(inputs map[string]any) map[string]any {
	if !sc.mask {
		return inputs
	}
	return masked(inputs, sc.rd.Program.Sensitive)
}

// masked is a copy of values with dots in the place of some of them.
func masked(values map[string]any, names map[string]bool) map[string]any {
	if len(names) == 0 {
		return values
	}
	masked := maps.Clone(values)
	for name := range masked {
		if names[name] {
			masked[name] = compile.Dots
		}
	}
	return masked
}

func (sc *Scope) err() any {
	e := sc.t.Error
	if e == nil {
		return nil
	}
	return map[string]any{"node": e.Node, "type": e.Type, "message": e.Message}
}

// nodes, approvals and vars are read member by member, so that only what is named is looked up.
type (
	nodes     struct{ sc *Scope }
	approvals struct{ sc *Scope }
	variables struct{ sc *Scope }
)

// Member gives the output of a node.
func (n nodes) Member(id string) any { return n.sc.nodeValue(id) }

// Member gives the answer at a gate node.
func (a approvals) Member(id string) any {
	a.sc.rd.Note(Read{What: ReadAnswer, Name: id})
	v, ok := ApprovalSeen(a.sc.rd.State, &a.sc.t, id)
	if !ok {
		return nil
	}
	if a.sc.mask {
		v.Form = masked(v.Form, a.sc.rd.Program.Masks[id])
	}
	return approvalValue{v, a.sc.rd, id}
}

// Member gives one variable.
func (v variables) Member(name string) any {
	v.sc.rd.Note(Read{What: ReadVariable, Name: name})
	value, seq := variableSeen(v.sc.rd.State, &v.sc.t, name)
	if seq != 0 {
		return v.sc.rd.largeVar(seq, name)
	}
	return value
}

// Plain gives all variables.
func (v variables) Plain() any {
	v.sc.rd.Note(Read{What: ReadVariable})
	all := variablesSeen(v.sc.rd.State, &v.sc.t)
	for name, seq := range all.Large {
		all.Values[name] = v.sc.rd.largeVar(seq, name)
	}
	return all.Values
}

// approvalValue reads as its choice, and has the note and the form's fields as members.
type approvalValue struct {
	history.Approval
	rd   *Reader
	node string
}

// Plain is the choice.
func (a approvalValue) Plain() any { return a.Choice }

// Member gives a part of the answer.
func (a approvalValue) Member(key string) any {
	if key != "choice" {
		a.rd.Note(Read{What: ReadDetail, Name: a.node})
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
	rd     *Reader
	seq    int64
	out    history.Output
	kind   flow.Kind
	asks   bool            // the node asks people
	masked map[string]bool // fields that are dots
}

// data is the data of the output, with dots in the place of what people may not see.
func (v *outputValue) data() any {
	data := v.decoded()
	if fields, ok := data.(map[string]any); ok {
		return masked(fields, v.masked)
	}
	return data
}

// decoded is the data as it is stored, decoded once in a decision, however often it is read.
func (v *outputValue) decoded() any {
	if len(v.out.Data) == 0 {
		return nil
	}
	data, ok := v.rd.Decoded[v.seq]
	if !ok {
		data = history.Decode(v.out.Data)
		history.Put(&v.rd.Decoded, v.seq, data)
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
	case isObject && v.out.Text != "" && v.asks:
		return replyValue{v.out.Text, fields}
	}
	return data
}

// Member gives a part of the output.
func (v *outputValue) Member(key string) any {
	if v.kind == flow.KindApproval && key != "output" && key != "text" && key != "choice" {
		v.rd.Note(Read{What: ReadDetail, Seq: v.seq})
	}
	switch key {
	case "outcome":
		if v.kind == flow.KindSubflow {
			return string(cmp.Or(v.out.Outcome, history.OutcomeDone))
		}
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
		return history.Decode([]byte(expr.JSON(callList(v.out.Calls))))
	case "success":
		return true
	case "meta":
		return v.out.Meta
	}
	return nil
}

func callList(calls []history.ToolCall) []any {
	list := []any{}
	for _, c := range calls {
		item := map[string]any{"id": c.ID, "name": c.Name, "arguments": c.Arguments}
		if arguments, ok := history.Decode([]byte(c.Arguments)).(map[string]any); ok {
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

// Plain is the text.
func (r replyValue) Plain() any { return r.text }

// Member gives a field.
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

// AllowSecrets lets secret.NAME be used: in parameters of a tool.
func (sc *Scope) AllowSecrets() { sc.secrets = true }

// Seen collects the values behind a condition for "why this branch": small, and without sensitive inputs.
type Seen map[string]any

const (
	seenMost = 16  // values
	seenSize = 120 // characters of one
)

// Add notes the values that an expression reads.
func (s Seen) Add(sc *Scope, e *expr.Expr) {
	if e == nil {
		return
	}
	masked := *sc
	masked.mask, masked.secrets = true, false
	defer func(unknown bool) { sc.rd.Unknown = unknown }(sc.rd.Unknown) // values that are read only to be shown do not make the decision unknown
	for _, path := range e.Reads() {
		if len(s) >= seenMost || path[0] == "secret" {
			continue
		}
		v, _ := masked.Get(path[0])
		for _, key := range path[1:] {
			v = member(v, key)
		}
		s[strings.Join(path, ".")] = Short(v)
	}
}

// Short gives a value as it is kept for "why this branch".
func Short(v any) any {
	switch x := v.(type) {
	case expr.Plainer:
		return Short(x.Plain())
	case map[string]any:
		return fmt.Sprintf("an object with %d fields", len(x))
	case []any:
		return fmt.Sprintf("a list of %d", len(x))
	case string:
		if len(x) > seenSize {
			r := []rune(x[:min(len(x), utf8.UTFMax*seenSize)])
			return history.Normal(string(r[:min(len(r), seenSize)]) + "…")
		}
	}
	return history.Normal(v)
}
