package change

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

func (c *changing) rename(name string) error {
	name = strings.Trim(name, `"'“”.`)
	if verbs.MatchString(name) || strings.ContainsAny(name, ",;:") { // "call it refund and run it daily"
		return ErrNone
	}
	if name == "" || len(strings.Fields(name)) > 8 {
		return Cannot("“%s” is no name for a flow.", name)
	}
	c.say("The flow is called %s.", name)
	c.t.Name = name
	return nil
}

var (
	numbers    = Pattern(`NUMBERS`)
	stepNumber = regexp.MustCompile(`[0-9]+[0-9a-z]*`)
)

func (c *changing) remove(which string) error {
	all := stepNumber.FindAllString(strings.ToLower(which), -1)
	if !numbers.MatchString(which) {
		all = []string{which}
	}
	for _, n := range all {
		what := strings.TrimPrefix(strings.TrimPrefix(n, "ask for "), "the ")
		if slices.ContainsFunc(c.t.Inputs, func(in tree.Input) bool { return strings.EqualFold(strings.ReplaceAll(in.Name, "_", " "), what) }) {
			return Cannot("A run is given the %s. Say that it is optional, such as “the %s is optional”, or write the flow anew.", what, what)
		}
		p, err := c.find(n)
		if err != nil {
			return err
		}
		name := c.holdsName(n)
		if others := slices.Concat(p.Who, p.To); name != "" && (!isName(others, name) || len(p.Who) > 1 || len(p.To) > 1) {
			return c.oneOf(p.Step, name)
		}
		if len(c.t.Steps) == 1 && p.list == &c.t.Steps {
			return Cannot("Step %s is the only one: a flow without steps does nothing.", c.names[p.ID])
		}
		if !numbers.MatchString(n) && p.Kind == tree.Ask && name != "" {
			c.object("gone", "all of step %s is gone: %s", c.names[p.ID], label(p.Step))
		}
		c.forget(p.Step)
		c.say("Step %s is gone: %s.", c.names[p.ID], label(p.Step))
		*p.list = slices.Delete(*p.list, p.at, p.at+1)
		c.prune(&c.t.Steps)
	}
	if len(c.t.Steps) == 0 {
		return Cannot("Nothing would be left: a flow without steps does nothing.")
	}
	c.t.Renumber()
	return nil
}

// removeAfter is "remove everything after 2".
func removeAfter(c *changing, step string) error {
	from, err := strconv.Atoi(step)
	if err != nil || from >= len(c.t.Steps) {
		return ErrNone
	}
	var all []string
	for n := from + 1; n <= len(c.t.Steps); n++ {
		all = append(all, strconv.Itoa(n))
	}
	return c.remove(strings.Join(all, ", "))
}

// prune removes decisions and loops in which a removal has left no step.
func (d *draft) prune(list *[]tree.Step) {
	*list = slices.DeleteFunc(*list, func(s tree.Step) bool {
		holds := len(s.Branches) == 0
		for i := range s.Branches {
			d.prune(&s.Branches[i].Steps)
			holds = holds || len(s.Branches[i].Steps) > 0
		}
		if !holds && (s.Kind == tree.Decide || s.Kind == tree.Each || s.Kind == tree.Repeat || s.Kind == tree.Parallel) {
			d.forget(&s)
			return true
		}
		return false
	})
}

// givesInput finds words that say what a run is given.
var givesInput = regexp.MustCompile(`^\s*(?:the )?inputs?(?: are| is)?\s*:|\b(?:requester|submitter)\b|\b(?:starts?|runs?|begins?|triggers?) (?:it|this|that|a run|the|this)\b`)

// inputs adds values that a run is given: "also ask for the end date".
func (c *changing) inputs(what string) error {
	before := len(c.t.Inputs)
	if strings.Contains(what, " instead of ") {
		return Cannot("What a run is given is not exchanged, so nothing has changed: write “also ask for ...”, and “the ... is optional” for what is not needed any more.")
	}
	if before == 0 && !c.more() && !givesInput.MatchString(c.reply()) || !outline.Inputs(c.t, c.quote(what)) || len(c.t.Inputs) == before {
		return ErrNone
	}
	forms := c.all(func(s *tree.Step) bool { return s.Kind == tree.Ask && len(s.Fields) > 0 })
	if before == 0 && len(forms) > 0 && slices.ContainsFunc(c.t.Triggers, func(g tree.Trigger) bool { return !g.By }) {
		return Cannot("Nobody gives values when this flow starts. If somebody is to be asked for them, write the step anew, such as “%s. ask %s for ... and %s”.", c.names[forms[0].ID], forms[0].Who[0].Words, what)
	}
	c.say("A run is given %s, too.", what)
	return nil
}

// require makes an input required or optional.
func (c *changing) require(what, need string) error {
	for i := range c.t.Inputs {
		in := &c.t.Inputs[i]
		if !phrase.MentionsWords(strings.ReplaceAll(in.Name, "_", " ")+" "+in.About, what) {
			continue
		}
		in.Optional = strings.EqualFold(need, "optional") || strings.HasPrefix(strings.ToLower(need), "not")
		c.say("%s is %s.", what, need)
		return nil
	}
	return ErrNone
}

// holdsName gives the @name or #channel of the draft that some words are or hold; "" = none.
func (d *draft) holdsName(words string) string {
	for w := range strings.FieldsSeq(words) {
		if name := d.name(w); name != "" {
			return name
		}
	}
	return d.present(words)
}

// label is how a change names a step.
func label(s *tree.Step) string {
	switch {
	case s.Kind == tree.Ask && len(s.Who) > 0:
		return "the question to " + s.Who[0].Words
	case s.Kind == tree.Tell && len(s.To) > 0:
		return strings.TrimSpace("the message to " + s.To[0].Words + " " + english.Quote(s.Text))
	case s.Text != "":
		return english.Quote(s.Text)
	case s.Kind == tree.Decide && len(s.Branches) > 0 && s.Branches[0].When != nil:
		return "if " + s.Branches[0].When.Words
	}
	return string(s.Kind)
}

func (c *changing) swap(first, second string) error {
	a, b, err := c.findBoth(first, second)
	if err != nil {
		return err
	}
	if a.list != b.list {
		return Cannot("Steps %s and %s do not stand beside each other: one is inside another step.", first, second)
	}
	c.say("Steps %s and %s have changed places.", c.names[a.ID], c.names[b.ID])
	*a.Step, *b.Step = *b.Step, *a.Step
	c.t.Renumber()
	return nil
}

func (c *changing) move(what, where, other string) error {
	from, beside, err := c.findBoth(what, other)
	if errors.Is(err, ErrNone) {
		return Cannot("No step is about “%s” or about “%s”: say which ones are meant by their numbers.", what, other)
	}
	if err != nil {
		return err
	}
	moved, id := *from.Step, beside.ID
	if holds([]tree.Step{moved}, id) {
		return Cannot("Step %s is or holds step %s.", what, other)
	}
	*from.list = slices.Delete(*from.list, from.at, from.at+1)
	to, _ := c.place(id)
	if from.list != to.list && from.list != &c.t.Steps {
		c.object("moved", "step %s stood below another step, and does not depend on that any more", c.names[moved.ID])
	}
	c.insert(to, where, []tree.Step{moved})
	c.prune(&c.t.Steps)
	c.say("Step %s stands %s step %s.", c.names[moved.ID], where, c.names[id])
	return nil
}

// reorder puts a step first or last: "do the e-mail first".
func (c *changing) reorder(what, place string) error {
	p, err := c.find(what)
	if err != nil {
		return err
	}
	moved := *p.Step
	if p.list != &c.t.Steps {
		return Cannot("Step %s stands inside another step: move that one, or write it anew.", c.names[moved.ID])
	}
	*p.list = slices.Delete(*p.list, p.at, p.at+1)
	where, at := "last", len(c.t.Steps)
	if w := strings.ToLower(place); !strings.HasSuffix(w, "last") && !strings.HasSuffix(w, "end") {
		where, at = "first", 0
	}
	c.t.Steps = slices.Insert(c.t.Steps, at, moved)
	c.t.Renumber()
	c.say("Step %s comes %s.", c.names[moved.ID], where)
	return nil
}

// atOnce makes branches of steps that stand one behind the other: "2, 3 and 4 at the same time".
func (c *changing) atOnce(numbers string) error {
	names := stepNumber.FindAllString(numbers, -1)
	first, err := c.find(names[0])
	if err != nil {
		return err
	}
	p := tree.Step{ID: c.t.NewID(), Kind: tree.Parallel, No: first.No}
	for i, name := range names {
		s, err := c.find(name)
		if err != nil {
			return err
		}
		if s.list != first.list || s.at != first.at+i {
			return Cannot("Steps %s do not stand one behind the other.", english.Join(names, "and"))
		}
		branch := *s.Step
		branch.No = 0
		p.Branches = append(p.Branches, tree.Branch{Steps: []tree.Step{branch}})
	}
	*first.list = slices.Replace(*first.list, first.at, first.at+len(names), p)
	c.t.Renumber()
	c.say("Steps %s are done at the same time.", english.Join(names, "and"))
	return nil
}

// add puts new steps before or after one that is there: "add after 2: tell #ops".
func (c *changing) add(where, step, words string) error {
	at, err := c.find(step)
	if err != nil {
		return err
	}
	if Speaks(words) {
		return ErrNone
	}
	steps, err := c.steps(words)
	if err != nil {
		return err
	}
	beside := c.names[at.ID]
	c.insert(at, where, steps)
	c.say("New %s step %s: “%s”.", strings.ToLower(where), beside, words)
	return nil
}

// between is add with the steps on both sides.
func between(c *changing, m []string) error {
	first, second, err := c.findBoth(m[1], m[2])
	if err == nil && (first.list != second.list || first.at+1 != second.at) {
		err = Cannot("Steps %s and %s do not stand one behind the other.", m[1], m[2])
	}
	if err != nil {
		return err
	}
	return c.add("after", m[1], m[3])
}

// beside is add with the step behind the words: "ask @ana to approve before 3".
func beside(c *changing, words, where, step string) error {
	if !outline.OnlySteps(c.t, c.quote(words)) || adds.MatchString(words) || restricts.MatchString(words) {
		return ErrNone
	}
	return c.add(where, step, words)
}

// behind is add with the step in front of the words, without a mark between them: "after the refund tell bob". Where the one ends and the
// other begins is tried word by word.
func (c *changing) behind(side, words string) error {
	fields := strings.Fields(words)
	const longest = 6 // words that name a step
	for n := 1; n < len(fields) && n <= longest; n++ {
		where, what := strings.Trim(strings.Join(fields[:n], " "), ",:"), strings.Join(fields[n:], " ")
		if n == 1 && strings.EqualFold(where, "the") || !strings.Contains(words, what) || !outline.OnlySteps(c.t, c.quote(what)) {
			continue
		}
		if err := c.add(side, where, what); !errors.Is(err, ErrNone) {
			return err
		}
	}
	return ErrNone
}

// addLast adds steps at the end, before a step that only ends the run: "add: tell #ops".
func (c *changing) addLast(words string) error {
	steps, err := c.steps(words)
	if err != nil {
		return err
	}
	end := len(c.t.Steps)
	for end > 0 && c.t.Steps[end-1].Kind == tree.Stop {
		end--
	}
	c.t.Steps = slices.Insert(c.t.Steps, end, steps...)
	c.t.Renumber()
	c.say("New at the end: “%s”.", words)
	return nil
}

// addBehind is addLast for words that may also speak of the draft: "also tell #ops".
func addBehind(c *changing, words string) error {
	if Speaks(words) {
		return ErrNone
	}
	steps := len(c.t.Steps)
	err := c.addLast(words)
	if err == nil && slices.ContainsFunc(c.t.Steps[min(steps, len(c.t.Steps)):], func(s tree.Step) bool { return s.Approves() }) {
		confirmEnd(c) // an approval is meant for what comes before it
	}
	return err
}

// confirmEnd asks a person whether new steps stand where they should.
func confirmEnd(c *changing) { c.object("end", "the new steps stand at the end") }

func (c *changing) onError(step, then string) error {
	p, steps, err := c.at(step, then)
	if err == nil {
		err = c.canFail(p.Step)
	}
	if err != nil {
		return err
	}
	to := &p.OnError
	if p.Doer == tree.DoerPerson {
		to = &p.Unable().Steps
	}
	c.forget(to)
	*to = steps
	c.say("If step %s fails: “%s”.", c.names[p.ID], then)
	return nil
}

// canFail refuses steps that cannot fail.
func (d *draft) canFail(s *tree.Step) error {
	if s.Kind != tree.Do && s.Kind != tree.Agent {
		return Cannot("Step %s does nothing that can fail: people or a condition decide there.", d.names[s.ID])
	}
	return nil
}
