package phrase

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
)

// common are words that decide what a text means and that people often misspell, by their first letter.
var common = func() map[byte][]string {
	out := map[byte][]string{}
	for w := range strings.FieldsSeq(`every monday tuesday wednesday thursday friday saturday sunday otherwise approve approval weekly monthly parallel instead remind within
		tomorrow message notify requester reminder escalate everybody everyone nobody somebody someone reject rejected approved unless minutes hours
		afterwards finally customer summarize channel`) {
		out[w[0]] = append(out[w[0]], w)
	}
	return out
}()

// correct are words that are near one of common and are no misspelling of it.
var correct = Set(`ever evert rewind remand approver approves approvals weakly meekly withing wherein withal massage notified notifies reminders escalated escalates
	rejects minute customers customize chancel summarized requestor requested minus`)

// written are short forms and misspellings that mean one word only.
var written = map[string]string{
	"msg": "message", "mesage": "message", "tmrw": "tomorrow", "wich": "which", "recieve": "receive", "teh": "the", "adn": "and", "untill": "until", "thn": "then", "befor": "before",
	"doesnt": "doesn't", "dont": "don't", "didnt": "didn't", "hasnt": "hasn't", "havent": "haven't", "isnt": "isn't", "arent": "aren't", "cant": "can't", "wont": "won't",
	"pls": "please", "plz": "please", "thats": "that's", "noone": "nobody", "im": "i'm",
}

// mend gives misspelled words their spelling, where only one word can be meant: "evry friday". The words themselves stay as they stand.
func mend(toks []Token) {
	for i := range toks {
		t := &toks[i]
		if arrows[t.Low] {
			t.Low = "->"
		}
		if t.Kind != Word {
			continue
		}
		next := Token{}
		if i+1 < len(toks) {
			next = toks[i+1]
		}
		if w, ok := written[t.Low]; ok {
			t.Low = w
		} else if t.Low == "its" && (Comparatives[next.Low] || next.Low == "not" || Answers[next.Low] != "" && PassiveWord(next)) {
			t.Low = "it's"
		} else if t.Low == "then" && i > 0 && Comparatives[toks[i-1].Low] && next.Kind == Number {
			t.Low = "than"
		} else {
			t.Low = meant(*t)
		}
	}
}

// meant gives the one common word that a word may be a misspelling of; otherwise the word itself.
func meant(t Token) string {
	const shortest, longest = 4, 14 // letters of a word that is looked at
	words := common[t.Low[0]]
	if len(t.Low) < shortest || len(t.Low) > longest || slices.Contains(words, t.Low) || correct[t.Low] || known(t) {
		return t.Low
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !near(t.Low, w) })
	if len(words) != 1 {
		return t.Low
	}
	return words[0]
}

// known reports whether a word stands in a table, so that it is no misspelling.
func known(t Token) bool {
	return Verbs[t.Low] || Roles[t.Low] || Third(t.Low) || english.Frequent(t.Low) || Gerund(t) != ""
}

// Near gives the verb that a word which no table has may be a misspelling of: "tlel" is near "tell"; "" = none.
func Near(t Token) (verb string) {
	if t.Kind != Word || len(t.Low) < 3 || known(t) {
		return ""
	}
	for v := range Verbs {
		if v[0] == t.Low[0] && near(t.Low, v) && (verb == "" || v < verb) {
			verb = v
		}
	}
	return verb
}

// nearUnit reports whether a word may be a misspelled unit of time: "1 dya".
func nearUnit(t Token) bool {
	return t.Kind == Word && units[t.Low] == "" && !known(t) && slices.ContainsFunc(longUnits, func(u string) bool { return t.Low[0] == u[0] && near(t.Low, u) })
}

var longUnits = strings.Fields(`second seconds minute minutes hour hours day days week weeks`)

// near reports whether two words with the same first letter differ by one letter too many, too few, another one, or two that have changed places.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:] && (i < len(a) || b[i] != 's')
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
