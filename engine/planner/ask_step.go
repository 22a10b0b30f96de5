package planner

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/change"
	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/prose"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

const maxLikely = 2 // tools that one question offers beside the list of all

// askDoer asks for the person or tool that performs a step.
func (p *inquiry) askDoer(s *tree.Step, words []english.Word) {
	q := question(s, "doer", "doer", "Who or what does %s?", english.Quote(s.Text))
	q.steps = p.inOtherWords
	if joins := prose.Joining(s.Text); len(joins) > 0 {
		q.Text = fmt.Sprintf("I cannot read %s as one step (mind %s). It is best said again, one thing after the other, such as “ask @ana to approve, then pay the invoice”. As it stands, who or what does it?",
			english.Quote(s.Text), english.Join(joins, "and"))
		q.typed = p.inOtherWords
	}
	role := s.Doer == tree.DoerPerson
	if role { // it is asked about once for all that it does
		p.person(q, english.SentenceCase(s.Who[0].Words)+" does it...", s.Who[0].Words, func(s *tree.Step, who tree.Name) { p.rename(s.Who[0].Words, who) })
	} else {
		p.person(q, "A person does it...", s.Text, byPerson)
	}
	decides := decider(q, []*tree.Step{s}, byPerson)
	tools := p.toolChoices(q, words, role)
	if len(tools) > 0 {
		q.option(Option{ID: optTool, Label: "Use a tool...", Needs: "tool", Values: tools}, p.byTool)
	}
	if p.w.Model && !decides {
		q.button(optAgent, "An AI agent", func(s *tree.Step) {
			s.Kind, s.Doer, s.Tool, s.Params = tree.Agent, "", "", nil
			p.settle(q.ID)
		})
	}
	p.leavable(q, s)
	p.add(q)
	p.open = append(p.open, s.Said)
}

// decider offers that people approve or reject what the words of steps say, and reports whether they speak of a decision.
func decider(q *asking, steps []*tree.Step, do func(s *tree.Step, who tree.Name)) bool {
	steps = slices.DeleteFunc(slices.Clone(steps), func(s *tree.Step) bool { _, ok := phrase.Decides(s.Text); return !ok })
	if len(steps) > 0 {
		q.option(Option{ID: "approve", Label: "People approve or reject...", Needs: "name", Values: q.Options[0].Values}, func(s *tree.Step, name string) {
			do(s, tree.Name{Words: name, Is: name})
			for _, s := range steps {
				s.Kind, s.Doer = tree.Ask, ""
				s.Text, _ = phrase.Decides(s.Text)
			}
		})
	}
	return len(steps) > 0
}

// inOtherWords puts the steps that a person typed into the place of one that was not understood.
func (p *inquiry) inOtherWords(s *tree.Step, text string) error {
	read, err := p.reread(s, text)
	if err == nil && !read {
		return wrong("name", "%s is no name and no step. Write a name with @ or #, such as @finance, or one thing after the other, such as “ask @ana to approve, then tell #team it is done”.", english.Quote(text))
	}
	return err
}

// reread puts the steps that a person typed into the place of a step, and reports whether the words are steps.
func (p *inquiry) reread(s *tree.Step, text string) (bool, error) {
	changed, err := change.Reread(p.t, text, p.by, s.ID, People(text, p.w)...)
	if why, is := errors.AsType[*change.Error](err); is {
		return false, wrong("words", "%s", why.Text)
	}
	if err == nil {
		p.t = changed
	}
	return err == nil, nil
}

// byPerson makes a step one that a person does.
func byPerson(s *tree.Step, who tree.Name) {
	s.Kind, s.Doer, s.Who, s.Tool, s.Params = tree.Do, tree.DoerPerson, []tree.Name{who}, "", nil
}

// byTool makes a step one that a tool does.
func (p *inquiry) byTool(s *tree.Step, tool string) {
	s.At, s.Who = append(s.At, tree.Quotes(s.Who)...), nil
	s.Kind, s.Doer, s.Tool = tree.Do, tree.DoerTool, tool
	p.settle(s.ID + ".doer")
}

// toolChoices lists all tools for a select, the best fit first. Tools that call any address fit only words with an address. Those that begin
// with the verb of the step, and know all of its words, get an option of their own: “refund it”. So do those that a role may use.
func (p *inquiry) toolChoices(q *asking, words []english.Word, role bool) (out []Choice) {
	alike := map[string]int{}
	for i := range p.cat.Entries {
		alike[p.cat.Entries[i].Does()]++
	}
	likely := 0
	for i, m := range p.cat.Rank(english.Stems(words)) {
		does, name := m.Entry.Does(), m.Entry.Tool.Name
		if i == 0 && m.Sure {
			q.Default = optTool
		}
		q.near = q.near || m.Verb
		if len(out) < maxChoices && m.Entry.Fits(words) {
			out = append(out, Choice{Value: name, Label: english.Shorten(does, maxLabel)})
		}
		if (m.Likely || role && m.Sure) && m.Entry.Fits(words) && alike[does] == 1 && likely < maxLikely {
			likely++
			q.button(optTool+"."+name, english.Shorten("The tool “"+does, 74)+"”", func(s *tree.Step) { p.byTool(s, name) })
		}
	}
	return out
}

// askAgent asks who performs an agent step that needs tools and has none.
func (p *inquiry) askAgent(s *tree.Step) {
	if len(s.Tools) == 0 && !slices.Contains(p.t.Settled, s.ID+".doer") && match.NeedsTools(s.Text) {
		p.askDoer(s, english.Scan(s.Text))
	}
}

// askReminder asks about a reminder that would come when the question is over.
func (p *inquiry) askReminder(s *tree.Step) {
	if s.Deadline == nil {
		return
	}
	remind, err := flow.ParseDuration(s.Deadline.Remind)
	after, wrong := flow.ParseDuration(s.Deadline.After)
	if err != nil || wrong != nil || remind != after && !remind.Longer(after) {
		return
	}
	q := question(s, "reminder", "reminder", "%s is reminded when the question is over: what is meant?", english.SentenceCase(people(s)))
	q.button("remind", fmt.Sprintf("A reminder after %s; the question stays open", readback.Duration(remind)), func(s *tree.Step) { s.Deadline.After = "" })
	q.button("end", fmt.Sprintf("No reminder: it is over after %s", readback.Duration(after)), func(s *tree.Step) { s.Deadline.Remind, s.Deadline.RemindOnce = "", false })
	p.add(q)
}

// askLate asks how long people have, where the words say what happens when nobody answers and not when.
func (p *inquiry) askLate(s *tree.Step) {
	q := question(s, "late", "late", "How long may %s take to answer?", people(s))
	set := func(s *tree.Step, term string) {
		if s.Deadline == nil {
			s.Deadline = &tree.Deadline{}
		}
		if d := s.Deadline; d.EscalateTo != nil && d.EscalateAfter == "" {
			d.EscalateAfter = term
		} else {
			d.After = term
		}
	}
	q.term(set)
	p.add(q)
}

// term offers lengths of time, and takes a typed one.
func (q *asking) term(set func(s *tree.Step, term string)) {
	for _, term := range [][2]string{{"1h", "1 hour"}, {"1d", "1 day"}, {"3d", "3 days"}, {"1w", "1 week"}} {
		q.button("term."+term[0], term[1], func(s *tree.Step) { set(s, term[0]) })
	}
	q.Default = q.Options[1].ID
	q.typedTerm(set)
}

// typedTerm takes a typed length of time.
func (q *asking) typedTerm(set func(s *tree.Step, term string)) {
	q.typed = func(s *tree.Step, words string) error {
		term, ok := values.Term(words)
		if !ok {
			return wrong("words", "%s is no length of time. Write one such as “2 hours” or “3 working days”.", english.Quote(words))
		}
		set(s, term)
		return nil
	}
}

// askText asks for the text of a message whose words name nothing that exists, or for what a person should do.
func (p *planning) askText(s *tree.Step, k match.Scope) {
	q := question(s, "value", "text", "What is %s in this message?", english.Quote(s.Text))
	switch {
	case s.Text == "" && s.Kind == tree.Do:
		q.Text = fmt.Sprintf("What should %s do?", people(s))
	case s.Text == "" || slices.Contains(noContent, strings.ToLower(trimWords(s.Text))):
		q.Text = "What should this message say?"
	case slices.Contains(outcomes, strings.ToLower(trimWords(s.Text))):
		q.Text = fmt.Sprintf("What should this message say for %s?", english.Quote(s.Text))
	}
	set := func(s *tree.Step, r tree.Ref) { s.Parts = []tree.Value{{Words: s.Text, Ref: r}} }
	if s.Kind != tree.Do {
		q.value(k.All(match.AnyType), set)
		p.lookUps(q, named(s.Text, match.AnyType), set)
	}
	if s.Text != "" {
		p.starter(q, func(s *tree.Step) { set(s, p.newInput(s.Text, "", s.Text)) })
		q.button(optWords, "Send these words as they are", nil)
	}
	p.leavable(q, s)
	q.typed = func(s *tree.Step, text string) error { return replaceText(p, s, text, k) }
	p.add(q)
}

// order finds words that tell the flow, rather than the people who read a message, to do something.
var order = regexp.MustCompile(`(?i)^(?:then |please )?(?:ask|tell|notify|dm|remind|message|if|when)\b.*(?:^|\s)[@#]\w`)

// replaceText gives a step the text that a person typed, in place of the words of the author; of “what he wrote is the answer of @bob” what
// stands behind “is”. Words that say who does what are read as steps, except for a message and for a step that has no words yet. In a
// message, words that name values are these.
func replaceText(p *planning, s *tree.Step, text string, k match.Scope) error {
	if s.Kind != tree.Tell && s.Text != "" {
		if read, err := p.reread(s, text); read || err != nil {
			return err
		}
	}
	if n := len(s.Text); s.Text != "" && len(text) > n && strings.EqualFold(text[:n], s.Text) {
		if verb, rest, ok := strings.Cut(strings.TrimSpace(text[n:]), " "); ok && slices.Contains([]string{"is", "are", "means", "="}, verb) {
			text = rest
		}
	}
	said, words := *s, english.Scan(text)
	if s.Kind == tree.Tell && order.MatchString(text) && !match.Quoted(words) {
		return wrong("words", "%s may be the message, or what the flow should do. Put the words into quotation marks if they are the message; if the step should be another one, reply in the thread with its number: “%s. %s”.",
			english.Quote(text), p.out.Numbers[s.ID], text)
	}
	said.Text = text
	var parts []tree.Value
	if s.Kind == tree.Tell && !match.Quoted(words) {
		if parts = p.textParts(&said, words, k, true); len(parts) == 0 {
			if all := k.Named(words, match.AnyType); len(all) == 1 {
				parts = []tree.Value{{Words: text, Ref: all[0].Ref}}
			}
		}
		only := match.Indirect(words) || match.Several(words) || match.Pronoun(words) || match.NounPhrase(words) && severalAnswers.MatchString(text)
		if slices.ContainsFunc(parts, tree.Value.Open) || len(parts) == 0 && only && len(k.All(match.AnyType)) > 0 {
			return wrong("value", "%s seems to mean something that the run knows then. Choose it with “A value...”, or put the words into quotation marks if they are the message.", english.Quote(text))
		}
	}
	p.settle(s.ID + ".text")
	p.t.Replaced = append(p.t.Replaced, s.Said)
	s.Text, s.Parts, s.Said = text, p.t.OfEach(parts), tree.Quote{}
	return nil
}

// severalAnswers finds words that only name what several steps give.
var severalAnswers = regexp.MustCompile(`(?i)\b(?:answers|replies|responses|results|values)\b`)
