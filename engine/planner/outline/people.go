package outline

import (
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// people resolves names: who was named before, and by which words.
type people struct {
	values.Source
	roles   []named     // who was named by a role so far
	last    []tree.Name // who was named last
	several bool        // somebody else was named, too: "he" and "she" may be either and mean no person
}

// names makes names of what was read.
func (p *people) names(all []phrase.Who) (out []tree.Name) {
	for _, w := range all {
		n := tree.Name{Words: strings.TrimSuffix(strings.TrimSuffix(p.Words(w.Toks), "'s"), "’s"), Is: w.Is, At: p.Quote(w.Toks)}
		if len(w.Toks) == 1 && (w.Toks[0].Kind == phrase.Name || w.Toks[0].Kind == phrase.Slot) {
			n.Words = w.Toks[0].Text
		}
		if low := strings.ToLower(n.Words); len(all) == 1 && len(p.last) == 1 && refers[low] && (!p.several || relatives[low]) { // who was named last
			n.Words, n.Is = p.last[0].Words, p.last[0].Is
		}
		if w.Is == "" && !w.Certain {
			n.Words = p.known(w.Toks, n.Words)
		}
		out = append(out, n)
	}
	if len(out) > 0 && !strings.HasPrefix(out[0].Words, "#") && !refers[strings.ToLower(out[0].Words)] && !speakers[strings.ToLower(out[0].Words)] {
		p.several = p.several || len(p.last) == 1 && !strings.EqualFold(p.last[0].Words, out[0].Words)
		p.last = out
	}
	return out
}

// speakers are words for the author, whom no "he" or "she" means.
var speakers = phrase.Set(`me us i we`)

// refers are words for somebody who was named before, and relatives those for the person directly before them.
var (
	refers    = phrase.Set(`he she they who which him her them`)
	relatives = phrase.Set(`who which`)
)

// mentioned notes the words of a clause: they may name somebody else, too.
func (p *people) mentioned(toks []phrase.Token) {
	if slices.ContainsFunc(toks, func(t phrase.Token) bool {
		return t.Kind == phrase.Name && t.Low[0] == '@' && !slices.ContainsFunc(p.last, func(n tree.Name) bool { return strings.EqualFold(n.Words, t.Text) })
	}) {
		p.last, p.several = nil, true
	}
}

// known gives the words by which the same people were named before: "the team member" after "a relevant team member".
func (p *people) known(toks []phrase.Token, words string) string {
	bare := phrase.RoleName(toks)
	if at := slices.IndexFunc(p.roles, func(k named) bool { return k.bare == bare || strings.HasSuffix(k.bare, " "+bare) }); at >= 0 && toks[0].Low != "another" && !phrase.Indefinite[toks[0].Low] && !phrase.Persons[toks[0].Low] {
		return p.roles[at].words
	}
	const most = 50 // roles that are kept
	if len(p.roles) < most {
		p.roles = append(p.roles, named{bare, words})
	}
	return words
}

// named is a role with the words by which it was named first.
type named struct{ bare, words string }

// starters resolves names that are the role of the person who starts a run: "tell the employee".
func starters(names []tree.Name, starter string) []tree.Name {
	for i := range names {
		if n := &names[i]; starter != "" && n.Is == "" && slices.Contains([]string{starter, "user", "submitter", "applicant"}, phrase.RoleName(phrase.Scan(n.Words, 0, len(n.Words)))) {
			n.Is = tree.NameRequester
		}
	}
	return names
}

// doneBy sets the doer of a step and gives the words of the action.
func (p *people) doneBy(s *tree.Step, toks []phrase.Token, a phrase.Actor) (text []phrase.Token) {
	at := toks[:a.N]
	if all, n := phrase.ReadWho(at); n == a.N && (len(all) > 1 || n > 1 && all[0].Toks[0].Kind == phrase.Name) { // "bob and ana", "two of @ops"
		s.Who = p.names(all)
		if s.Doer, s.Quorum = tree.DoerPerson, all[0].Quorum; all[0].All {
			s.Quorum = len(s.Who)
		}
		return toks[a.Verb:]
	}
	if names := p.names([]phrase.Who{{Toks: at}}); a.Person {
		s.Who, s.Doer = names, tree.DoerPerson
		return toks[a.Verb:]
	}
	return toks // a thing, whose name says what is done
}

// unquoted gives names without their quotes, because the words are in another place.
func unquoted(names []tree.Name) []tree.Name {
	names = slices.Clone(names)
	for i := range names {
		names[i].At = tree.Quote{}
	}
	return names
}

// antecedent finds whom "which" and "who" mean: people named directly before, who do what the clause says. nil = nobody.
func (r *reader) antecedent(toks []phrase.Token) []phrase.Token {
	n := len(r.before)
	for i := n - 1; i >= 0 && i >= n-phrase.MostRole && r.before[i].Kind != phrase.Sign; i-- {
		if !phrase.Determiners[r.before[i].Low] && r.before[i].Kind != phrase.Name {
			continue
		}
		if !phrase.RoleOf(r.before[i:]) {
			break
		}
		r.people.names([]phrase.Who{{Toks: r.before[i:]}})
		toks = slices.Clone(toks)
		toks[0].Low = "they"
		return toks
	}
	return nil
}

// doesToo reads that somebody else does what the step before asks people for: "the lead approves it, then security does too", "then @cfo".
func doesToo(r *reader, list *[]tree.Step, toks []phrase.Token) bool {
	m, ok := phrase.Whole("{role} does|do [so|the_same] [too|also|as_well]", toks)
	next := false
	if n := len(r.lead); !ok && n > 0 && strings.EqualFold(r.t.Words(r.lead[n-1]), "then") {
		m, next = phrase.Whole("[get|need|needs] [from|by|with|of] {addr} ['s] [approval|sign-off|signoff|ok|okay]", toks)
	}
	if !ok && !next || len(*list) == 0 {
		return false
	}
	last := (*list)[len(*list)-1]
	if !asksPeople(&last) || len(last.Branches) > 0 || next && !last.Approves() {
		return false
	}
	r.append(list, asksAlike(r, &last, m, toks))
	return true
}

// asksAlike makes a step that asks others for what one asks for.
func asksAlike(r *reader, as *tree.Step, m *phrase.Match, toks []phrase.Token) tree.Step {
	s := step(r.t, as.Kind)
	s.Doer, s.Text, s.Choices, s.Free, s.Fields = as.Doer, as.Text, as.Choices, as.Free, slices.Clone(as.Fields)
	s.Who, s.At = r.people.names(m.Names), r.Quotes(toks)
	for i := range s.Fields {
		s.Fields[i].At = tree.Quote{}
	}
	return s
}

// inTurn gives the clause of n tokens at the beginning of toks, and what follows it. Where it says only who is asked first, both have the verb and what
// is asked: "ask @ana, then @bob to approve the poster".
func inTurn(toks []phrase.Token, n int) (clause, rest []phrase.Token) {
	if _, ok := phrase.Whole("ask|get|have|tell|remind {addr} [and]", phrase.Trim(toks[:n])); !ok {
		return toks[:n], toks[n:]
	}
	lead, ok := phrase.Fit("[,] [and] then", toks[n:])
	if !ok {
		return toks[:n], toks[n:]
	}
	next := toks[n+lead.End:]
	_, to := phrase.ReadWho(next)
	if to == 0 || !phrase.Begins(next[to:], "to") {
		return toks[:n], toks[n:]
	}
	deed := next[to : to+phrase.ClauseEnd(next[to:])]
	return slices.Concat(phrase.Trim(toks[:n]), deed), slices.Concat(toks[n:n+lead.End], toks[:1], next)
}
