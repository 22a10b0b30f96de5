package phrase

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sluice/engine/planner/english"
)

// common are words that decide what a text means and that people often misspell, by their first letter.
var common = func() map[byte][]string {
	out := map[byte][]string{}
	for w := range strings.FieldsSeq(`every monday tuesday wednesday thursday friday saturday sunday otherwise approve approval weekly monthly parallel instead remind within
		tomorrow message notify requester reminder escalate everybody everyone nobody somebody someone reject rejected approved approves rejects unless minutes hours
		afterwards finally customer summarize channel`) {
		out[w[0]] = append(out[w[0]], w)
	}
	return out
}()

// correct are words that are near one of common and are no misspelling of it.
var correct = Set(`ever evert rewind remand approver approvals weakly meekly withing wherein withal massage notified notifies reminders escalates
	minute customers customize chancel requestor minus`)

// written are short forms and misspellings that mean one word only.
var written = map[string]string{
	"msg": "message", "mesage": "message", "tmrw": "tomorrow", "wich": "which", "recieve": "receive", "teh": "the", "adn": "and", "untill": "until", "thn": "then", "befor": "before", "b4": "before",
	"doesnt": "doesn't", "dont": "don't", "didnt": "didn't", "hasnt": "hasn't", "havent": "haven't", "isnt": "isn't", "arent": "aren't", "cant": "can't", "wont": "won't",
	"pls": "please", "plz": "please", "thats": "that's", "noone": "nobody", "im": "i'm", "a.m": "am", "p.m": "pm",
	"thru": "through", "smth": "something", "some1": "someone", "ppl": "people", "theres": "there's", "theyre": "they're",
}

// described are words behind "it's", which many write as "its".
var described = Set(`not a an ok okay fine good done ready over too`)

// withStops puts full stops and commas where they belong: those of abbreviations into the word, unless a sentence begins behind it, and the last
// one within quotation marks behind them: move it to "done," then tell @ana.
func withStops(src string, toks []Token) []Token {
	out := make([]Token, 0, len(toks))
	for i := 0; i < len(toks); i++ {
		t, rest := toks[i], toks[i+1:]
		short, leads := lettered.MatchString(t.Low) || abbreviations[t.Low], leadsToMore[t.Low] || t.Low == "no" && len(rest) > 1 && rest[1].Kind == Number
		if plain := strings.ReplaceAll(t.Text, ".", ""); short && Roles[strings.ToLower(plain)] {
			t.Text, t.Low = plain, strings.ToLower(plain)
		}
		if (short || leads) && len(rest) > 1 && rest[0].Low == "." && rest[0].Glued && (leads || !opensSentence(rest[1:])) {
			t.To = rest[0].To
			i++
		}
		out = append(out, t)
		if t.Kind != Quoted || len(rest) == 0 {
			continue
		}
		if last := string(english.Before(src, t.To-utf8.RuneLen(english.Before(src, t.To)))); last == "," || last == "." && opensSentence(rest) {
			out = append(out, Token{Kind: Sign, Text: last, Low: last, From: t.To, To: t.To})
		}
	}
	return out
}

var (
	lettered      = regexp.MustCompile(`^\pL(?:\.\pL)+$`)
	abbreviations = Set(`inc ltd co corp dept etc`)
	leadsToMore   = Set(`e.g i.e vs mr mrs ms dr approx fig`)
)

// opensSentence reports whether a sentence begins with toks.
func opensSentence(toks []Token) bool {
	return toks[0].First || StartsStep(toks) || OpensClause(toks) || opensPassive(toks) || CondLead(toks, Ifs) > 0 || Starting(toks, Elses) > 0 || Starting(toks, Leads) > 0
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
		} else if t.Low == "its" && (Comparatives[next.Low] || described[next.Low] || Answers[next.Low] != "" && PassiveWord(next)) {
			t.Low = "it's"
		} else if t.Low == "n" && i > 0 && !t.First && (next.Kind == Word || next.Kind == Name) {
			t.Low = "and"
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

// known reports whether a word stands in a table, or is a form of a verb, so that it is no misspelling.
func known(t Token) bool {
	base := strings.TrimSuffix(t.Low, "d")
	return Verbs[t.Low] || Roles[t.Low] || Third(t.Low) || english.Frequent(t.Low) || Gerund(t) != "" || base != t.Low && (Verbs[base] || Verbs[strings.TrimSuffix(base, "e")])
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
