package account

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/prose"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// Clause is a part of the words with its state. The clauses of a text cover each of its bytes once, in order.
type Clause struct {
	Quote tree.Quote `json:"quote"`
	State State      `json:"state"`
	Step  string     `json:"step,omitempty"` // the step that it became
}

// State is what became of a clause.
type State string

// The states of a clause.
const (
	Became        State = "became"
	Asked         State = "asked"
	Courtesy      State = "courtesy"
	LeftOut       State = "left_out"
	NotUnderstood State = "not_understood"
)

// Reading is a tree with what the planner found out about it.
type Reading struct {
	Tree    *tree.Tree
	Fills   map[string]*match.Filling // how the words of a step fill the parameters of its tool, by the id of the step
	Open    []tree.Quote              // what questions ask about
	Channel string                    // of the flow
}

// account records for each byte of the texts what it became.
type account struct {
	Reading
	texts [][]letter
	most  bool // the element says how often at most: "no more than twice" denies nothing
}

// letter is a byte of a text.
type letter struct {
	state  State // blank = no element has claimed it yet
	step   string
	spoken bool // it goes to people or a model word for word
}

// States of bytes that are no states of clauses: glue joins the bytes around it.
const (
	blank State = ""
	glue  State = "glue"
)

// Of computes the clauses of all texts. What a later text says again is no longer left out, and it is replaced where it was not understood.
func Of(r Reading) (out []Clause) {
	saidAgain(r.Tree)
	a := &account{Reading: r}
	for _, t := range a.Tree.Texts {
		a.texts = append(a.texts, make([]letter, len(t.Words)))
	}
	a.whole()
	for s := range a.Tree.Walk {
		a.step(s)
	}
	for _, q := range a.Tree.Replaced {
		a.paint(q, Became, "")
	}
	for _, q := range a.Open {
		for i := range a.letters(q) {
			a.letters(q)[i].state = Asked
		}
	}
	for _, l := range a.Tree.Left {
		a.paint(l.Quote, LeftOut, "")
	}
	for i := range a.Tree.Texts {
		a.words(i)
		out = append(out, a.clauses(i)...)
	}
	saidLater(a.Tree, out)
	return out
}

// letters are those of a quote.
func (a *account) letters(q tree.Quote) []letter {
	if a.Tree.Words(q) == "" {
		return nil
	}
	return a.texts[q.Text][q.From:q.To]
}

// paint marks the letters of a quote.
func (a *account) paint(q tree.Quote, state State, step string) {
	all := a.letters(q)
	for i := range all {
		all[i].state, all[i].step = state, step
	}
}

// WordsOf are the words of a quote, with their places in the text.
func WordsOf(t *tree.Tree, q tree.Quote) []english.Word {
	all := english.Scan(t.Words(q))
	for i := range all {
		all[i].From, all[i].To = all[i].From+q.From, all[i].To+q.From
	}
	return all
}

// wordsOf are the words of a quote that no later change has replaced and that do not number a line.
func (a *account) wordsOf(q tree.Quote) []english.Word {
	return slices.DeleteFunc(WordsOf(a.Tree, q), func(w english.Word) bool {
		limits := a.most && (w.Low == "no" || w.Low == "not") && strings.HasPrefix(a.Tree.Texts[q.Text].Words[w.To:], " more than ")
		return limits || StandsIn(w, q.Text, a.Tree.Replaced) || english.ListNumber(a.Tree.Texts[q.Text].Words, w.From, w.To)
	})
}

// StandsIn reports whether a word stands in one of several quotes.
func StandsIn(w english.Word, text int, in []tree.Quote) bool {
	return slices.ContainsFunc(in, func(q tree.Quote) bool { return q.Text == text && q.From <= w.From && w.To <= q.To })
}

// claim marks quotes of one element as understood, except those with a word that no field of the element has.
func (a *account) claim(step string, has *match.Evidence, quotes ...tree.Quote) {
	a.around(step, has, nil, quotes)
}

// around claims quotes that contain other quotes, which are claimed by themselves.
func (a *account) around(step string, has *match.Evidence, inner, quotes []tree.Quote) {
	for _, q := range quotes {
		state := Became
		if slices.ContainsFunc(a.wordsOf(q), func(w english.Word) bool { return !StandsIn(w, q.Text, inner) && !has.Has(w) }) {
			if state = NotUnderstood; !slices.ContainsFunc(a.letters(q), func(l letter) bool { return !l.spoken }) {
				continue
			}
		}
		a.paint(q, state, step)
	}
}

// whole marks the words of the flow's name, inputs, triggers and time limit.
func (a *account) whole() {
	t := a.Tree
	ev := match.EvidenceOf(t.Name, english.PlainName(t.Name), t.About, t.Inputs)
	for s := range t.Walk {
		if s.Kind == tree.Parallel { // "two agents"
			ev.Numbers[float64(len(s.Branches))] = true
		}
	}
	a.claim("", ev, t.At...)
	for _, in := range t.Inputs {
		ev := match.EvidenceOf(in, english.PlainName(in.Name))
		if in.Type == "boolean" { // "intern yes/no"
			ev.Add("yes no")
		}
		a.claim("", ev, in.At...)
	}
	for _, g := range t.Triggers {
		ev := match.EvidenceOf(g.Cron, g.Zone, g.Channel, g.Match, g.Emoji, g.Path, g.By)
		for _, in := range t.Inputs { // "/release <version>"
			ev.Add(in.Name)
		}
		if g.Emoji != "" { // a reaction counts in the channel of the flow
			ev.Add(a.Channel)
		}
		ev.Times(g.Cron)
		for _, q := range g.At {
			ev.Negated = g.Cron != "" && !t.Texts[q.Text].Outline // a model's schedule was compared with "not on Fridays"
			a.claim("", ev, q)
		}
	}
	if d := t.Deadline; d != nil {
		ev := match.EvidenceOf(d.After, d.Time)
		ev.Times(d.Time)
		ev.Negated = len(d.Steps) > 0
		a.claim("", ev, d.At...)
	}
}

// step marks the words of a step: its phrase and its other quotes.
func (a *account) step(s *tree.Step) {
	ev := match.StepEvidence(s)
	a.most = s.Max > 0
	b := a.Tree.Before(s)
	people := func(s *tree.Step) bool { return s != nil && (s.Kind == tree.Ask || s.Doer == tree.DoerPerson) }
	if people(b) && len(b.Branches) == 0 && people(a.Tree.Before(b)) {
		ev.Add("both") // "when both have approved", "once both are done"
	}
	if b != nil && len(b.Branches) > 0 {
		ev.Add("both either")             // "in both cases"
		ev.Numbers[float64(b.Max)] = true // "if it still fails after five rounds"
	}
	if s.Kind == tree.Repeat && slices.ContainsFunc(s.Branches, func(b tree.Branch) bool {
		return slices.ContainsFunc(b.Steps, func(s tree.Step) bool { return s.Kind == tree.Parallel })
	}) {
		ev.Add("both all") // "then both check it again"
	}
	a.paint(s.Said, Became, s.ID)
	if f := a.Fills[s.ID]; f != nil {
		a.phrase(s, f)
	} else {
		a.said(s, ev)
	}
	fields := tree.Quotes(&s.Fields)
	a.around(s.ID, ev, append(slices.Clone(fields), tree.Quotes(s.Until)...), s.At)
	for i := range s.Branches {
		b := &s.Branches[i]
		a.claim(s.ID, ev.Branch(b), b.At...)
		a.conds(s, ev.Branch(b), b.When)
	}
	until := *ev
	until.Negated = ev.Negated || match.Negated(s.Until)
	a.conds(s, &until, s.Until)
	a.claim(s.ID, ev, fields...)
	for _, name := range s.Names() {
		a.claim(s.ID, ev, name.At)
	}
	a.claim(s.ID, ev, tree.Quotes(&s.Show)...)
	a.claim(s.ID, ev, s.Over.At)
}

func (a *account) conds(s *tree.Step, ev *match.Evidence, when *tree.Cond) {
	for _, c := range when.All() {
		a.claim(s.ID, ev, append(slices.Clone(c.At), c.Left.At, c.Right.At)...)
	}
}

// said marks the words of a text that its fields do not have.
func (a *account) said(s *tree.Step, has *match.Evidence) {
	all := a.letters(s.Said)
	for i := range all {
		all[i].spoken = true
	}
	for _, w := range WordsOf(a.Tree, s.Said) {
		if !has.Has(w) {
			a.paint(tree.Quote{Text: s.Said.Text, From: w.From, To: w.To}, NotUnderstood, s.ID)
		}
	}
	if s.ReadByPeople() && s.Kind != tree.Tell {
		for _, at := range values.Times(a.Tree.Words(s.Said)) { // it may be how long people have
			a.paint(tree.Quote{Text: s.Said.Text, From: s.Said.From + at.From, To: s.Said.From + at.To}, NotUnderstood, s.ID)
		}
	}
}

// phrase marks the words of a step that its tool does not explain. A person who chose the tool has read the words up to the first preposition, and
// up to what joins something else to them: "acknowledge it and claim it".
func (a *account) phrase(s *tree.Step, f *match.Filling) {
	chosen := slices.Contains(a.Tree.Settled, s.ID+".doer")
	for _, r := range f.Unexplained() {
		if slices.ContainsFunc(f.Words[r[0]:r[1]], func(w english.Word) bool {
			return !w.Stop() && !(w.Kind == english.PlainWord && vague[w.Low]) && !StandsIn(w, s.Said.Text, a.Tree.Replaced)
		}) && (!chosen || slices.ContainsFunc(f.Words[:r[1]], func(w english.Word) bool {
			return w.From > f.Words[0].From && (match.Prepositions[w.Low] || match.Joining[w.Low]) || w.Matters()
		})) {
			a.paint(f.Quote(r[0], r[1]), NotUnderstood, s.ID)
		}
	}
}

// vague are words that do not change what a tool does, whatever they stand with.
var vague = english.WordSet(`given provided respective fitting suitable appropriate necessary required relevant actual proper overall existing formats form accordingly respectively properly correctly successfully basically simply called named titled`)

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
don't|don’t|dont|do_not forget to
hi|hello|hey|basically|please|pls|thanks|thx|cheers|regards|dear|sluice|@sluice`)

// functionWords join sentences and have no meaning by themselves. A negation is none of them.
var functionWords = english.WordSet(`a an the and or then also it this that these those they them he she there is are be was were will to of for with by as so i we you our
my your their its in on at from into after when if once which who whose now first next finally lastly step steps follow following has have do does`)

// incomplete are function words that leave something out when nothing is behind them: "who is off and when".
var incomplete = english.WordSet(`if when once who which whose`)

// words marks the bytes that no element has claimed: as courtesies, as function words or as not understood.
func (a *account) words(text int) {
	all := english.Scan(a.Tree.Texts[text].Words)
	free := func(words []english.Word) bool {
		return !slices.ContainsFunc(words, func(w english.Word) bool {
			return slices.ContainsFunc(a.texts[text][w.From:w.To], func(l letter) bool { return l.state != blank })
		})
	}
	for len(all) > 0 {
		n, state := 1, NotUnderstood
		if w := all[0]; w.Kind == english.SignWord || w.Kind == english.PlainWord && functionWords[w.Low] && !(incomplete[w.Low] && (len(all) == 1 || all[1].Kind == english.SignWord)) || english.ListNumber(a.Tree.Texts[text].Words, w.From, w.To) {
			state = glue
		}
		for _, c := range courtesies {
			if state != Courtesy && len(all) >= len(c) && slices.EqualFunc(all[:len(c)], c, func(w english.Word, low string) bool { return w.Low == low && w.Kind != english.QuotedWord }) && free(all[:len(c)]) {
				n, state = len(c), Courtesy
			}
		}
		if free(all[:1]) {
			a.paint(tree.Quote{Text: text, From: all[0].From, To: all[n-1].To}, state, "")
		}
		all = all[n:]
	}
}

// clauses cuts a text where the state or the step changes, and between sentences that are not understood. Glue belongs to the clause before it, and at the beginning to the clause behind
// it. The words that lead to a part that is not understood belong to that part: "in project IT".
func (a *account) clauses(text int) (out []Clause) {
	words := a.Tree.Texts[text].Words
	leads := -1 // where the words that lead to the next clause begin
	starts, sentence := map[int]bool{}, 0
	for _, s := range prose.Split(words) {
		head := strings.TrimRight(words[:s[0].From], " \t\r\n")
		last := english.Before(head, len(head))
		starts[s[0].From] = last != ',' && !english.WordRune(last) || s[0].Text != s[0].Low // another line may go on in small letters
	}
	for i, r := range words {
		if starts[i] {
			leads, sentence = -1, i
		}
		switch l := a.texts[text][i]; {
		case l.state != blank && l.state != glue:
			last := len(out) - 1
			if last < 0 || out[last].State != l.state || out[last].Step != l.step || l.state == NotUnderstood && out[last].Quote.From < sentence {
				from := i
				if last < 0 {
					from, sentence = 0, 0
				} else if l.state == NotUnderstood && leads >= 0 {
					from = leads
				}
				if last >= 0 {
					out[last].Quote.To = from
				}
				out = append(out, Clause{Quote: tree.Quote{Text: text, From: from}, State: l.state, Step: l.step})
			}
			leads = -1
		case l.state == glue && leads < 0 && len(out) > 0 && english.WordRune(r):
			leads = i
		case l.state == glue && strings.ContainsRune(".;!?\n", r):
			leads = -1
		}
	}
	if len(out) == 0 && words != "" {
		out = []Clause{{Quote: tree.Quote{Text: text}, State: Courtesy}}
	}
	if len(out) > 0 {
		out[len(out)-1].Quote.To = len(words)
	}
	return out
}
