package phrase

import (
	"strings"

	"github.com/hbollon/go-edlib"

	"sluice/engine/planner/english"
)

// common are words that decide what a text means and that people often misspell, by their first letter.
var common = func() map[byte][]string {
	out := map[byte][]string{}
	for w := range strings.FieldsSeq(`every monday tuesday wednesday thursday friday saturday sunday otherwise approve approval weekly monthly parallel instead remind within
		tomorrow message notify notification request requester reminder escalate everybody everyone nobody somebody someone answers reject rejected approved unless minutes hours
		afterwards finally customer summarize channel`) {
		out[w[0]] = append(out[w[0]], w)
	}
	return out
}()

// correct are words that are near one of common and are no misspelling of it.
var correct = Set(`ever evert rewind remand monday's approver approves approved approvals mondays tuesdays wednesdays thursdays fridays saturdays sundays reminds weakly meekly withing
	wherein withal messages massage notifies notified requests requested requires required reminders remainder escalated escalates answer answered rejects ejected minute weekdays weekend
	customers customize channels chancel summarized reproved notifications requestor minus tomorrows remained bequest project subject object final financially weekday weekend sundry reminded finance anglers`)

// written are short forms and misspellings that mean one word only.
var written = map[string]string{
	"msg": "message", "mesage": "message", "msgs": "messages", "tmrw": "tomorrow", "tmr": "tomorrow", "2moro": "tomorrow", "evry": "every", "wich": "which", "recieve": "receive", "recieves": "receives",
	"doesnt": "doesn't", "dont": "don't", "didnt": "didn't", "hasnt": "hasn't", "havent": "haven't", "isnt": "isn't", "arent": "aren't", "cant": "can't", "wont": "won't", "wasnt": "wasn't",
	"nobdy": "nobody", "teh": "the", "hte": "the", "adn": "and", "thier": "their", "sombody": "somebody", "smth": "something", "bc": "because",
	"accross": "across", "untill": "until", "til": "until", "wether": "whether", "befor": "before", "aftr": "after", "othrwise": "otherwise", "els": "else", "fo": "for", "thn": "then",
	"pls": "please", "plz": "please", "plese": "please", "thats": "that's", "theres": "there's", "hes": "he's", "shes": "she's", "theyre": "they're", "im": "i'm", "ive": "i've", "youre": "you're",
	"noone": "nobody", "em": "them", "ppl": "people", "whos": "who's", "whats": "what's", "couldnt": "couldn't", "wouldnt": "wouldn't",
}

// statement are words behind "its" that only stand behind "it's": "its over 100", "its not approved".
var statement = Set(`over above under below more less greater higher lower bigger smaller at not a an the too between equal approved rejected accepted declined denied ok okay done finished ready
	late urgent missing empty > < >= <= = ≥ ≤`)

// comparing are words behind which "then" is a misspelling of "than", when an amount follows.
var comparing = Set(`more less greater higher lower bigger larger smaller fewer later longer older cheaper`)

// mend gives misspelled words their spelling, where only one word can be meant: "evry friday", "more then 100". The words themselves stay as
// they stand.
func mend(toks []Token) {
	for i := range toks {
		t := &toks[i]
		if t.Kind != Word {
			continue
		}
		if w, ok := written[t.Low]; ok {
			t.Low = w
			continue
		}
		if t.Low == "its" && i+1 < len(toks) && statement[toks[i+1].Low] {
			t.Low = "it's"
			continue
		}
		if t.Low == "then" && i > 0 && i+1 < len(toks) && comparing[toks[i-1].Low] && (toks[i+1].Kind == Number || Starting(toks[i+1:], amounts) > 0) {
			t.Low = "than"
			continue
		}
		const shortest, longest = 3, 14 // letters of a word that is looked at
		if len(t.Low) < shortest || len(t.Low) > longest || correct[t.Low] || Verbs[t.Low] || Roles[t.Low] || Third(t.Low) || english.Frequent(t.Low) || Gerund(*t) != "" {
			continue
		}
		if found := meant(t.Low, common[t.Low[0]]); len(found) == 1 {
			t.Low = found[0]
		} else if opens(toks, i) && len(found) == 0 {
			if verb := Swapped(t.Low); verb != "" {
				t.Low = verb
			}
		}
	}
}

// amounts begin what is compared with.
var amounts = Phrases(`the € $ £ ¥ eur usd a_hundred a_thousand a_day a_week a_month an_hour one two three four five six ten`)

// hard are words of common in which people also get two letters wrong, and that no other word is so near to.
var hard = Set(`wednesday tomorrow thursday saturday otherwise notification afterwards somebody everybody`)

// meant gives the words that a misspelled one may be: those that differ by one letter, or of hard ones by two.
func meant(low string, words []string) (out []string) {
	const long = 7 // letters
	for _, w := range words {
		if len(low) > 3 && near(low, w) || len(low) >= long && hard[w] && edlib.OSADamerauLevenshteinDistance(low, w) == 2 {
			out = append(out, w)
		}
	}
	return out
}

// opens reports whether a step may begin with a word, and something follows that can be done.
func opens(toks []Token, i int) bool {
	if i+1 < len(toks) && toks[i+1].Kind == Name && (i == 0 || !Guards[toks[i-1].Low]) {
		return true
	}
	if i+1 >= len(toks) || i > 0 && !toks[i].First && toks[i-1].Kind != Sign && toks[i-1].Low != "and" && toks[i-1].Low != "to" && Starting(toks[i-1:], Leads)+Starting(toks[i-1:], Elses) == 0 {
		return false
	}
	next := toks[i+1]
	return next.Kind == Quoted || next.Kind == Slot || objects[next.Low]
}

// Swapped gives the one verb that a word is when two neighbours change places: "tlel" is "tell", "apporve" is "approve".
func Swapped(low string) (verb string) {
	b := []byte(low)
	for i := 0; i+1 < len(b); i++ {
		if b[i] != b[i+1] {
			b[i], b[i+1] = b[i+1], b[i]
			if Verbs[string(b)] && verb == "" {
				verb = string(b)
			}
			b[i], b[i+1] = b[i+1], b[i]
		}
	}
	return verb
}

// Near gives the verb that a word which no table has may be a misspelling of: "tlel" is near "tell"; "" = none.
func Near(t Token) (verb string) {
	if t.Kind != Word || len(t.Low) < 3 || Verbs[t.Low] || english.Frequent(t.Low) || Roles[t.Low] || Third(t.Low) {
		return ""
	}
	for v := range Verbs {
		if v[0] == t.Low[0] && near(t.Low, v) && (verb == "" || v < verb) {
			verb = v
		}
	}
	return verb
}

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
