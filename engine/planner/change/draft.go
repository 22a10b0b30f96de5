package change

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/quantity"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// draft is the tree under change. It finds steps by their numbers and by words, and reads words of the change.
type draft struct {
	t       *tree.Tree
	text    int               // the text that asks for the change
	numbers map[string]string // number of a step -> its id
	names   map[string]string // id -> number
	read    []tree.Quote      // words of the change that were read as steps or as what is said of one
}

func newDraft(t *tree.Tree, text, author string, people []string) draft {
	d := draft{t: t.Clone(), text: len(t.Texts), numbers: map[string]string{}, names: t.Numbers()}
	for id, n := range d.names {
		d.numbers[n] = id
	}
	d.t.Texts = append(d.t.Texts, tree.Text{Words: text, Author: author, People: people, Outline: true})
	return d
}

// spot is a step in its list.
type spot struct {
	*tree.Step
	list *[]tree.Step
	at   int
}

var number = Pattern(`NUMBER`)

// findBoth is find for two steps.
func (d *draft) findBoth(first, second string) (a, b spot, err error) {
	if a, err = d.find(first); err == nil {
		b, err = d.find(second)
	}
	return a, b, err
}

// find gives the place of a step by its number, or by words that only it is about: "the archiving", "creating the ticket", "tell #ops".
// ErrNone: no step is.
func (d *draft) find(words string) (spot, error) {
	words = byNumber.ReplaceAllString(fluff.ReplaceAllString(words, ""), "$1")
	nth, err := d.nth(words)
	if err != nil {
		return spot{}, err
	}
	id := cmp.Or(d.numbers[strings.ToLower(words)], nth)
	if _, term := values.Term(words); id == "" && term {
		return spot{}, ErrNone
	}
	if id == "" && !number.MatchString(words) {
		hits := d.all(func(s *tree.Step) bool { return phrase.MentionsWords(spoken(s), words) })
		s, err := d.only(hits, "“%[3]s” can be the steps %[1]s: say which one is meant by its number.", strings.TrimSpace(words))
		if err != nil {
			return spot{}, err
		}
		id = s.ID
	}
	if p, ok := d.place(id); ok {
		return p, nil
	}
	return spot{}, Cannot("There is no step %s.%s", words, d.insteadOf(words))
}

// insteadOf names the steps that are near to a number that none has.
func (d *draft) insteadOf(missing string) string {
	top := strings.TrimRightFunc(missing, func(r rune) bool { return r < '0' || r > '9' })
	if at := strings.IndexFunc(missing, func(r rune) bool { return r < '0' || r > '9' }); at >= 0 {
		top = missing[:at]
	}
	var near []string
	last := ""
	for s := range d.t.Walk {
		name := d.names[s.ID]
		if list, _ := d.t.Place(s.ID); list == &d.t.Steps {
			last = name
		}
		if rest, below := strings.CutPrefix(name, top); below && (rest == "" || rest[0] > '9') && len(near) < mostNamed {
			near = append(near, name+" ("+label(s)+")")
		}
	}
	out := " The last one is step " + last + "."
	if len(near) > 0 {
		out = " There are " + english.Join(near, "and") + "."
	}
	if len(near) == 1 {
		out = " There is " + near[0] + "."
	}
	if d.text > 1 {
		out += " The steps of an earlier draft had other numbers."
	}
	return out
}

const mostNamed = 6 // steps that an error names

// ordinals are words for the place of a step; -1 is the last one.
var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}

var ordinal = regexp.MustCompile(`(?i)^(?:the )?(first|second|third|fourth|fifth|last) (?:step|one|(message|approval|question|wait))$`)

// nth gives the id of the step that is meant by its place: "the last step"; "" = none is.
func (d *draft) nth(words string) (string, error) {
	m := ordinal.FindStringSubmatch(strings.TrimSpace(words))
	if m == nil || len(d.t.Steps) == 0 {
		return "", nil
	}
	n := ordinals[strings.ToLower(m[1])]
	if kind := strings.ToLower(m[2]); kind != "" {
		all := d.all(func(s *tree.Step) bool { return slices.Contains(strings.Fields(kinds[s.Kind]), kind) })
		if n < 0 {
			n = len(all)
		}
		if n == 0 || n > len(all) {
			return "", nil
		}
		return all[n-1].ID, nil
	} else if n > 0 {
		return d.numbers[strconv.Itoa(n)], nil
	}
	all := d.all(func(*tree.Step) bool { return true })
	whole, inner := d.t.Steps[len(d.t.Steps)-1].ID, all[len(all)-1].ID
	if whole != inner {
		return "", Cannot("“%s” can be step %s with all below it, or step %s: say which one is meant by its number.", strings.TrimSpace(words), d.names[whole], d.names[inner])
	}
	return whole, nil
}

// only is the one step of those that fit. ErrNone: none does. With several the error has the words of a format, in which %[1]s are the
// numbers of all of them, and %[2]s is the first.
func (d *draft) only(fits []*tree.Step, several string, args ...any) (*tree.Step, error) {
	switch len(fits) {
	case 0:
		return nil, ErrNone
	case 1:
		return fits[0], nil
	}
	var at []string
	for _, s := range fits {
		at = append(at, d.names[s.ID])
	}
	return nil, Cannot(several, append([]any{strings.Join(at, ", "), at[0]}, args...)...)
}

// byNumber finds the number of a step with words around it: "do step 3".
var byNumber = regexp.MustCompile(`(?i)^\s*(?:do )?(?:step )?([0-9]+[0-9a-z]*)\s*$`)

// fluff are words around what a step is about: "@ana's filing".
var fluff = regexp.MustCompile(`(?i)(?:'s|’s)\b`)

func (d *draft) place(id string) (spot, bool) {
	list, at := d.t.Place(id)
	if list == nil {
		return spot{}, false
	}
	return spot{&(*list)[at], list, at}, true
}

// holds reports whether a step is among some steps, or below one of them.
func holds(steps []tree.Step, id string) bool { return (&tree.Tree{Steps: steps}).Step(id) != nil }

// quote finds words of the change in its text.
func (d *draft) quote(words string) tree.Quote {
	words = strings.TrimSpace(words)
	if at := strings.LastIndex(d.t.Texts[d.text].Words, words); at >= 0 && words != "" {
		return tree.Quote{Text: d.text, From: at, To: at + len(words)}
	}
	return tree.Quote{}
}

// reply is the text of the change in small letters.
func (d *draft) reply() string { return strings.ToLower(d.t.Texts[d.text].Words) }

// forget accounts for the words of a part that a change takes away.
func (d *draft) forget(part any) {
	d.t.Replaced = append(d.t.Replaced, tree.Quotes(part)...)
}

// steps reads words of the change as steps.
func (d *draft) steps(words string) ([]tree.Step, error) {
	q := d.quote(words)
	if q.Empty() { // they do not stand together in the text
		q = d.addText(words)
	}
	steps := outline.Steps(d.t, q)
	if len(steps) == 0 || placed.MatchString(words) {
		return nil, Cannot("I cannot read “%s” as a step.", strings.TrimSpace(words))
	}
	if when := steps[0].Conds(); len(when) > 0 && answered.MatchString(when[0].Words) {
		return nil, Cannot("Say which question has the answer “%s”, such as “in step 1, if %s, ...”.", when[0].Words, when[0].Words)
	}
	if steps[0].Kind == tree.Stop { // "stop and tell #ops": what is said behind it is done before the run ends
		steps = append(steps[1:], steps[0])
	}
	d.read = append(d.read, q)
	return steps, nil
}

// placed finds the place of another step in words that were to be steps, or said of one.
var placed = regexp.MustCompile(`(?i)\b(?:before|after|behind|in) step [0-9]`)

// at gives the place of a step by its number, and reads words of the change as steps.
func (d *draft) at(number, words string) (p spot, steps []tree.Step, err error) {
	if p, err = d.find(number); err == nil {
		steps, err = d.steps(words)
	}
	return p, steps, err
}

// all lists the steps for which something holds.
func (d *draft) all(that func(s *tree.Step) bool) (out []*tree.Step) {
	for s := range d.t.Walk {
		if that(s) {
			out = append(out, s)
		}
	}
	return out
}

// kinds are words by which people call steps of a kind.
var kinds = map[tree.Kind]string{tree.Ask: "ask approval approve question gate sign-off", tree.Tell: "tell message notification inform notify post reminder remind", tree.Wait: "wait waiting", tree.Agent: "AI agent"}

// spoken gives all words by which a step can be meant.
func spoken(s *tree.Step) string {
	var out strings.Builder
	out.WriteString(s.Text + " " + s.Event)
	if s.Kind != tree.Ask || !s.Free && len(s.Fields) == 0 {
		out.WriteString(" " + kinds[s.Kind])
	} else {
		out.WriteString(" ask question")
	}
	for _, n := range s.Names() {
		out.WriteString(" " + n.Words + " " + n.Is)
	}
	return out.String()
}

// asking gives the steps that people answer: all of them, or those of whom the words name.
func (d *draft) asking(who string) []*tree.Step {
	who = strings.ToLower(strings.TrimSpace(who))
	all := slices.Contains([]string{"", "them", "him", "her", "they", "he", "she", "people", "each of them", "all of them", "deadline", "time limit"}, who)
	return d.all(func(s *tree.Step) bool {
		return (s.Kind == tree.Ask || s.Doer == tree.DoerPerson) && (all || phrase.MentionsWords(spoken(s), who)) || d.names[s.ID] == who && s.TakesTime()
	})
}

// gates lists the questions to people.
func (d *draft) gates() []*tree.Step {
	return d.all(func(s *tree.Step) bool { return s.Kind == tree.Ask })
}

// one gives the only step that people answer.
func (d *draft) one(who string) (*tree.Step, error) {
	all := d.asking(who)
	if len(all) == 0 && len(d.asking("")) == 0 {
		return nil, Cannot("Nobody is asked anything in this flow.")
	}
	return d.only(all, "People answer in the steps %[1]s: say which one is meant, such as “%[2]s has ...”.")
}

// addText adds words that were made of older ones, to be read again.
func (d *draft) addText(words string) tree.Quote {
	d.t.Texts = append(d.t.Texts, tree.Text{Words: words, Author: d.t.Texts[d.text].Author, People: d.t.Texts[d.text].People})
	return tree.Quote{Text: len(d.t.Texts) - 1, To: len(words)}
}

// sourceOf gives the words that a part was read from: from its first quote to its last; "" when they stand in several texts.
func (d *draft) sourceOf(part any) string {
	all := tree.Quotes(part)
	span := tree.Span(all)
	if slices.ContainsFunc(all, func(q tree.Quote) bool { return q.Text != span.Text }) {
		return ""
	}
	if mark := listMark.FindString(d.t.Words(span)); mark != "" { // the number of the step is no part of its words
		span.From += len(mark)
	}
	return d.t.Words(span)
}

var listMark = regexp.MustCompile(`^\s*(?:[Ss]tep )?[0-9]+[.):]\s+`)

// below reports whether a step inside this one has the words.
func (d *draft) below(s *tree.Step, old string) (found bool) {
	for inner := range s.Walk {
		found = found || inner.ID != s.ID && len(quantity.Places(d.sourceOf(inner), old)) > 0
	}
	return found
}

func (d *draft) insert(at spot, where string, steps []tree.Step) {
	i := at.at
	if !strings.EqualFold(where, "before") {
		i++
	}
	*at.list = slices.Insert(*at.list, i, steps...)
	d.t.Renumber()
}

// Reread puts the steps that words are into the place of a step: "@ana publishes the notes, then tell #ops". ErrNone: the words are no steps, or they
// name nobody who acts and what the step does is known, so that they are a text. What the person gives who starts a run is no step.
func Reread(t *tree.Tree, text, author, step string, people ...string) (*tree.Tree, error) {
	d := newDraft(t, text, author, people)
	p, ok := d.place(step)
	if !ok || strings.HasSuffix(strings.TrimSpace(text), "?") {
		return nil, ErrNone
	}
	old, steps := *p.Step, outline.Steps(d.t, d.quote(text))
	open := old.Kind == tree.Do && old.Doer == tree.DoerOpen
	if m := starterGives().FindStringSubmatch(text); m != nil && open && len(d.t.Steps) > 1 && outline.Inputs(d.t, d.quote(m[1])) {
		d.forget(p.Step)
		*p.list = slices.Delete(*p.list, p.at, p.at+1)
		d.t.Renumber()
		c := &changing{draft: d}
		c.cover()
		d.t.Forget()
		return c.t, nil
	}
	if len(steps) == 0 || !open && !namesSomebody(&steps[0]) {
		return nil, ErrNone
	}
	if len(old.Branches) > 0 || old.Deadline != nil {
		return nil, Cannot("More is said of step %s than its text: write it anew with all of that, such as “%s. %s, ...”.", d.names[old.ID], d.names[old.ID], strings.TrimSpace(text))
	}
	d.confirm(d.exchange(p, steps))
	d.t.Forget()
	d.twice(t)
	return d.t, nil
}

// namesSomebody reports whether words say by a name who acts in a step, or who gets its message.
func namesSomebody(s *tree.Step) bool {
	return slices.ContainsFunc(s.Names(), func(n *tree.Name) bool { return !n.At.Empty() && strings.ContainsAny(n.Words[:1], "@#<") })
}
