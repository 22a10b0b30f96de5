package opening

import (
	"slices"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// Given reads a sentence that names what a run gives, and gives what stands behind it.
func (h *Header) Given(toks []phrase.Token) (out []tree.Step, rest []phrase.Token) {
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

// Gives reads a sentence about the inputs or outputs of a run.
func (h *Header) Gives(toks []phrase.Token) []phrase.Token {
	if n := h.entering(toks); n > 0 {
		return phrase.Trim(toks[n:])
	}
	for _, p := range phrase.Giving {
		m, ok := phrase.Fit(p, toks)
		if !ok {
			continue
		}
		list := m.Slots["list"]
		if slices.ContainsFunc(list, func(t phrase.Token) bool { return phrase.Requests[t.Low] }) || !h.Inputs(list) {
			return toks
		}
		for _, w := range m.Words {
			h.t.At = append(h.t.At, h.Quotes(w)...)
		}
		return phrase.Trim(toks[m.End:])
	}
	out, rest := h.Given(toks)
	h.t.Steps = append(h.t.Steps, out...)
	return rest
}

var (
	enters  = phrase.Phrases(`writes_down write_down notes_down note_down provides provide enters enter gives give fills_in fill_in fills_out fill_out writes write specifies specify picks states types_in inputs submits submit`)
	works   = phrase.Set(`submit submits write writes give gives pick picks state states`) // what they name by itself is no value
	entered = phrase.Set(`date dates day days name names reason reasons amount amounts number numbers email address title birthday phone`)
	// starters are the person who starts a run.
	starters = phrase.Phrases(`whoever_starts_it whoever_starts_this whoever_asks who_starts_it the_person_who_starts_it the_person_who_starts_this the_one_who_starts_it`)
	openers  = phrase.Phrases(`starts_the_workflow_and starts_the_flow_and opens_the_form_and starts_it_and opens_the_workflow_and`)
)

// entering reads "the employee gives the start date and a reason": the inputs and the starter of a run.
func (h *Header) entering(toks []phrase.Token) int {
	a := phrase.ActorOf(toks)
	at, verb := phrase.Starting(toks, starters), 0
	if at > 0 {
		verb = phrase.Starting(toks[at:], telling)
	} else if a.N > 0 && a.Person && toks[0].Kind != phrase.Name {
		at = a.Verb + phrase.Starting(toks[a.Verb:], openers)
		verb = phrase.Starting(toks[at:], enters)
	}
	if verb == 0 || len(h.t.Steps) > 0 {
		return 0
	}
	end := at + verb + phrase.ClauseEnd(toks[at+verb:])
	list := toks[at+verb : end]
	if len(list) == 0 || slices.ContainsFunc(list, func(t phrase.Token) bool { return phrase.Requests[t.Low] && t.Low != "help" }) {
		return 0
	}
	list = phrase.Specific(list)
	if works[toks[at].Low] && len(phrase.Alternatives(phrase.Trim(list), false)) < 2 && !entered[list[len(list)-1].Low] {
		return 0 // "the customer submits a claim": that starts it; "marketing writes the text": that is a step
	}
	if !h.Inputs(list) {
		return 0
	}
	if a.N > 0 {
		h.Starter = phrase.RoleName(toks[:a.N])
	}
	h.t.At = append(h.t.At, h.Quote(toks[:end-len(list)]))
	return end
}

var (
	requesting = phrase.Set(`reports submits submit requests files registers enters logs posts creates fills reported submitted requested filed registered entered request requests form report claim application ticket order incident complaint`)
	concerns   = phrase.Set(`problem problems issue issues difficulty help error fault bug experience question contact contract agreement meeting appointment`) // "a problem with the printer"
	telling    = phrase.Phrases(`says say tells_us tell_us states types_in type_in writes_down fills_in enters gives provides`)
	asking     = phrase.Set(`what which how why when where who`)
)

// fields reads what the words about the start of a run say that is entered: "a nurse reports a fall with the ward and what happened",
// "somebody says which team and why", "a patient asks for an appointment (name, birthday)".
func (h *Header) fields(toks []phrase.Token) {
	for i := range toks {
		list, size := toks[i+1:], phrase.Starting(toks[i:], telling)
		end := slices.IndexFunc(list, func(t phrase.Token) bool { return t.Low == ")" || t.Low == "or" })
		if toks[i].Low == "(" && i > 0 && end > 0 && list[end].Low == ")" {
			list = list[:end]
		} else if size > 0 && i > 0 {
			list = phrase.Specific(toks[i+size:])
		} else if toks[i].Low != "with" || i < 2 || concerns[toks[i-1].Low] || !slices.ContainsFunc(toks[:i], func(t phrase.Token) bool { return requesting[t.Low] }) {
			continue
		}
		parts := phrase.Alternatives(list, false)
		if len(parts) == 0 || len(parts) == 1 && !entered[list[len(list)-1].Low] && !asking[list[0].Low] {
			continue
		}
		if !slices.ContainsFunc(parts, func(part []phrase.Token) bool { return !asking[part[0].Low] && phrase.RoleOf(part) }) {
			h.Inputs(list)
		}
		return
	}
}

// Inputs reads a list of inputs; false = it is something else, and nothing is added.
func (h *Header) Inputs(toks []phrase.Token) bool {
	var all []tree.Input
	for _, part := range phrase.Alternatives(phrase.Trim(toks), false) {
		in, ok := h.Input(part)
		if !ok {
			return false
		}
		all = append(all, in)
	}
	for _, in := range all {
		h.addInput(in)
	}
	return len(all) > 0
}

// outputs reads names for what a run gives: "the summary (variable summary)"; none = they are something else.
func (h *Header) outputs(toks []phrase.Token) (all []tree.Step) {
	for _, part := range phrase.Alternatives(phrase.Trim(toks), false) {
		in, ok := h.Input(part)
		if !ok {
			return nil
		}
		all = append(all, tree.Step{ID: h.t.NewID(), Kind: tree.Set, Result: in.Name, Text: in.About, Over: tree.Value{Words: in.About, At: in.At[0]}, At: in.At})
	}
	return all
}

// slots makes an input of each <name> and {name}.
func (h *Header) slots(toks []phrase.Token) {
	for _, t := range toks {
		if t.Kind == phrase.Quoted {
			for _, m := range values.Slots.FindAllStringIndex(t.Text, -1) {
				h.addInput(tree.Input{Name: t.Text[m[0]+1 : m[1]-1]})
			}
		}
		if t.Kind == phrase.Slot {
			h.addInput(tree.Input{Name: english.Snake(t.Text)})
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
