package outline

import (
	"reflect"
	"slices"
	"strings"

	"sluice/engine/planner/jumps"
	"sluice/engine/planner/opening"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// reader fills a tree from one of its texts. What it has of a sentence waits here for the next step.
type reader struct {
	values.Source // a text of the tree

	t       *tree.Tree
	people  people
	opening *opening.Header      // what is said of the whole flow
	note    func(pattern string) // told of each form that fits
	lead    []tree.Quote         // words that lead to the next step
	no      int                  // the number of the next step
	listed  bool                 // the next clause is an item of a list: it is a step whatever it says
	within  bool                 // what is read has beside it who does it
	line    bool                 // what is read next is a sentence, and no branch of one
	limit   bool                 // the sentence before gave the whole run a deadline
	anew    bool                 // a step is changed: what is said of it takes the place of what was said before
	tiered  bool                 // what is read is done for a range of amounts
	before  []phrase.Token       // the clause before
	told    string               // the text of the message before
	asked   tree.Step            // what somebody was last asked to do or to say; "ask @x instead" asks for the same
	other   []tree.Step          // the steps on the other side of the branch that is read next
	acting  []tree.Name          // who does what the clause before says
	itself  bool                 // the flow itself does it
	could   bool                 // ... with "must", "can" or "will"
	closed  map[string]bool      // by id: questions in items of a list that is over
}

func newReader(t *tree.Tree, text values.Source) *reader {
	r := &reader{Source: text, t: t, people: people{Source: text}, closed: map[string]bool{}, note: func(string) {}}
	r.opening = opening.New(t, text, func(pattern string) { r.note(pattern) })
	return r
}

// Read reads a description. people are words of it that are names of people. false: nothing in it can be read as steps.
func Read(text, author string, people ...string) (*tree.Tree, bool) {
	t := &tree.Tree{Texts: []tree.Text{{Words: text, Author: author, People: people, Outline: true}}}
	return t, read(t, 0, func(string) {})
}

func read(t *tree.Tree, text int, seen func(pattern string)) bool {
	r := newReader(t, values.Source{Text: text, Src: t.Texts[text].Words})
	r.note = seen
	if !phrase.English(r.Src) {
		return false
	}
	toks := phrase.Scan(r.Src, 0, len(r.Src), t.Texts[text].People...)
	for _, c := range phrase.Corrections(toks) {
		r.Object(t, c, "corrects the words before it, and the draft has both")
	}
	r.opening.Whole(toks)
	phrase.JoinActions(toks)
	r.items(phrase.Arrange(toks))
	jumps.Structure(r.t, &t.Steps)
	if t.Deadline != nil {
		jumps.Drop(&t.Deadline.Steps)
	}
	t.Inputs = slices.DeleteFunc(t.Inputs, func(in tree.Input) bool { return len(in.At) == 0 && given(t, in.Name) })
	return len(t.Steps) > 0
}

// given reports whether people are asked for a value, or it is an item of a list. Its <name> then means that.
func given(t *tree.Tree, name string) bool {
	for s := range t.Walk {
		if s.As == name || slices.ContainsFunc(s.Fields, func(f tree.Field) bool { return f.Name == name }) {
			return true
		}
	}
	return false
}

// items reads the items of a whole text: a head first, then steps.
func (r *reader) items(items []phrase.Item) {
	for i := range items {
		it := &items[i]
		all := it.Toks
		r.opening.Item(items, i)
		if len(it.Mark) > 0 {
			if len(r.t.Steps) > 0 || !gives(r, it) {
				r.item(&r.t.Steps, it, 0)
			}
			continue
		}
		if len(r.t.Steps) == 0 {
			r.before = phrase.Trim(all[:max(0, len(all)-len(it.Toks))]) // "which" may mean who is named in it
		}
		toks := r.opening.Gives(it.Toks)
		if n := len(toks); len(phrase.Trim(toks)) == 0 || toks[n-1].Low == ":" && len(it.Kids) > 0 && !r.opens(toks) { // a heading that is not understood
			r.items(it.Kids)
			continue
		}
		it.Toks = toks
		r.item(&r.t.Steps, it, 0)
	}
}

// gives takes a first sentence off an item that says what a run is given: "1. inputs: amount, reason". It reports whether nothing is left.
func gives(r *reader, it *phrase.Item) bool {
	if parts := phrase.Sentences(it.Toks); len(parts) > 0 {
		part := parts[0]
		if rest := r.opening.Gives(part); len(rest) < len(part) {
			r.t.At = append(r.t.At, r.Quotes(it.Mark)...)
			it.Toks, it.Mark = slices.Concat(rest, it.Toks[len(part):]), nil
		}
	}
	return len(phrase.Trim(it.Toks))+len(it.Kids) == 0
}

// opens reports whether the words before a list are a condition, a loop or parallel steps.
func (r *reader) opens(toks []phrase.Token) bool {
	n := r.leading(toks)
	r.lead = nil
	return phrase.Starting(toks[n:], phrase.Ifs) > 0 || phrase.Starting(toks[n:], phrase.Elses) > 0 || phrase.Starting(toks[n:], phrase.Loops) > 0
}

// Steps reads the words of a quote as steps. It gives none when they are something else.
func Steps(t *tree.Tree, q tree.Quote) (out []tree.Step) {
	r, toks := within(t, q)
	for _, it := range phrase.Arrange(toks) {
		r.item(&out, &it, 0)
	}
	jumps.Structure(r.t, &out)
	return out
}

// OnlySteps reports whether the words of a quote are steps that somebody is told to do, and nothing else.
func OnlySteps(t *tree.Tree, q tree.Quote) bool {
	_, toks := within(t, q)
	parts := phrase.Sentences(toks)
	for _, part := range parts {
		if part = phrase.Trim(part); len(part) < 2 || !phrase.StartsStep(part) {
			return false
		}
	}
	return len(parts) > 0 && !strings.HasSuffix(strings.TrimSpace(t.Words(q)), "?")
}

// Affect reads the words of a quote as what is said behind a step: how long people have, who else is asked, what follows an answer or a
// failure, another attempt. It gives the step with it; false = they say something else.
func Affect(t *tree.Tree, q tree.Quote, s *tree.Step) (tree.Step, bool) {
	r, toks := within(t, q)
	r.people.last, r.anew = s.Who, true
	list := (&tree.Tree{Steps: []tree.Step{*s}}).Clone().Steps
	before := t.Last
	for _, part := range phrase.Sentences(toks) {
		r.sentence(&list, part, nil, 0)
	}
	if jumps.In(list) || len(list) != 1 || list[0].ID != s.ID || list[0].Kind != s.Kind || len(r.lead) > 0 || reflect.DeepEqual(list[0], *s) {
		t.Last = before
		return tree.Step{}, false
	}
	return list[0], true
}

// Trigger reads the words of a quote as a trigger: "every Tuesday", "when somebody reacts with :eyes:".
func Trigger(t *tree.Tree, q tree.Quote) (tree.Trigger, bool) {
	r, toks := within(t, q)
	list, n := r.opening.Triggers(toks)
	if len(list) != 1 || n != len(phrase.Trim(toks)) {
		return tree.Trigger{}, false
	}
	return list[0], true
}

// Start takes what starts a flow off the front of the words of a quote, and gives those behind it.
func Start(t *tree.Tree, q tree.Quote) tree.Quote {
	r, toks := within(t, q)
	list, n := r.opening.Triggers(toks)
	if rest := phrase.Trim(toks[n:]); n > 0 && len(rest) > 0 {
		t.Triggers = append(t.Triggers, list...)
		q.From = rest[0].From
	}
	return q
}

// Who reads the words of a quote as names, and how many of them must agree; 0 = not said.
func Who(t *tree.Tree, q tree.Quote) (names []tree.Name, quorum int, ok bool) {
	r, toks := within(t, q)
	all, n := phrase.ReadWho(toks)
	if n == 0 || n != len(phrase.Trim(toks)) {
		return nil, 0, false
	}
	names = r.people.names(all)
	if quorum = all[0].Quorum; all[0].All {
		quorum = len(all)
	}
	return names, quorum, true
}

// within gives a reader for a part of a text.
func within(t *tree.Tree, q tree.Quote) (*reader, []phrase.Token) {
	if t.Words(q) == "" {
		return newReader(t, values.Source{}), nil
	}
	r := newReader(t, values.Source{Text: q.Text, Src: t.Texts[q.Text].Words})
	toks := phrase.Trim(phrase.Scan(r.Src, q.From, q.To, t.Texts[q.Text].People...))
	if len(toks) > 0 {
		toks[0].First = true
	}
	return r, toks
}
