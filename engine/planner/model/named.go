package model

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner"
	"sluice/engine/planner/env"
	"sluice/engine/planner/tree"
)

// Difference is what a change did to one part of a draft.
type Difference struct {
	Text  string // a sentence, with what was there and what is there now
	Named bool   // the words of the change speak of it
}

// comparison compares a draft with a changed one.
type comparison struct {
	old, now *planner.Proposal
	was, is  map[string]string // by the number of a step: what it does
	words    []string          // of the change
	text     int               // its index
	out      []Difference
}

// Differences lists what differs between a draft and the one that the words of a change made of it.
func Differences(w env.World, old, now *tree.Tree) []Difference {
	c := &comparison{old: planner.Plan(old, w), now: planner.Plan(now, w), text: len(now.Texts) - 1}
	c.words = asked(now.Texts[c.text].Words)
	c.was, c.is = lines(c.old, w), lines(c.now, w)
	var before, after []string
	for s := range old.Walk {
		c.step(s, now.Step(s.ID))
		if is := now.Step(s.ID); is != nil && s.Kind != tree.Set && is.Kind != tree.Set {
			before = append(before, s.ID)
		}
	}
	for s := range now.Walk {
		switch was := old.Step(s.ID); {
		case was == nil:
			c.add(s.Kind == tree.Set || c.fresh(s), "Step %s is new: %s", c.now.Numbers[s.ID], c.is[s.ID])
		case s.Kind != tree.Set && was.Kind != tree.Set:
			after = append(after, s.ID)
		}
	}
	if !slices.Equal(before, after) {
		c.add(c.says("before", "after", "first", "last", "then", "move", "swap", "order", "earlier", "later", "end", "beginning"), "The order of the steps is another one.")
	}
	c.whole(old, now)
	return c.out
}

// confirm has a person confirm what a change did although its words do not name it.
func confirm(w env.World, old, now *tree.Tree) {
	now.Objections = nil
	for i, d := range Differences(w, old, now) {
		if !d.Named {
			now.Objections = append(now.Objections, tree.Objection{ID: fmt.Sprintf("%d.change.%d", len(now.Texts), i+1), Text: cut(d.Text, 400), Change: true})
		}
	}
}

// lines gives what each step does, by its id.
func lines(p *planner.Proposal, w env.World) map[string]string {
	does, out := p.Does(w.Tools), map[string]string{}
	for s := range p.Tree.Walk {
		out[s.ID] = cmp.Or(does[p.Numbers[s.ID]], "“"+s.Text+"”.")
	}
	return out
}

func (c *comparison) add(named bool, format string, args ...any) {
	c.out = append(c.out, Difference{fmt.Sprintf(format, args...), named})
}

func (c *comparison) says(any ...string) bool {
	return slices.ContainsFunc(c.words, func(w string) bool { return slices.Contains(any, w) })
}

// fresh reports whether an element quotes the words of the change.
func (c *comparison) fresh(part any) bool {
	return slices.ContainsFunc(tree.Quotes(part), func(q tree.Quote) bool { return q.Text == c.text })
}

// step compares one step without the steps below it. Who is asked, and for what, changes only where the words name the question. The name of
// a value says nothing of what is done.
func (c *comparison) step(old, now *tree.Step) {
	number := c.old.Numbers[old.ID]
	if now == nil {
		c.add(old.Kind == tree.Set || names(c.words, old, c.old), "Step %s is gone: %s", number, c.was[old.ID])
		return
	}
	a, b := own(old), own(now)
	if asJSON(plain(a, nil)) == asJSON(plain(b, nil)) || c.was[old.ID] == c.is[now.ID] && asJSON(a.Until) == asJSON(b.Until) {
		return
	}
	named := old.Kind == tree.Set && now.Kind == tree.Set || names(c.words, old, c.old) || old.Kind != tree.Ask && c.fresh(b)
	c.add(named, "Step %s was: %s Now it is: %s", number, c.was[old.ID], c.is[now.ID])
}

// own is a step without the steps below it and without its number.
func own(s *tree.Step) tree.Step {
	o := s.Own()
	o.No, o.Parts = 0, nil
	return o
}

// part is what a tree has beside its steps.
type part struct {
	key, is     string // the same part in another tree has the same key
	called      string
	there, gone string // sentences
	asked       []string
	quotes      any
}

// parts lists inputs that words give, triggers and the time limit.
func parts(t *tree.Tree) (out []part) {
	for i := range t.Inputs {
		if in := &t.Inputs[i]; len(in.At) > 0 { // others come and go with the step that needs them
			out = append(out, part{in.Name, in.Type + strings.Join(in.Enum, "|"), in.Name, fmt.Sprintf("A run is given %q.", in.Name), fmt.Sprintf("A run is not given %q any more.", in.Name), []string{"input", "inputs"}, in})
		}
	}
	for i := range t.Triggers {
		if g := &t.Triggers[i]; !g.By {
			start := strings.Fields("trigger schedule start starts run when every")
			out = append(out, part{asJSON(plain(g, nil)), "", g.Words, fmt.Sprintf("It is started by %q.", g.Words), fmt.Sprintf("It is not started by %q any more.", g.Words), start, g})
		}
	}
	if d := t.Deadline; d != nil {
		is := d.After + d.Time
		out = append(out, part{"limit", is, "", "The time limit for the whole is " + is + ".", "There is no time limit for the whole any more.", []string{"limit", "deadline", "time"}, d})
	}
	return out
}

// whole compares the names and the parts of two trees.
func (c *comparison) whole(old, now *tree.Tree) {
	if old.Name != now.Name {
		c.add(c.says("name", "call", "called", "rename"), "The name was %q, now it is %q.", old.Name, now.Name)
	}
	was, is := parts(old), parts(now)
	for _, p := range was {
		if !slices.ContainsFunc(is, func(n part) bool { return n.key == p.key }) {
			c.add(c.says(p.asked...) || shareWord(p.called, strings.Join(c.words, " ")), "%s", p.gone)
		}
	}
	for _, p := range is {
		if !slices.ContainsFunc(was, func(o part) bool { return o.key == p.key && o.is == p.is }) {
			c.add(c.fresh(p.quotes), "%s", p.there)
		}
	}
}

var quoted = regexp.MustCompile(`"[^"]*"|“[^”]*”|«[^»]*»|„[^“]*“`)

// asked gives the words by which something is asked for: what stands in quotes is said to others.
func asked(words string) []string { return wordsOf(quoted.ReplaceAllString(words, " ")) }

// removals are words that ask for something to go.
var removals = strings.Fields("remove removes delete drop skip without no not cancel instead replace replaced stop rather longer unnecessary don't")

// gatesGone lists questions of the base that are missing although the new words do not ask for that.
func (f *fill) gatesGone() (out []string) {
	if f.base == nil {
		return nil
	}
	words, p := asked(f.words), planner.Plan(f.base, f.w)
	removed := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(removals, w) })
	for s := range f.base.Walk {
		if now := f.t.Step(s.ID); s.Kind == tree.Ask && (now == nil || now.Kind != tree.Ask) && !(removed && names(words, s, p)) {
			out = append(out, fmt.Sprintf("Step %s is a question to people, and the description does not ask for its removal: keep it.", p.Numbers[s.ID]))
		}
	}
	return out
}

// pointing are words before the number of a step.
var pointing = strings.Fields("step steps number remove delete drop skip and or")

// asking are the beginnings of words for any question to people.
var asking = strings.Fields("appro accep confi revie sign signo decis decid answe gate gates quest ask")

// names reports whether words speak of a step: by its number, by a word of its text, or by who does it or is asked. A question is not
// named by what every question is called, unless it is the only one or all are meant.
func names(words []string, s *tree.Step, p *planner.Proposal) bool {
	for i, w := range words {
		if w == p.Numbers[s.ID] && (i == 0 || slices.Contains(pointing, words[i-1])) {
			return true
		}
	}
	var said strings.Builder
	said.WriteString(s.Text + " " + s.Result)
	for _, n := range s.Names() {
		said.WriteString(" " + n.Words + " " + n.Is)
	}
	own, called := beginnings(wordsOf(said.String())), beginnings(words)
	general := func(w string) bool { return s.Kind == tree.Ask && slices.Contains(asking, w) }
	if slices.ContainsFunc(called, func(w string) bool { return slices.Contains(own, w) && !general(w) }) {
		return true
	}
	asks := 0
	for s := range p.Tree.Walk {
		if s.Kind == tree.Ask {
			asks++
		}
	}
	all := slices.ContainsFunc(words, func(w string) bool { return slices.Contains([]string{"all", "every", "both", "approvals"}, w) })
	return slices.ContainsFunc(called, general) && (asks == 1 || all)
}

// beginnings gives the first letters of words that say something, so that "approval" meets "approve".
func beginnings(words []string) (out []string) {
	for _, w := range words {
		if len(w) > 2 && !slices.Contains(joining, w) {
			out = append(out, w[:min(len(w), 5)])
		}
	}
	return out
}

// joining are words that name nothing by themselves.
var joining = strings.Fields("the and then that this with from into when after before them they their will should must also have been not for its all every both step steps any who are was instead remove workflow")
