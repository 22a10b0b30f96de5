package model

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/match"
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
	was, is  map[string]string // by the id of a step: what it does
	words    []string          // of the change
	text     int               // its index
	out      []Difference
}

// Differences lists what differs between a draft and the one that the words of a change made of it.
func Differences(w env.World, old, now *tree.Tree) []Difference {
	c := &comparison{old: planner.Plan(old, w), now: planner.Plan(now, w), text: len(now.Texts) - 1}
	c.words = asked(now.Texts[c.text].Words)
	c.was, c.is = lines(c.old, w), lines(c.now, w)
	for s := range old.Walk {
		c.step(s, now.Step(s.ID))
	}
	for s := range now.Walk {
		if old.Step(s.ID) == nil {
			c.add(s.Kind == tree.Set || c.fresh(s), "Step %s is new: %s", c.now.Numbers[s.ID], c.is[s.ID])
		}
	}
	if !slices.Equal(common(old, now), common(now, old)) {
		c.add(match.Shares(c.words, strings.Fields("before after first last move swap order")), "The order of the steps is another one.")
	}
	if old.Name != now.Name {
		c.add(match.Shares(c.words, wordsOf(now.Name)), "The name was %q, now it is %q.", cmp.Or(old.Name, old.Called), now.Name)
	}
	was, is := parts(old), parts(now)
	c.rescheduled(was, is)
	c.whole(was, is)
	return c.out
}

// common lists the steps of a tree that another one has, too, in order. A name of a value may stand anywhere.
func common(t, other *tree.Tree) (ids []string) {
	for s := range t.Walk {
		if o := other.Step(s.ID); o != nil && s.Kind != tree.Set && o.Kind != tree.Set {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// confirm has a person confirm what a change did although its words do not name it.
func confirm(w env.World, old, now *tree.Tree) {
	now.Objections = nil
	for i, d := range Differences(w, old, now) {
		if !d.Named {
			now.Objections = append(now.Objections, tree.Objection{ID: fmt.Sprintf("%d.change.%d", len(now.Texts), i+1), Text: english.Shorten(d.Text, 400), Change: true})
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
	named := old.Kind == tree.Set && now.Kind == tree.Set || names(c.words, old, c.old) || c.fresh(b) && (old.Kind != tree.Ask || onlyTimes(a, b))
	c.add(named, "Step %s was: %s Now it is: %s", number, c.was[old.ID], c.is[now.ID])
}

// onlyTimes reports whether people have another time or are reminded otherwise, and all else of a question is as it was: who is asked, what they
// answer, and what no answer counts as.
func onlyTimes(a, b tree.Step) bool {
	for _, s := range []*tree.Step{&a, &b} {
		d := tree.Deadline{}
		if s.Deadline != nil {
			d = *s.Deadline
		}
		d.Remind, d.RemindOnce, d.After, d.EscalateAfter = "", false, "", ""
		s.Deadline, s.At = &d, nil
	}
	return asJSON(plain(a, nil)) == asJSON(plain(b, nil))
}

// own is a step without the steps below it and without its number.
func own(s *tree.Step) tree.Step {
	o := s.Own()
	o.No, o.Parts = 0, nil
	return o
}

// parts are what a tree has beside its steps, by what they are called: inputs that words give, triggers and the time limit.
func parts(t *tree.Tree) map[string]any {
	out := map[string]any{}
	for i := range t.Inputs {
		if in := &t.Inputs[i]; len(in.At) > 0 { // others come and go with the step that needs them
			out[fmt.Sprintf("Input %q", in.Name)] = in
		}
	}
	for i := range t.Triggers {
		if g := &t.Triggers[i]; !g.By {
			out[fmt.Sprintf("Start (trigger or schedule) %q", g.Words)] = g
		}
	}
	if t.Deadline != nil {
		out["Time limit (deadline)"] = t.Deadline
	}
	return out
}

// rescheduled compares the only schedule of a tree with the only one of another, and takes both away. Whether "also" one stays is for a person to say.
func (c *comparison) rescheduled(was, is map[string]any) {
	only := func(all map[string]any) (key string) {
		for what, part := range all {
			if g, ok := part.(*tree.Trigger); ok && g.Cron != "" {
				if key != "" {
					return ""
				}
				key = what
			}
		}
		return key
	}
	if a, b := only(was), only(is); a != "" && b != "" && a != b && c.fresh(is[b]) {
		c.add(!match.Shares(c.words, strings.Fields("also too additionally besides another")), "The schedule was %q, now it is %q.", was[a].(*tree.Trigger).Words, is[b].(*tree.Trigger).Words)
		delete(was, a)
		delete(is, b)
	}
}

// whole compares the parts of two trees.
func (c *comparison) whole(was, is map[string]any) {
	for _, what := range slices.Sorted(maps.Keys(was)) {
		if is[what] == nil {
			c.add(match.Shares(stems(c.words), stems(wordsOf(what))), "%s is gone.", what)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(is)) {
		if asJSON(plain(is[what], nil)) != asJSON(plain(was[what], nil)) {
			c.add(c.fresh(is[what]), "%s is new.", what)
		}
	}
}

var quoted = regexp.MustCompile(`"[^"]*"|“[^”]*”|«[^»]*»|„[^“]*“`)

// asked gives the words by which something is asked for: what stands in quotes is said to others.
func asked(words string) []string { return wordsOf(quoted.ReplaceAllString(words, " ")) }

var (
	// removals are words that ask for something to go.
	removals = strings.Fields("remove removes delete drop skip without no not cancel instead replace replaced stop rather longer unnecessary don't")
	// pointing are words before the number of a step.
	pointing = strings.Fields("step steps number remove delete drop skip and or")
	// asking are the beginnings of words for any question to people.
	asking = strings.Fields("appro accep confi revie sign signo decis decid answe gate gates quest ask")
	// joining are words that name nothing by themselves.
	joining = strings.Fields("the and then that this with from into when after before them they their will should must also have been not for its all every both step steps any who are was instead remove workflow")
)

// gatesGone lists questions of the base that are missing although the new words do not ask for that.
func (f *fill) gatesGone() (out []string) {
	if f.base == nil {
		return nil
	}
	words, p := asked(f.words), f.plan
	for s := range f.base.Walk {
		if now := f.t.Step(s.ID); s.Kind == tree.Ask && (now == nil || now.Kind != tree.Ask) && !(match.Shares(words, removals) && names(words, s, p)) {
			out = append(out, fmt.Sprintf("Step %s is a question to people, and the description does not ask for its removal: keep it.", p.Numbers[s.ID]))
		}
	}
	return out
}

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
	called := beginnings(words)
	if s.Kind != tree.Ask {
		return match.Shares(called, beginnings(wordsOf(said.String())))
	}
	own := slices.DeleteFunc(beginnings(wordsOf(said.String())), func(w string) bool { return slices.Contains(asking, w) })
	asks := slices.DeleteFunc(slices.Collect(p.Tree.Walk), func(s *tree.Step) bool { return s.Kind != tree.Ask })
	return match.Shares(called, own) || match.Shares(called, asking) && (len(asks) == 1 || match.Shares(words, strings.Fields("all every both approvals")))
}

// beginnings gives the first letters of words that say something, so that "approval" meets "approve".
func beginnings(words []string) (out []string) {
	for _, w := range words {
		if !slices.Contains(joining, w) {
			out = append(out, stems([]string{w})...)
		}
	}
	return out
}

func stems(words []string) (out []string) {
	for _, w := range words {
		if len(w) > 2 && w != "the" {
			out = append(out, w[:min(len(w), 5)])
		}
	}
	return out
}
