package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// CallAsked is a call that needs a person's permission.
type CallAsked struct {
	Number  int             `json:"n,omitempty"` // of the act inside the step; 0 = the step's own
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args,omitempty"` // as they are shown and stored
	Attempt int             `json:"attempt"`
	Gen     int             `json:"gen,omitempty"`
	Digest  string          `json:"digest"`          // of the arguments that are sent, before any edit
	Edits   json.RawMessage `json:"edits,omitempty"` // arguments that people have set, see CallEdited
	Was     json.RawMessage `json:"was,omitempty"`   // what stood in the places of these, as it was shown; null = nothing
	By      string          `json:"by,omitempty"`    // who made the last edit
	On      time.Time       `json:"on,omitzero"`
}

// Edit gives all edits of a call with those that set makes, and what stood in their places.
func (c *CallAsked) Edit(set map[string]any) (edits, was json.RawMessage) {
	args, all, before := object(c.Args), object(c.Edits), object(c.Was)
	for name, v := range set {
		if _, again := all[name]; !again {
			before[name] = args[name]
		}
		all[name] = v
	}
	return json.RawMessage(expr.JSON(all)), json.RawMessage(expr.JSON(before))
}

// Take gives a call the edits of an earlier question about it, nil = there was none. What people have set holds until the step is left: for the
// same call all of it, and for a step's own call with other arguments (the run is on another revision) what was set in the place of a value
// that is still there. A call of an agent with other arguments is another call. Args are still without edits.
func (c *CallAsked) Take(from *CallAsked) {
	if from == nil || from.Number != c.Number || from.Digest != c.Digest && c.Number > 0 {
		return
	}
	args, edits, was := object(c.Args), object(from.Edits), object(from.Was)
	for name := range edits {
		if before, known := was[name]; from.Digest != c.Digest && (!known || expr.JSON(before) != expr.JSON(args[name])) {
			delete(edits, name)
			delete(was, name)
		}
	}
	if len(edits) > 0 {
		c.Edits, c.Was, c.By, c.On = json.RawMessage(expr.JSON(edits)), json.RawMessage(expr.JSON(was)), from.By, from.On
	}
}

// object reads the members of an object; none = an empty one.
func object(data json.RawMessage) map[string]any {
	if m, ok := Decode(data).(map[string]any); ok {
		return m
	}
	return map[string]any{}
}

// Permit is a person's permission for a call.
type Permit struct {
	Number  int             `json:"n,omitempty"`
	Attempt int             `json:"attempt"`
	Gen     int             `json:"gen,omitempty"`
	Digest  string          `json:"digest"`
	Edits   json.RawMessage `json:"edits,omitempty"` // the call is made with them
}

// Permit is the permission that this call needs.
func (c *CallAsked) Permit() Permit {
	return Permit{Number: c.Number, Attempt: c.Attempt, Gen: c.Gen, Digest: c.Digest, Edits: c.Edits}
}

// Covers reports whether the permission is for this call: for these arguments, in this attempt.
func (p *Permit) Covers(c *CallAsked) bool {
	return p != nil && p.Number == c.Number && p.Attempt == c.Attempt && p.Gen == c.Gen && p.Digest == c.Digest
}

// Edited gives the arguments of a call with the values that people have set.
func Edited(args map[string]any, edits json.RawMessage) map[string]any {
	set, _ := Decode(edits).(map[string]any)
	if len(set) == 0 {
		return args
	}
	out := maps.Clone(args)
	if out == nil {
		out = map[string]any{}
	}
	for name, v := range set {
		if v == nil {
			delete(out, name)
		} else {
			out[name] = v
		}
	}
	return out
}

// ShownArgs are the arguments of a call as people see them.
func ShownArgs(args map[string]any) (show []Shown) {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		show = append(show, Shown{Name: name, Value: Normal(args[name])})
	}
	return show
}

func (b *CallEdited) apply(s *State, f Fact) error {
	g := s.Gate(b.Gate)
	if g == nil || g.Call == nil {
		return fmt.Errorf("no open gate %d about a call", b.Gate)
	}
	call := *g.Call
	call.Args, call.Edits = b.Args, b.Edits
	g.Call, g.Shown = &call, b.Hash
	if b.Was == nil { // of a release that forgot it with the question
		return nil
	}
	t, err := s.need(g.Token)
	if err != nil {
		return err
	}
	call.Was, call.By, call.On = b.Was, f.Actor.User, f.At
	edited := call
	edited.Args = nil
	t.Edited = &edited
	return nil
}

// called stores a permission with the token, when a gate about a call is closed; inside a step the same attempt goes on.
func (g *Gate) called(t *Token, choice string) {
	if g.Call == nil || !slices.Contains([]string{ChoiceYes, ChoiceNo}, choice) {
		return
	}
	if choice == ChoiceYes {
		p := g.Call.Permit()
		t.Permit = &p
	}
	t.Resume = t.Resume || g.Call.Number > 0
}

// ArgsDigest stands for the arguments of a call: secrets by their names.
func ArgsDigest(params map[string]any) string { return Digest(Normal(expr.Redacted(params))) }

// LimitTurns is the limit of the answers of one agent in a conversation that goes on over several steps.
const LimitTurns = "tool_turns"

// ToolCall is a call that a model asks for.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments,omitempty"` // meant to be a JSON object; models make mistakes
}

// Talk is the conversation of an agent whose tool calls another node performs: it goes on over several steps of the agent, until
// the agent answers without a call. Or it is the conversation of the agents of a flow with the person who asked for the run. What was said is
// in the facts and not repeated here.
type Talk struct {
	Node     string  `json:"node,omitempty"`  // of the agent
	Turns    []int64 `json:"turns,omitempty"` // facts: what an agent said, the results or a person's answer, what it said then, ...
	Prev     int64   `json:"prev,omitempty"`  // the previous output when the conversation began
	PrevNode string  `json:"prev_node,omitempty"`
	Granted  int     `json:"granted,omitempty"` // how often people have granted its turns once more
}

// Open reports whether the calls of the latest turn have not been performed yet.
func (k *Talk) Open() bool { return k != nil && len(k.Turns)%2 == 1 }

// Talk gives the conversation of the agent at a node, or nil.
func (t *Token) Talk(node string) *Talk {
	if i := slices.IndexFunc(t.Talks, func(k Talk) bool { return k.Node == node }); i >= 0 {
		return &t.Talks[i]
	}
	return nil
}

// said records in a token what an output means for its conversations: an agent's calls wait to be performed, their results wait for the
// agent, an answer without calls ends its conversation.
func (t *Token) said(node string, seq int64, b *StepFinished) {
	switch {
	case len(b.Output.Calls) > 0 && b.Output.Pending:
		t.Caller = node
		k := t.Talk(node)
		if k == nil {
			t.Talks = append(slices.Clip(t.Talks), Talk{Node: node, Prev: t.Prev, PrevNode: t.PrevNode})
			k = &t.Talks[len(t.Talks)-1]
		}
		if k.Open() { // the earlier calls were not performed: the agent has been told, and asks for other ones
			k.Turns = k.Turns[:len(k.Turns)-1]
		}
		k.Turns = append(slices.Clip(k.Turns), seq)
	case b.Speaks:
		t.speaks(node, seq)
	case b.Answers != "":
		if k := t.Talk(b.Answers); k.Open() { // else a person gave a value to a step that had nothing to perform
			k.Turns = append(slices.Clip(k.Turns), seq)
		}
	case t.Talk(node) != nil:
		t.Talks = slices.DeleteFunc(slices.Clone(t.Talks), func(k Talk) bool { return k.Node == node })
		if t.Caller == node {
			t.Caller = ""
		}
	}
}

// speaks records what an agent says to the person of the run. From then on all agents of the flow hear the results of its earlier calls.
func (t *Token) speaks(node string, seq int64) {
	c, own := &t.Conversation, t.Talk(node)
	if c.Open() { // the latest message has no answer: the flow went on without one
		c.Turns = c.Turns[:len(c.Turns)-1]
	}
	if own == nil {
		own = &Talk{Prev: t.Prev, PrevNode: t.PrevNode}
	}
	if c.Turns == nil {
		c.Prev, c.PrevNode = own.Prev, own.PrevNode
	}
	heard := own.Turns[:len(own.Turns)/2*2]
	c.Turns = append(slices.Concat(c.Turns, heard), seq)
	t.Talks = slices.DeleteFunc(slices.Clone(t.Talks), func(k Talk) bool { return k.Node == node })
	if t.Caller == node {
		t.Caller = ""
	}
}

// Answered reports whether a person has answered what the token's finished step said to them.
func (t *Token) Answered() bool {
	k := t.Conversation.Turns
	return t.Done != 0 && len(k) > 1 && len(k)%2 == 0 && k[len(k)-2] == t.Done
}

// answer records a person's answer.
func (t *Token) answer(seq int64) {
	t.Conversation.Turns = append(slices.Clip(t.Conversation.Turns), seq)
	t.Prev, t.PrevNode, t.Next, t.Tool = seq, "", "", ""
}

func (b *WordsKept) apply(s *State, f Fact) error {
	s.Unheard = append(slices.Clip(s.Unheard), Words{Fact: f.Seq, By: f.Actor})
	return nil
}

// Risk is the riskiest act of the started step that may have happened without its outcome being known.
func (t *Token) Risk() flow.Effects {
	risk := t.Effects
	for _, c := range t.Calls {
		if c.Done == 0 && riskier(c.Effects, risk) {
			risk = c.Effects
		}
	}
	return risk
}

func riskier(a, b flow.Effects) bool { return RiskOf(a) > RiskOf(b) }

// RiskOf orders effects: 0 reads, 1 may be repeated, 2 must happen at most once.
func RiskOf(e flow.Effects) int {
	switch e {
	case flow.EffectsRead, "":
		return 0
	case flow.EffectsIdempotent:
		return 1
	}
	return 2
}

// MayActTwice reports whether going on with a token could do something twice.
func (t *Token) MayActTwice() bool { return t.Resume && t.Done == 0 && t.Risk() == flow.EffectsOnce }
