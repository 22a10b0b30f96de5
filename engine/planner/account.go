package planner

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

// States of a clause.
const (
	became        = "became"
	askedAbout    = "asked"
	courtesy      = "courtesy"
	leftOut       = "left_out"
	notUnderstood = "not_understood"
)

// account records for each byte of the texts what it became.
type account struct {
	p     *planning
	texts []accountText
}

type accountText struct {
	state []uint8 // of each byte: an index into marks
	text  []bool  // of each byte: it goes to people or a model word for word
	step  []int32 // of each byte: an index into steps; 0 = none
}

// marks are the states of bytes. No element has claimed a blank byte yet; a glue byte joins the bytes around it.
var marks = []string{"", became, askedAbout, courtesy, leftOut, notUnderstood, ""}

const (
	blank = iota
	markBecame
	markAsked
	markCourtesy
	markLeft
	markNot
	glue
)

// account computes the clauses of all texts.
func (p *planning) account() []Clause {
	a := &account{p: p}
	for _, t := range p.t.Texts {
		a.texts = append(a.texts, accountText{state: make([]uint8, len(t.Words)), text: make([]bool, len(t.Words)), step: make([]int32, len(t.Words))})
	}
	steps := []string{""}
	a.whole()
	p.t.Walk(func(s *tree.Step) bool {
		steps = append(steps, s.ID)
		a.step(s, len(steps)-1)
		return true
	})
	for _, q := range p.t.Replaced {
		a.paint(q, markBecame, 0)
	}
	for _, q := range p.open {
		a.paint(q, markAsked, -1)
	}
	for _, l := range p.t.Left {
		a.paint(l.Quote, markLeft, 0)
	}
	var out []Clause
	for i := range p.t.Texts {
		a.words(i)
		out = append(out, a.clauses(i, steps)...)
	}
	return out
}

// paint marks the bytes of a quote; a negative step keeps the step that is there.
func (a *account) paint(q tree.Quote, mark uint8, step int) {
	if q.Empty() || q.Text < 0 || q.Text >= len(a.texts) {
		return
	}
	t := a.texts[q.Text]
	for i := max(q.From, 0); i < min(q.To, len(t.state)); i++ {
		t.state[i] = mark
		if step >= 0 {
			t.step[i] = int32(step)
		}
	}
}

// claim marks quotes of one element as understood, except those with a word that no field of the element has.
func (a *account) claim(step int, has *evidence, quotes ...tree.Quote) {
	a.around(step, has, nil, quotes...)
}

// around claims quotes that contain other quotes, which are claimed by themselves.
func (a *account) around(step int, has *evidence, inner []tree.Quote, quotes ...tree.Quote) {
	for _, q := range quotes {
		mark := uint8(markBecame)
		if slices.ContainsFunc(english.Scan(a.p.t.Words(q)), func(w english.Word) bool {
			w.Start, w.End = w.Start+q.From, w.End+q.From
			own := slices.ContainsFunc(inner, func(i tree.Quote) bool { return i.Text == q.Text && i.From <= w.Start && w.End <= i.To })
			return !own && !has.word(w) && !a.replaced(q.Text, w) && !listNumber(a.p.t.Texts[q.Text].Words, w)
		}) {
			mark = markNot
		}
		if mark == markNot && !q.Empty() && !slices.Contains(a.texts[q.Text].text[q.From:q.To], false) {
			continue
		}
		a.paint(q, mark, step)
	}
}

// replaced reports whether a later change has put something into the place of a word.
func (a *account) replaced(text int, w english.Word) bool {
	return slices.ContainsFunc(a.p.t.Replaced, func(q tree.Quote) bool { return q.Text == text && q.From <= w.Start && w.End <= q.To })
}

// said marks the text of a step, except words that its fields do not have.
func (a *account) said(step int, has *evidence, q tree.Quote) {
	a.paint(q, markBecame, step)
	for i := q.From; i < q.To; i++ {
		a.texts[q.Text].text[i] = true
	}
	for _, w := range english.Scan(a.p.t.Words(q)) {
		if !has.word(w) {
			a.paint(tree.Quote{Text: q.Text, From: q.From + w.Start, To: q.From + w.End}, markNot, step)
		}
	}
}

// whole marks the words of the flow's name, inputs, triggers and time limit.
func (a *account) whole() {
	t := a.p.t
	a.claim(0, evidenceOf(t.Name, t.About, t.Inputs), t.At...)
	for i := range t.Inputs {
		a.claim(0, evidenceOf(t.Inputs[i]), t.Inputs[i].At...)
	}
	for i := range t.Triggers {
		g := t.Triggers[i]
		ev := evidenceOf(g.Cron, g.Zone, g.Channel, g.Match, g.Emoji, g.Path, g.By)
		ev.times(g.Cron)
		a.claim(0, ev, g.At...)
	}
	if t.Deadline != nil {
		ev := evidenceOf(t.Deadline.After, t.Deadline.Time)
		ev.times(t.Deadline.Time)
		ev.negated = len(t.Deadline.Steps) > 0
		a.claim(0, ev, t.Deadline.At...)
	}
}

// step marks the words of a step: its phrase and its other quotes.
func (a *account) step(s *tree.Step, n int) {
	ev := stepEvidence(s)
	if list, at := a.p.t.Place(s.ID); at > 0 && len((*list)[at-1].Branches) > 0 {
		ev.add("both either") // "in both cases"
	}
	if f := a.p.fills[s.ID]; f != nil {
		a.phrase(s, f, n)
	} else {
		a.said(n, ev, s.Said)
	}
	var fields []tree.Quote
	for _, f := range s.Fields {
		fields = append(fields, f.At)
	}
	a.around(n, ev, fields, s.At...)
	for i := range s.Branches {
		b := &s.Branches[i]
		a.claim(n, ev.branch(b), b.At...)
		a.cond(b.When, ev.branch(b), n)
	}
	a.cond(s.Until, ev, n)
	a.claim(n, ev, fields...)
	for _, name := range s.Names() {
		a.claim(n, ev, name.At)
	}
	for _, v := range append(slices.Clone(s.Show), s.Over) {
		a.claim(n, ev, v.At)
	}
}

func (a *account) cond(c *tree.Cond, ev *evidence, n int) {
	if c == nil {
		return
	}
	a.claim(n, ev, c.At...)
	a.claim(n, ev, c.Left.At, c.Right.At)
	for i := range c.Parts {
		a.cond(&c.Parts[i], ev, n)
	}
}

// phrase marks the words of a step that its tool explains. A person who chose the tool has read the words up to the first preposition.
func (a *account) phrase(s *tree.Step, f *match.Filling, n int) {
	a.paint(s.Said, markBecame, n)
	if s.Said.Empty() {
		return
	}
	chosen := slices.Contains(a.p.t.Settled, s.ID+".doer")
	for _, r := range f.Unexplained() {
		if !slices.ContainsFunc(f.Words[r[0]:r[1]], func(w english.Word) bool {
			return !w.Stop() && !(w.Kind == english.PlainWord && vague[w.Low]) && !a.replaced(s.Said.Text, w)
		}) {
			continue
		}
		if chosen && !slices.ContainsFunc(f.Words[:r[1]], func(w english.Word) bool {
			return w.Start > f.Words[0].Start && match.Prepositions[w.Low] || w.Matters()
		}) {
			continue
		}
		a.paint(f.Quote(r[0], r[1]), markNot, n)
	}
}

// vague are words that do not change what a tool does, whatever they stand with.
var vague = english.WordSet(`complete whole full entire given provided corresponding respective appropriate necessary required relevant actual proper overall existing
	format formats form accordingly respectively properly correctly successfully automatically directly immediately basically simply just also called named titled`)

// courtesies are greetings, thanks and requests for a workflow. No other words are set aside.
var courtesies = english.Phrases(`can|could you [please] build|make|create|set_up a workflow that
i|we would_like|want|need a workflow that|for
i'd like a workflow that
[please] build|make|create|set_up a workflow that
thank you [very_much|so_much]
thanks [a_lot]
many thanks
good morning|afternoon|evening
hi|hello there
hi all|team
can|could|would you [please]
i|we would_like|want|need [you] to
i'd|we'd like [you] to
we need
kind|best regards
hi|hello|hey|basically|please|pls|thanks|thx|cheers|regards|dear|sluice|@sluice`)

// functionWords join sentences and have no meaning by themselves. A negation is none of them.
var functionWords = english.WordSet(`a an the and or then also it this that these those they them he she there is are be was were will to of for with by as so i we you our
my your their its in on at from into after when if once which who whose now first next finally lastly step steps follow following has have do does`)

// words marks the bytes that no element has claimed: as courtesies, as function words or as not understood.
func (a *account) words(text int) {
	t := a.texts[text]
	all := english.Scan(a.p.t.Texts[text].Words)
	for i := 0; i < len(all); {
		if !free(t, all[i]) {
			i++
			continue
		}
		n := 0
		for _, c := range courtesies {
			if n == 0 && beginsFree(t, all[i:], c) {
				n = len(c)
			}
		}
		if n > 0 {
			a.paint(tree.Quote{Text: text, From: all[i].Start, To: all[i+n-1].End}, markCourtesy, 0)
			i += n
			continue
		}
		mark := uint8(markNot)
		if w := all[i]; w.Kind == english.SignWord || w.Kind == english.PlainWord && functionWords[w.Low] || listNumber(a.p.t.Texts[text].Words, w) {
			mark = glue
		}
		a.paint(tree.Quote{Text: text, From: all[i].Start, To: all[i].End}, mark, 0)
		i++
	}
}

// free reports whether no element has claimed any byte of a word.
func free(t accountText, w english.Word) bool {
	return !slices.ContainsFunc(t.state[w.Start:w.End], func(s uint8) bool { return s != blank })
}

func beginsFree(t accountText, words []english.Word, with []string) bool {
	if len(words) < len(with) {
		return false
	}
	for i, w := range with {
		if words[i].Low != w || !free(t, words[i]) {
			return false
		}
	}
	return true
}

// listNumber reports whether a word is the number of a line: "2." or "2)", also where the numbers of a list stand in one line.
func listNumber(text string, w english.Word) bool {
	if w.Kind != english.NumberWord || w.End >= len(text) || !strings.ContainsRune(".):", rune(text[w.End])) {
		return false
	}
	before := strings.TrimRight(text[max(0, w.Start-8):w.Start], " \t-*•")
	if before == "" && w.Start < 8 || strings.HasSuffix(before, "\n") {
		return true
	}
	n, err := strconv.Atoi(text[w.Start:w.End])
	follows := n == 1 || strings.Contains(text[:w.Start], strconv.Itoa(n-1)+text[w.End:w.End+1]+" ")
	return err == nil && follows && strings.HasPrefix(text[w.End+1:], " ") && strings.HasSuffix(text[:w.Start], " ")
}

// clauses cuts a text where the state or the step changes. Glue belongs to the clause before it, and at the beginning to the clause behind
// it. Between two parts that are not understood it is not understood either.
func (a *account) clauses(text int, steps []string) []Clause {
	t := a.texts[text]
	var out []Clause
	last := -1 // where the glue behind the clause begins
	words := a.p.t.Texts[text].Words
	for i := 0; i < len(t.state); {
		_, size := utf8.DecodeRuneInString(words[i:])
		mark, step := t.state[i], t.step[i]
		if mark != blank && mark != glue {
			same := len(out) > 0 && out[len(out)-1].State == marks[mark] && out[len(out)-1].Step == steps[step]
			switch {
			case len(out) == 0:
				out = append(out, Clause{Quote: tree.Quote{Text: text}, State: marks[mark], Step: steps[step]})
			case !same:
				from := i
				if mark == markNot && last >= 0 { // the words that lead to it: "in project IT"
					from = last
				}
				out[len(out)-1].Quote.To = from
				out = append(out, Clause{Quote: tree.Quote{Text: text, From: from}, State: marks[mark], Step: steps[step]})
			}
			last = -1
		} else if last < 0 && len(out) > 0 && !unicode.IsSpace(rune(words[i])) && mark == glue && english.WordRune(english.Before(words, i+size)) {
			last = i
		} else if mark == glue && strings.ContainsRune(".;!?\n", rune(words[i])) {
			last = -1
		}
		i += size
	}
	switch {
	case len(out) > 0:
		out[len(out)-1].Quote.To = len(words)
	case len(words) > 0:
		out = []Clause{{Quote: tree.Quote{Text: text, To: len(words)}, State: courtesy}}
	}
	return out
}
