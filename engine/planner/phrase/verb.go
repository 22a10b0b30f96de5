package phrase

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
)

// Gerund gives the verb of a word such as "refunding"; "" = it is none.
func Gerund(t Token) string {
	base, ok := strings.CutSuffix(t.Low, "ing")
	if !ok || len(base) < 3 || notGerunds[t.Low] {
		return ""
	}
	for _, verb := range []string{base, base + "e", base[:len(base)-1]} {
		if Verbs[verb] && (len(verb) >= len(base) || base[len(base)-1] == base[len(base)-2]) {
			return verb
		}
	}
	return ""
}

// notGerunds join words, and say nothing to do.
var notGerunds = Set(`following using starting beginning pending including meeting building`)

// Passive reports whether something is done to what stands first: "the order is shipped".
func Passive(toks []Token) bool {
	for i := 0; i+1 < len(toks) && i < MostItem; i++ {
		if !Auxiliaries[toks[i].Low] && !toks[i].Is("it's", "they're") {
			continue
		}
		if slices.ContainsFunc(toks[i+1:min(len(toks), i+4)], PassiveWord) {
			return true
		}
	}
	return false
}

// HaveDone gives what a role does behind "have", as a clause of its own: "have the finance team look at it"; nil = it says something else.
func HaveDone(toks []Token) []Token {
	if toks[0].Low != "have" || len(toks) < 2 || toks[1].Kind == Name {
		return nil
	}
	for v := 2; v < min(len(toks), MostRole+2); v++ {
		if Verbs[toks[v].Low] && RoleOf(toks[1:v]) {
			said := slices.Clone(toks[1:])
			said[v-1].Low += "s" // as somebody who does it
			return said
		}
	}
	return nil
}

// PassiveWord reports whether a word says what was done to something.
func PassiveWord(t Token) bool {
	return t.Kind == Word && (strings.HasSuffix(t.Low, "ed") && len(t.Low) > 4 || english.Irregular[t.Low] != "" || t.Is("done", "won", "put", "kept"))
}

// UnknownVerb reports whether a word that no table has begins toks, with something behind it that can be done: "thank the team".
func UnknownVerb(toks []Token) bool {
	const longest = 24 // words of a step
	t := toks[0]
	if len(toks) < 2 || len(toks) > longest || t.Kind != Word || english.Frequent(t.Low) || Roles[t.Low] || len(t.Low) < 3 || RoleEnds[t.Low] || Starting(toks, Leads) > 0 {
		return false
	}
	next := toks[1]
	if t.Low == "thanks" || next.Low == "you" || Has(toks, ",", ":") {
		return false
	}
	return next.Kind == Name || next.Kind == Quoted || next.Kind == url || Determiners[next.Low] || next.Is("it", "them", "to", "for", "up", "out")
}

// ByWhom is where "by the support team" begins at the end of toks; 0 = nowhere.
func ByWhom(toks []Token) int {
	for i := len(toks) - 2; i > 0 && i > len(toks)-2-MostRole; i-- {
		if toks[i].Low == "by" && RoleOf(toks[i+1:]) {
			return i
		}
	}
	return 0
}

// Imperative writes the verbs of "a workflow that gets the order and tells #x" as those of steps.
func Imperative(toks []Token) {
	for i := range toks {
		if base := Base(toks[i].Low); base != "" && (i == 0 || Starting(toks[i-1:], Leads) > 0) {
			toks[i].Low = base
		}
	}
}

// Commands writes the verbs of a list such as "extracting the text, and converting it" as those of steps. toks begin with one.
func Commands(toks []Token) {
	for i := range toks {
		verb := Gerund(toks[i])
		switch {
		case verb == "":
		case i == 0, Starting(toks[i-1:], Leads) > 0:
			toks[i].Low = verb
		case toks[i-1].Low == "to": // "from creating the ticket to booking the hotel"
			toks[i-1].Low, toks[i].Low = ";", verb
		}
	}
}

// Aside reports whether parentheses in a step say who does or approves it, in a way that no form reads: "(@ana approves)".
func Aside(toks []Token) bool {
	for i := 1; i+1 < len(toks); i++ { // "the shipping - @bob -"
		if dividers[toks[i].Low] && person(toks[i+1:i+2]) && (i+2 == len(toks) || dividers[toks[i+2].Low]) {
			return true
		}
	}
	open := Find(toks, "(")
	if open < 1 || open+1 == len(toks) {
		return false
	}
	inside := toks[open+1:]
	if end := Find(inside, ")"); end > 0 {
		inside = inside[:end]
	}
	return slices.ContainsFunc(inside, func(t Token) bool { return approvals[t.Low] || Judges(t) }) || person(inside[:1]) && (toks[len(toks)-1].Low != ")" || ActorOf(inside).N > 0)
}

// Denied reports whether words deny something: "need not", "doesn't".
func Denied(toks []Token) bool {
	return slices.ContainsFunc(toks, func(t Token) bool { return Starting([]Token{t}, Denials) > 0 || strings.HasSuffix(t.Low, "n't") })
}

// HoldsMore reports whether words say more than one step, in a way that no form reads. As the text of one step they would look understood.
func HoldsMore(toks []Token) bool {
	loop := Has(toks, "again") && Has(toks, "until")
	return loop || toks[0].Is("but", "until") || Starting(toks, Phrases("in_which_case in_that_case")) > 0
}
