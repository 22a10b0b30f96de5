package opening

import (
	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// given reads a sentence that names what a run gives, and gives what stands behind it.
func (h *Header) given(toks []phrase.Token) (out []tree.Step, rest []phrase.Token) {
	m, ok := phrase.Fit(phrase.Outputs, toks)
	if !ok {
		return nil, toks
	}
	if out = h.outputs(m.Slots["list"]); len(out) == 0 {
		return nil, toks
	}
	for _, w := range m.Words {
		out[0].At = append(out[0].At, h.Quotes(w)...)
	}
	return out, phrase.Trim(toks[m.End:])
}

// Gives reads a sentence about the inputs or outputs of a run, and gives what stands behind it.
func (h *Header) Gives(toks []phrase.Token) []phrase.Token {
	if n := h.entering(toks); n > 0 {
		return phrase.Trim(toks[n:])
	}
	for _, p := range phrase.Giving {
		m, ok := phrase.Fit(p, toks)
		if !ok {
			continue
		}
		list, end := m.Slots["list"], m.End
		if n := phrase.ClauseEnd(list); n < len(list) && phrase.Begins(phrase.Trim(list[n:]), "then") && m.End == len(toks) { // "asks for the date, then ask @fin"
			list, end = list[:n], m.End-len(list)+n
		}
		if phrase.HasAny(list, phrase.Requests) || !h.Inputs(list) {
			return toks
		}
		for _, w := range m.Words {
			h.t.At = append(h.t.At, h.Quotes(w)...)
		}
		return phrase.Trim(toks[end:])
	}
	out, rest := h.given(toks)
	h.t.Steps = append(h.t.Steps, out...)
	return rest
}

var (
	enters = phrase.Phrases(`tells_me tell_me tells_us tell_us gives_me give_me gives_us give_us sends_me send_me sends_us send_us write_down note_down
		writes_down notes_down provides enters enter gives give fills_in fills_out writes specifies picks types_in inputs submits submit`)
	openers = phrase.Phrases(`starts_the_workflow_and starts_the_flow_and opens_the_form_and starts_it_and opens_the_workflow_and`)
	works   = phrase.Set(`submit submits write writes note gives give picks tell tells send sends`) // what they name by itself is no value
)

// media are what people send something with: it is no value.
var media = phrase.Set(`form template email e-mail mail app tool portal link button bot website page letter emoji message it them`)

// requesters are words for any of the people who use the flow.
var requesters = phrase.Set(`employee employees user users requester requestor person people somebody someone anybody anyone colleague colleagues member applicant teammate`)

// entering reads "the employee gives the start date and a reason": the inputs and the starter of a run.
func (h *Header) entering(toks []phrase.Token) int {
	list, end := h.entered(toks)
	if end == 0 || !h.Inputs(list) {
		return 0
	}
	a := phrase.ActorOf(toks)
	if name := phrase.RoleName(toks[:a.N]); !phrase.Persons[name] && name != "i" && name != "we" {
		h.Starter = name
	}
	said := toks[:end-len(list)]
	if h.t.At = append(h.t.At, h.Quote(said)); said[len(said)-1].Is(comesWith...) {
		h.t.Triggers = append(h.t.Triggers, tree.Trigger{By: true, Words: h.Words(said)})
	}
	return end
}

// comesWith are the words in front of what somebody enters beside a thing.
var comesWith = []string{"with", "including", "stating"}

// entered finds what somebody enters in a clause, and where that ends: what they give, or what they come with.
func (h *Header) entered(toks []phrase.Token) (list []phrase.Token, end int) {
	a := phrase.ActorOf(toks)
	if a.N == 0 || !a.Person || toks[0].Kind == phrase.Name || len(h.t.Steps) > 0 {
		return nil, 0
	}
	at := a.Verb + phrase.Starting(toks[a.Verb:], openers)
	gives, comes := phrase.Starting(toks[at:], enters), phrase.Starting(toks[at:], phrase.Begun)
	verb := max(gives, comes)
	end = at + verb + phrase.ClauseEnd(toks[at+verb:])
	list = toks[at+verb : end]
	if verb == 0 || len(list) == 0 || phrase.HasAny(list, phrase.Requests) {
		return nil, 0
	}
	if with := phrase.Find(list, comesWith...); with > 0 && with+1 < len(list) && requesters[toks[a.N-1].Low] && !media[list[len(list)-1].Low] { // "a request with the dates and a reason"
		return list[with+1:], end
	}
	if gives == 0 || works[toks[at].Low] && len(phrase.Alternatives(phrase.Trim(list), false)) < 2 {
		return nil, 0 // "the customer submits a claim": that starts it; "marketing writes the text": that is a step
	}
	return list, end
}

// Inputs reads a list of inputs; false = it is something else, and nothing is added.
func (h *Header) Inputs(toks []phrase.Token) bool {
	all, _, ok := h.Source.Inputs(toks)
	if !ok {
		return false
	}
	for _, in := range all {
		h.addInput(in)
	}
	return true
}

// outputs reads names for what a run gives: "the summary (variable summary)"; none = they are something else.
func (h *Header) outputs(toks []phrase.Token) (all []tree.Step) {
	named, _, ok := h.Source.Inputs(toks)
	if !ok {
		return nil
	}
	for _, in := range named {
		all = append(all, tree.Step{ID: h.t.NewID(), Kind: tree.Set, Result: in.Name, Text: in.About, Over: tree.Value{Words: in.About, At: in.At[0]}, At: in.At})
	}
	return all
}

// slots makes an input of each <name> and {name}.
func (h *Header) slots(toks []phrase.Token) {
	for _, t := range toks {
		if t.Kind == phrase.Quoted {
			for _, m := range values.Slots.FindAllStringIndex(t.Text, -1) {
				name := t.Text[m[0]+1 : m[1]-1]
				h.addInput(tree.Input{Name: name, Type: values.NumberOf(name)})
			}
		}
		if t.Kind == phrase.Slot {
			name := english.Snake(t.Text)
			h.addInput(tree.Input{Name: name, Type: values.NumberOf(name)})
		}
	}
}

// addInput adds an input, or completes an existing one.
func (h *Header) addInput(in tree.Input) {
	if old := h.t.Input(in.Name); old != nil {
		old.At = append(old.At, in.At...)
		if in.Type != "" {
			old.Type = in.Type
		}
		old.Optional = old.Optional || in.Optional
		return
	}
	if in.Name != "" {
		h.t.Inputs = append(h.t.Inputs, in)
	}
}
