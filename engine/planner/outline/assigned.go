package outline

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// assigned reads a step with the people who do it beside it, as checklists have them: "write the draft (@ana)", "@ana: write the draft", "write the
// draft - @ana". In parentheses may stand how long they have.
func assigned(r *reader, list *[]tree.Step, start int, toks []phrase.Token) bool {
	if r.within { // "pack it (@ana) (@bob)": each would be read twice, and those in it again
		return false
	}
	rest, tail := modifiers(toks) // "draft it (@bob) by Friday"
	a, ok := assignmentOf(r, rest)
	if !ok {
		return false
	}
	var out []tree.Step
	probe := r.probe()
	probe.within, probe.listed = true, r.listed || phrase.BesideSomebody(toks)
	if !probe.clause(&out, 0, a.deed) || len(out) != 1 || out[0].Kind != tree.Do || out[0].Doer != "" {
		return false
	}
	at, listed := len(*list), r.listed
	r.within, r.listed = true, probe.listed
	r.clause(list, start, a.deed)
	r.within, r.listed = false, listed
	s := &(*list)[at]
	s.Doer, s.Who, s.At = tree.DoerPerson, r.people.names(a.who), append(s.At, r.Quotes(a.beside)...)
	if matter := asksApproval.FindStringSubmatch(s.Text); matter != nil { // "approve the draft", "final approval"
		if s.Kind, s.Doer, s.Text = tree.Ask, "", strings.TrimSpace(matter[1]+matter[2]); phrase.Departments[strings.ToLower(s.Text)] || strings.HasSuffix(s.Text, "'s") { // "legal approval"
			s.Text = ""
		}
	}
	if len(a.who) > 1 && a.who[0].All && s.Kind == tree.Ask {
		s.Quorum = len(a.who)
	}
	s.SetDeadline(a.term)
	for _, m := range tail {
		r.modify(list, at, m)
	}
	s = &(*list)[at]
	if len(a.who) > 1 && a.who[0].All && s.Kind == tree.Do {
		r.split(list)
	}
	return true
}

// asksApproval finds a step that is an approval, and what it is of.
var asksApproval = regexp.MustCompile(`(?i)^(?:(?:final(?:ly)? )?(?:approves?|signs?(?: it| this| that| them)? off|accepts?) ?(?:on )?(.*)|(.*?) ?(?:final )?(?:approval|sign-?off))$`)

// assignment is what is done, who does it, how long they have, and the tokens of both.
type assignment struct {
	deed, beside []phrase.Token
	who          []phrase.Who
	term         string
}

// assignmentOf finds who does something beside what is done.
func assignmentOf(r *reader, toks []phrase.Token) (a assignment, ok bool) {
	last := len(toks) - 1
	var said []phrase.Token
	open := last
	for open > 0 && toks[open].Low != "(" {
		open--
	}
	switch dash := max(0, last-1); {
	case toks[last].Low == ")" && open > 0:
		a.deed, a.beside, said = toks[:open], toks[open:], toks[open+1:last]
	case last > 1 && dashes[toks[dash].Low] && !toks[last].Glued && toks[last].Kind == phrase.Name:
		a.deed, a.beside, said = toks[:dash], toks[dash:], toks[last:]
	default:
		_, n := phrase.ReadWho(toks)
		if n == 0 || n+1 >= len(toks) || !dashes[toks[n].Low] && toks[n].Low != ":" || !(phrase.StartsStep(toks[n+1:]) || r.listed && toks[0].Kind == phrase.Name && toks[n].Low == ":") || toks[0].Kind != phrase.Name && !r.listed {
			return a, false
		}
		a.deed, a.beside, said = toks[n+1:], toks[:n+1], toks[:n]
	}
	who, n := phrase.ReadWho(said)
	if n == 0 || slices.ContainsFunc(who, func(w phrase.Who) bool {
		return !w.Certain && !phrase.RoleOf(w.Toks) || strings.HasPrefix(w.Toks[0].Low, "#")
	}) {
		return a, false
	}
	a.who = who
	if rest := phrase.Trim(said[n:]); len(rest) > 0 {
		rest = rest[phrase.Starting(rest, phrase.Phrases("within in max at_most has")):]
		term, size := phrase.ReadTerm(rest)
		if a.term = term; size == 0 || size < len(rest) {
			return a, false
		}
	}
	return a, true
}

var dashes = phrase.Set(`- – —`)
