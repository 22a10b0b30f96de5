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
func (p *people) names(all []phrase.Who) (out []tree.Name, certain bool) {
	certain = true
	for _, w := range all {
		n := tree.Name{Words: strings.TrimSuffix(strings.TrimSuffix(p.Words(w.Toks), "'s"), "’s"), Is: w.Is, At: p.Quote(w.Toks)}
		if len(w.Toks) == 1 && (w.Toks[0].Kind == phrase.Name || w.Toks[0].Kind == phrase.Slot) {
			n.Words = w.Toks[0].Text
		}
		if len(all) == 1 && len(p.last) == 1 && (!p.several || relatives[strings.ToLower(n.Words)]) && refers[strings.ToLower(n.Words)] && !(phrase.Plural(p.last[0].Words) && (w.Toks[0].Low == "he" || w.Toks[0].Low == "she")) { // who was named last
			n.Words, n.Is = p.last[0].Words, p.last[0].Is
		}
		if w.Is == "" && !w.Certain {
			n.Words = p.known(w.Toks, n.Words)
		}
		certain = certain && w.Certain
		out = append(out, n)
	}
	if len(out) > 0 && !strings.HasPrefix(out[0].Words, "#") && !refers[strings.ToLower(out[0].Words)] && !speakers[strings.ToLower(out[0].Words)] {
		p.several = p.several || len(p.last) == 1 && !strings.EqualFold(p.last[0].Words, out[0].Words) && !strings.HasPrefix(strings.ToLower(p.last[0].Words), "every")
		p.last = out
	}
	return out, certain
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
	if low := toks[0].Low; low != "a" && low != "an" && low != "another" && !phrase.Persons[low] {
		for _, k := range p.roles {
			if k.bare == bare || strings.HasSuffix(k.bare, " "+bare) {
				return k.words
			}
		}
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

// saidIn reads "in #support" in front of a message as its address.
func (p *people) saidIn(s *tree.Step, toks []phrase.Token) bool {
	if len(toks) < 2 || toks[0].Low != "in" && toks[0].Low != "on" || !strings.HasPrefix(toks[1].Text, "#") {
		return false
	}
	all, n := phrase.ReadWho(toks[1:2])
	if n != 1 {
		return false
	}
	s.To, _ = p.names(all)
	return true
}

// doneBy sets the doer of a step and gives the words of the action.
func (p *people) doneBy(s *tree.Step, toks []phrase.Token, a phrase.Actor) (text []phrase.Token) {
	if a.N == 0 || a.System {
		return toks[a.Verb:]
	}
	at := toks[:a.N]
	if all, n := phrase.ReadWho(at); n == a.N && len(all) > 1 { // "bob and ana"
		s.Who, _ = p.names(all)
		if s.Doer = tree.DoerPerson; all[0].All {
			s.Quorum = len(s.Who)
		}
		return toks[a.Verb:]
	}
	if i := slices.IndexFunc(at, func(t phrase.Token) bool { return t.Kind == phrase.Name }); i > 0 {
		at = at[i : i+1] // "the boss (@marek)"
	}
	names, _ := p.names([]phrase.Who{{Toks: at}})
	switch {
	case toks[0].Low == "we":
	case a.Person:
		s.Who, s.Doer = names, tree.DoerPerson
	case toks[0].Kind == phrase.Name:
		s.Who, s.Doer = names, tree.DoerPerson
	default: // a thing, whose name says what is done
		return toks
	}
	return toks[a.Verb:]
}

// unquoted gives names without their quotes, because the words are in another place.
func unquoted(names []tree.Name) []tree.Name {
	names = slices.Clone(names)
	for i := range names {
		names[i].At = tree.Quote{}
	}
	return names
}

// unquotedValue gives a value without its quote, because the words are in another place.
func unquotedValue(v tree.Value) tree.Value {
	v.At = tree.Quote{}
	return v
}

// antecedent finds what "which" and "who" refer to. People named directly before are the doers of the clause.
func (r *reader) antecedent(toks []phrase.Token) []phrase.Token {
	before := r.before
	for i := len(before) - 1; i >= 0 && i >= len(before)-phrase.MostRole && before[i].Kind != phrase.Sign; i-- {
		if !phrase.Determiners[before[i].Low] && before[i].Kind != phrase.Name {
			continue
		}
		if n := len(before); phrase.RoleOf(before[i:n]) {
			r.people.names([]phrase.Who{{Toks: before[i:n]}})
			toks = slices.Clone(toks)
			toks[0].Low = "they"
			return toks
		}
		break
	}
	if toks[0].Low == "who" {
		return toks
	}
	r.lead, r.listed, r.acting = append(r.lead, r.Quotes(toks[:1])...), true, nil
	return toks[1:]
}
