package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/match"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/prose"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
	"sluice/engine/typecheck"
)

// nameUse says where a name stands that is not known.
type nameUse struct {
	tell    bool            // a message goes there
	channel bool            // a trigger listens there
	slack   match.Candidate // a value that may be a name in Slack: the customer of an order is rather none
}

// whoOf resolves the names of a step.
func (p *planning) whoOf(s *tree.Step, names *[]tree.Name, k match.Scope, tell bool) {
	for i := range *names {
		p.name(s, &(*names)[i], k, tell)
	}
	if tell && len(*names) == 0 {
		*names = []tree.Name{{Is: tree.NameThread}}
	}
}

func (p *planning) deadline(s *tree.Step, k match.Scope) {
	d := cmp.Or(s.Deadline, &tree.Deadline{})
	if d.EscalateTo != nil {
		p.name(s, d.EscalateTo, k, false)
		after, err := flow.ParseDuration(d.After)
		if besides, _ := flow.ParseDuration(d.EscalateAfter); err == nil && after == besides { // somebody who is asked when the question ends could not answer it: it goes on then
			d.After = ""
		}
	}
	p.askReminder(s)
	late := d.Choice != "" || slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.Choice == flow.ChoiceTimeout }) || d.EscalateTo != nil && d.EscalateAfter == ""
	if late && d.After == "" {
		p.askLate(s)
	}
}

// everyRun are words for people and places that every run has.
var everyRun = map[string]string{
	"requester": tree.NameRequester, "submitter": tree.NameRequester, "person who started it": tree.NameRequester, "person who asked": tree.NameRequester, "person who starts it": tree.NameRequester,
	"thread": tree.NameThread, "this thread": tree.NameThread, "run's thread": tree.NameThread,
}

// name finds out who a name means, or asks.
func (p *planning) name(s *tree.Step, n *tree.Name, k match.Scope, tell bool) {
	if n.Is == tree.NameRequester && author[strings.ToLower(n.Words)] { // the author says "me" of runs that others or a schedule start, too
		n.Is = ""
	}
	anybody := n.Ref != (tree.Ref{}) || n.Is == tree.NameRequester || n.Is == tree.NameThread
	if anybody && tell {
		return
	}
	words := cmp.Or(n.Is, strings.TrimSpace(n.Words))
	if why := p.unfit(words, tell); why == "" && isName(words) {
		n.Is = words
		return
	}
	n.Words, n.Is, n.Ref = words, "", tree.Ref{}
	if !anybody && !isName(words) {
		n.Is = p.spokenName(words, tell)
	}
	if n.Is != "" {
		return
	}
	if all := k.Named(english.Scan(words), func(typ string) bool { return typ == "string" || typ == "" }); tell && !isName(words) && len(all) == 1 {
		if by := p.t.Step(all[0].Ref.Step); by != nil && by.Doer == tree.DoerTool {
			p.askWho(s.ID, n.At, words, nameUse{tell: true, slack: all[0]})
			return
		}
		n.Ref = all[0].Ref
		return
	}
	if n.Is = p.directory(words, tell); n.Is == "" {
		if group := p.directory(words, false); tell && group != "" { // "tell finance": a group is told in another way
			words, n.Words = group, group
		}
		p.askWho(s.ID, n.At, words, nameUse{tell: tell})
	}
}

func isName(words string) bool {
	return len(words) > 1 && (words[0] == '@' || words[0] == '#') && !strings.ContainsAny(words, " \t\n")
}

// spokenName resolves words such as "me", "us" and "the requester"; "" = it does not know them.
func (p *planning) spokenName(words string, tell bool) string {
	low := strings.ToLower(words)
	bare := strings.TrimPrefix(strings.TrimPrefix(low, "the "), "a ")
	switch {
	case tell && everyRun[bare] != "":
		return everyRun[bare]
	case author[low]:
		return p.w.Author
	case tell && phrase.ChannelOfAll(low) != "":
		return phrase.ChannelOfAll(low)
	case tell && bare == "channel" && low != "this channel" && otherChannel(p.t, p.w.Channel):
		return ""
	case tell && (low == "us" || low == "here" || bare == "channel" || low == "this channel"):
		return cmp.Or(p.w.Channel, tree.NameThread)
	}
	return ""
}

// otherChannel reports whether the words name a channel beside the one that they stand in: "the channel" may be either.
func otherChannel(t *tree.Tree, own string) bool {
	return slices.ContainsFunc(t.Texts, func(t tree.Text) bool {
		return slices.ContainsFunc(english.Scan(t.Words), func(w english.Word) bool { return isName(w.Text) && w.Text[0] == '#' && w.Text != own })
	})
}

// author are the words for the one who writes them.
var author = english.WordSet("me myself i")

// unfit gives the reason why a name cannot stand where it is: nobody is called so, or a message would go to a group; "" = it can.
func (p *inquiry) unfit(name string, tell bool) string {
	switch kind := p.kind(name); {
	case kind == "" || kind == typecheck.Nobody:
		return "nobody and nothing here is called " + name
	case kind == typecheck.Group && tell:
		return name + " is a group, and a message goes to a channel or a person"
	}
	return ""
}

// directory finds the one name of the directory that plain words are: "finance" and "the finance team" are @finance. "the
// owner" is not #owner.
func (p *planning) directory(words string, tell bool) string {
	if isName(words) || english.Pronouns[strings.ToLower(words)] {
		return ""
	}
	var parts, found []string
	for _, w := range english.Scan(words) {
		if w.Kind == english.PlainWord && !match.Determiners[w.Low] && !phrase.Together[w.Low] {
			parts = append(parts, w.Low)
		}
	}
	for _, between := range []string{"-", "_", ".", ""} {
		for _, sigil := range []string{"@", "#"} {
			if name := sigil + strings.Join(parts, between); len(parts) > 0 && !slices.Contains(found, name) && p.unfit(name, tell) == "" {
				found = append(found, name)
			}
		}
	}
	if len(found) != 1 || found[0][0] == '#' && !phrase.MayBeChannel(words) {
		return ""
	}
	return found[0]
}

// People gives the words of a text that are names of people in a world and stand without an @.
func People(text string, w env.World) []string {
	if w.Kind == nil {
		return nil
	}
	return phrase.People(text, func(name string) bool { return w.Kind(name) == "user" })
}

// triggers asks about open triggers and about channels that do not exist.
func (p *planning) triggers() {
	for i := range p.t.Triggers {
		g := &p.t.Triggers[i]
		switch {
		case g.Open():
			p.askTrigger(i)
		case g.Channel != "" && !p.may(g.Channel, typecheck.Channel):
			p.askWho("", first(g.At), g.Channel, nameUse{tell: true, channel: true})
		}
	}
}

// may reports whether a name is of a kind, as far as that is known.
func (p *inquiry) may(name, kind string) bool {
	is := p.kind(name)
	return is == kind || is == typecheck.Unasked
}

// byPeople reports whether people start all runs, so that they can be asked for what a run needs.
func (p *inquiry) byPeople() bool {
	return !slices.ContainsFunc(p.t.Triggers, func(g tree.Trigger) bool { return !g.By })
}

// askWho asks for the person that words mean, once for all places that have the same words.
func (p *inquiry) askWho(step string, at tree.Quote, words string, use nameUse) {
	q := &asking{Question: Question{ID: "name." + nameKey(words), Step: step, Kind: "who", Quote: words, Text: fmt.Sprintf("Who is meant by %s?", english.Quote(words))}, at: at}
	switch why := p.unfit(words, use.tell); {
	case words == "":
		q.Text = "Who is asked in this step?"
	case isName(words) && why != "":
		q.Text = english.SentenceCase(why) + ": who is meant?"
	case !use.tell && phrase.Superior(words):
		q.Text = fmt.Sprintf("The person who starts a run never chooses who answers, so %s has to be the same person or group in every run: who is it?", english.Quote(words))
	}
	q.option(Option{ID: "name", Label: "Who is it?", Needs: "name", Values: p.near(words, alike(words))}, func(_ *tree.Step, name string) { p.rename(words, tree.Name{Is: name}) })
	told, asks := p.t.Named(func(n *tree.Name) bool { return n.Open() && nameKey(n.Words) == nameKey(words) })
	decider(q, told, func(_ *tree.Step, name tree.Name) { p.rename(words, name) })
	if asks = asks || !use.tell && len(told) == 0; !asks && p.byPeople() && !isName(words) {
		label := "The person who starts it" + strings.Repeat(" (is told to do it; nothing waits)", min(len(told), 1))
		q.button("requester", label, func(*tree.Step) {
			for _, s := range told {
				s.Kind, s.Doer, s.Who, s.To, s.Text = tree.Tell, "", nil, s.Who, "please do this: "+s.Text
				p.settle(s.ID + ".text")
			}
			p.rename(words, tree.Name{Is: tree.NameRequester})
		})
	}
	if asks = asks || len(told) > 0; !asks && p.byPeople() && !isName(words) {
		q.button(optInput, "The person who starts it says who", func(*tree.Step) {
			called := words
			if match.Pronoun(english.Scan(words)) { // "them"
				called = "recipient"
			}
			p.rename(words, tree.Name{Ref: p.newInput(called, "", "@name of a person, group or channel")})
		})
	}
	if step != "" {
		q.steps = func(s *tree.Step, text string) error { return nameTyped(p, q, s, text) }
	}
	if s := p.t.Step(step); s != nil && p.kind(words) == typecheck.Group && len(s.To) == 1 {
		q.button("seen", "Ask them to say that they have seen it", func(s *tree.Step) {
			s.To[0].Is = words
			askSeen(s)
		})
	}
	if value := use.slack.Ref; value != (tree.Ref{}) && !asks {
		q.button(optValue, "The one with this name in Slack: "+use.slack.Label(), func(*tree.Step) {
			p.rename(words, tree.Name{Ref: value})
		})
	}
	was := p.names[q.ID]
	p.names[q.ID] = nameUse{tell: use.tell || was.tell, channel: use.channel || was.channel}
	p.add(q)
}

// alike reports whether words can mean a name: “@luis” means no channel.
func alike(words string) func(name string) bool {
	return func(name string) bool { return isName(name) && (name[0] == '@' || !strings.HasPrefix(words, "@")) }
}

// askSeen makes a question of a message: whether it was seen.
func askSeen(s *tree.Step) {
	s.Kind, s.Who, s.To, s.Choices = tree.Ask, s.To, nil, []string{"Seen", tree.PersonChoices()[1]}
	s.Text = cmp.Or(s.Text, "please have a look")
}

// nameTyped takes words for the person who starts a run, or steps, in the place of a name.
func nameTyped(p *inquiry, q *asking, s *tree.Step, text string) error {
	if everyRun[phrase.RoleName(phrase.Scan(text, 0, len(text)))] != tree.NameRequester {
		return p.inOtherWords(s, text)
	}
	if do := q.do["requester"]; do != nil {
		do(s, "")
		return nil
	}
	return wrong("name", "The person who starts a run cannot be asked in it: somebody else is meant in every run. Write a name with @, such as @finance.")
}

// rename writes a name to all places that have the same words.
func (p *inquiry) rename(words string, to tree.Name) {
	for s := range p.t.Walk {
		for _, n := range s.Names() {
			if n.Open() && nameKey(n.Words) == nameKey(words) || n.Is == words {
				n.Is, n.Ref = to.Is, to.Ref
			}
		}
	}
	for i := range p.t.Triggers {
		if g := &p.t.Triggers[i]; g.Channel == words && to.Is != "" {
			g.Channel = to.Is
		}
	}
}

// nameKey writes the words of a name as a part of an id.
func nameKey(words string) string {
	return strings.Join(strings.Fields(strings.ToLower(words)), "_")
}

// isChannel reports whether a name may be that of a channel.
func isChannel(p *inquiry, name string) bool {
	return isName(name) && name[0] == '#' && p.may(name, typecheck.Channel)
}

// askFirst offers that what may start the flow is its first step: "HR fills in the contract".
func askFirst(p *inquiry, q *asking, i int) {
	at := p.t.Triggers[i].At
	if len(at) != 1 || len(q.Options) > 1 {
		return
	}
	toks := phrase.Scan(p.t.Words(at[0]), 0, at[0].To-at[0].From)
	if !phrase.ActorOf(toks).Person || len(outline.Steps(p.t.Clone(), at[0])) == 0 {
		return
	}
	q.button("first", "It is the first step", func(*tree.Step) {
		p.t.Steps = slices.Insert(p.t.Steps, 0, outline.Steps(p.t, at[0])...)
		p.t.Triggers = slices.Delete(p.t.Triggers, i, i+1)
		p.t.Renumber()
	})
}

// onlyCalled reports whether words say that a webhook is called, and no more.
func onlyCalled(words string) bool {
	const longest = 8 // words
	all := english.Scan(words)
	return len(all) <= longest && len(prose.Joining(words)) == 0 && !slices.ContainsFunc(all, func(w english.Word) bool {
		return w.Is("with", "on", "for", "has", "have", "must", "should", "will") || english.Quantities[w.Low]
	})
}

// offerNearest offers the schedules that are near to words for one which cannot be kept.
func offerNearest(p *inquiry, q *asking, g *tree.Trigger) {
	for i, near := range times.Nearest(g.Words) {
		if phrase.Recurs(phrase.Scan(g.Words, 0, len(g.Words))) {
			q.Text = fmt.Sprintf("I cannot start this at %s. Which of these is near enough?", english.Quote(g.Words))
		}
		q.button(fmt.Sprintf("near.%d", i), english.SentenceCase(near.Words), func(*tree.Step) {
			p.leave(g.At...)
			g.Words, g.Cron = near.Words, near.Cron
		})
	}
}

// askTrigger asks what starts the flow.
func (p *inquiry) askTrigger(i int) {
	g := &p.t.Triggers[i]
	programs := strings.Contains(strings.ToLower(g.Words), "webhook")
	path := strings.ReplaceAll(idiom.InputName(english.Shorten(strings.TrimPrefix(strings.ToLower(g.Words), "when "), 40)), "_", "-")
	if programs && onlyCalled(g.Words) {
		g.Path = path
		return
	}
	q := &asking{Question: Question{ID: fmt.Sprintf("trigger.%d", i), Kind: "trigger", Quote: g.Words, Text: fmt.Sprintf("What starts this: %s?", english.Quote(g.Words))}, at: first(g.At)}
	if first, rest, _ := strings.Cut(g.Words, " "); strings.EqualFold(first, "when") || strings.EqualFold(first, "whenever") {
		q.Text = fmt.Sprintf("What starts this when %s?", english.Quote(rest))
	}
	offerNearest(p, q, g)
	emoji, what := phrase.Emoji(g.Words), "Any message"
	if emoji != "" {
		what = "Anybody's reaction :" + emoji + ": to a message"
	}
	messages := func(_ *tree.Step, channel string) {
		p.t.Replaced = append(p.t.Replaced, g.At...)
		if g.Channel, g.Emoji = channel, emoji; emoji == "" {
			g.Match = cmp.Or(g.Match, `\S`)
		}
	}
	for _, w := range english.Scan(g.Words) {
		if isChannel(p, w.Text) {
			q.button(optChannel+"."+w.Low, what+" in "+w.Text, func(s *tree.Step) { messages(s, w.Text) })
		}
	}
	webhook := func() {
		q.button("webhook", "A program calls it (webhook)", func(*tree.Step) {
			p.t.Replaced = append(p.t.Replaced, g.At...)
			g.Path = path
		})
	}
	if programs {
		webhook()
	}
	q.button("start", "Somebody starts it", func(*tree.Step) {
		p.t.Replaced = append(p.t.Replaced, g.At...)
		g.By = true
	})
	askFirst(p, q, i)
	q.option(Option{ID: optChannel, Label: what + " in a channel...", Needs: "name", Values: p.near("#", func(name string) bool { return isChannel(p, name) })}, messages)
	if !programs {
		webhook()
	}
	q.button(optLeave, leaveOut, func(*tree.Step) {
		p.leave(g.At...)
		p.t.Triggers = slices.Delete(p.t.Triggers, i, i+1)
	})
	q.typed = func(_ *tree.Step, text string) error { return typedWords(p, text) }
	p.add(q)
	p.open = append(p.open, g.At...)
}
