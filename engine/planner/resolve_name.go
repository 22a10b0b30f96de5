package planner

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/match"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
	"sluice/engine/typecheck"
)

// nameSlot is a name that is not known, and all places where it stands.
type nameSlot struct {
	words   string
	tell    bool // a message goes there
	channel bool // a trigger listens there
	gate    bool // the people answer a gate: the flow has to name them
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
	d := s.Deadline
	late := slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.Choice == idiom.Timeout }) && (d == nil || d.After == "")
	if d != nil && d.EscalateTo != nil {
		p.name(s, d.EscalateTo, k, false)
		late = late || d.After == "" && d.EscalateAfter == ""
	}
	if late {
		p.askLate(s)
	}
}

// everyRun are words for people and places that every run has.
var everyRun = map[string]string{
	"requester": tree.NameRequester, "submitter": tree.NameRequester, "person who started it": tree.NameRequester, "person who asked": tree.NameRequester,
	"thread": tree.NameThread, "this thread": tree.NameThread, "run's thread": tree.NameThread,
}

// unnamed are words behind the name of a group: "the finance team".
var unnamed = english.WordSet("team group department people channel folks members staff")

// name finds out who a name means, or asks.
func (p *planning) name(s *tree.Step, n *tree.Name, k match.Scope, tell bool) {
	if n.Is == tree.NameRequester && author(n.Words) { // the author says "me" of runs that others or a schedule start, too
		n.Is = ""
	}
	anybody := n.Ref != (tree.Ref{}) || n.Is == tree.NameRequester || n.Is == tree.NameThread
	if anybody && tell {
		return
	}
	words := strings.TrimSpace(n.Words)
	if n.Is != "" {
		words = n.Is
	}
	if fits, _ := p.nameFits(words, tell); fits && isName(words) {
		n.Is = words
		return
	}
	n.Words, n.Is, n.Ref = words, "", tree.Ref{}
	if !anybody && !isName(words) && p.spokenName(n, words, tell) {
		return
	}
	if all := k.Named(english.Scan(words), func(typ string) bool { return typ == "string" || typ == "" }); tell && !isName(words) && len(all) == 1 {
		n.Ref = all[0].Ref
		return
	}
	if found := p.directory(words, tell); found != "" {
		n.Is = found
		return
	}
	p.askWho(s, n, words, tell)
}

func isName(words string) bool {
	return len(words) > 1 && (words[0] == '@' || words[0] == '#') && !strings.ContainsAny(words, " \t\n")
}

// spokenName resolves words such as "me", "us" and "the requester".
func (p *inquiry) spokenName(n *tree.Name, words string, tell bool) bool {
	low := strings.ToLower(words)
	bare := strings.TrimPrefix(strings.TrimPrefix(low, "the "), "a ")
	switch {
	case tell && everyRun[bare] != "":
		n.Is = everyRun[bare]
	case author(words) && p.w.Author != "":
		n.Is = p.w.Author
	case tell && (low == "us" || low == "here" || bare == "channel" || low == "this channel"):
		n.Is = p.w.Channel
		if n.Is == "" {
			n.Is = tree.NameThread
		}
	}
	return n.Is != ""
}

// author reports whether words mean the one who writes them.
func author(words string) bool {
	low := strings.ToLower(words)
	return low == "me" || low == "myself" || low == "i"
}

// nameFits reports whether a name exists and can stand where it is: a message cannot go to a group. why is the reason if not.
func (p *inquiry) nameFits(name string, tell bool) (ok bool, why string) {
	if p.w.Kind == nil {
		return true, ""
	}
	switch kind := p.w.Kind(name); {
	case kind == typecheck.Unasked:
	case kind == "" || kind == typecheck.Nobody:
		return false, "nobody and nothing here is called " + name
	case kind == "group" && tell:
		return false, name + " is a group, and a message goes to a channel or a person"
	}
	return true, ""
}

// directory finds the one name of the directory that plain words are: "finance" and "the finance team" are @finance.
func (p *inquiry) directory(words string, tell bool) string {
	if p.w.Kind == nil || isName(words) {
		return ""
	}
	var parts []string
	for _, w := range english.Scan(words) {
		if w.Kind == english.PlainWord && !match.Determiners[w.Low] && !unnamed[w.Low] {
			parts = append(parts, w.Low)
		}
	}
	var found []string
	for _, name := range []string{strings.Join(parts, "-"), strings.Join(parts, "_"), strings.Join(parts, "."), strings.Join(parts, "")} {
		for _, sigil := range []string{"@", "#"} {
			if ok, _ := p.nameFits(sigil+name, tell); ok && name != "" && !slices.Contains(found, sigil+name) {
				found = append(found, sigil+name)
			}
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// People gives the words of a text that are names of people in a world and stand without an @.
func People(text string, w env.World) []string {
	if w.Kind == nil {
		return nil
	}
	return outline.People(text, func(name string) bool { return w.Kind(name) == "user" })
}

// triggers asks about open triggers and about channels that do not exist.
func (p *planning) triggers() {
	for i := range p.t.Triggers {
		g := &p.t.Triggers[i]
		switch {
		case g.Open():
			p.askTrigger(i, g)
		case g.Channel != "" && p.w.Kind != nil && p.w.Kind(g.Channel) != typecheck.Channel && p.w.Kind(g.Channel) != typecheck.Unasked:
			n := tree.Name{Words: g.Channel}
			if len(g.At) > 0 {
				n.At = g.At[0]
			}
			p.askWho(nil, &n, g.Channel, true)
			p.names["name."+nameKey(g.Channel)].channel = true
		}
	}
}

// byPeople reports whether people start all runs, so that they can be asked for what a run needs.
func (p *inquiry) byPeople() bool {
	return !slices.ContainsFunc(p.t.Triggers, func(g tree.Trigger) bool { return !g.By })
}
