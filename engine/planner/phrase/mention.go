package phrase

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
)

// Mentions reports whether a text has all words, apart from articles and endings.
func Mentions(text string, toks []Token) bool {
	have := roots(text)
	some := false
	for _, t := range toks {
		if Determiners[t.Low] || Auxiliaries[t.Low] || Prepositions[t.Low] || t.Low == "been" || t.Kind == Sign {
			continue
		}
		for _, w := range roots(t.Low) {
			some = true
			if !slices.ContainsFunc(have, func(h string) bool {
				return h == w || len(w) > 4 && len(h) > 4 && (strings.HasPrefix(h, w) || strings.HasPrefix(w, h))
			}) {
				return false
			}
		}
	}
	return some
}

// roots gives the words of a text without their endings; the payment is what is paid.
func roots(text string) []string {
	out := english.NameStems(text)
	for i, w := range out {
		out[i] = strings.TrimSuffix(w, "ment")
	}
	return out
}

// MentionsWords is Mentions for words that are not scanned yet.
func MentionsWords(text, words string) bool { return Mentions(text, Scan(words, 0, len(words))) }

// People gives the words of a text that are names of people without an @. person reports whether somebody is called so: "@ana".
func People(text string, person func(name string) bool) (out []string) {
	const most = 200 // words that are looked up
	seen := map[string]bool{}
	for _, t := range Scan(text, 0, len(text)) {
		if mayName(t) && !seen[t.Low] && len(seen) < most {
			if seen[t.Low] = true; person("@" + t.Low) {
				out = append(out, t.Low)
			}
		}
	}
	return out
}

// plural reports whether a name means several people.
func plural(words string) bool {
	words, _, _ = strings.Cut(words, " of ")
	toks := Scan(words, 0, len(words))
	return len(toks) > 0 && (strings.HasSuffix(toks[len(toks)-1].Low, "s") || toks[len(toks)-1].Is("people", "team")) && toks[0].Kind != Name
}

// TogetherLast moves "in parallel" behind several names to the end: "ask @ann and @bob in parallel to approve it".
func TogetherLast(toks []Token) []Token {
	names, n := ReadWho(toks[min(1, len(toks)):])
	size := Starting(toks[n+min(1, len(toks)):], Phrases("in_parallel at_the_same_time simultaneously"))
	if n++; len(names) < 2 || size == 0 || n+size == len(toks) || toks[0].Low != "ask" {
		return toks
	}
	return slices.Concat(toks[:n], toks[n+size:], toks[n:n+size])
}

// MayBeChannel reports whether words without a # may name a channel: "the team channel", "sales" or "the sales people", and not "the owner".
func MayBeChannel(words string) bool {
	toks := Scan(words, 0, len(words))
	if len(toks) == 0 {
		return false
	}
	last := toks[len(toks)-1]
	if _, addressed := addresses[Lows(toks)]; addressed { // "him"
		return false
	}
	return Departments[last.Low] || Together[last.Low] || !Roles[last.Low] && !Determiners[toks[0].Low]
}

// Judges reports whether a word is said of a decision, and is more than a yes or a no.
func Judges(t Token) bool { return Answers[t.Low] != "" && len(t.Low) > len("okay") }

// Decides finds words that speak of a decision, and what it is about: "provides verbal approval of the budget", "acknowledges it".
func Decides(words string) (matter string, ok bool) {
	toks := Scan(words, 0, len(words))
	at := -1
	for i, t := range toks {
		if i > 0 && Determiners[toks[i-1].Low] && strings.HasSuffix(t.Low, "ed") { // "the approved change" is a thing
			continue
		}
		if accords[t.Low] || Answers[t.Low] != "" && known(t) && len(t.Low) > 3 || t.Is("decision", "decide", "decides", "acknowledge", "acknowledges") {
			at = i
			break
		}
	}
	if rest := toks[at+1:]; at >= 0 && len(rest) > 1 && rest[0].Kind == Word && !rest[0].Is("and", "or") {
		matter = words[rest[Starting(rest, matterLeads)].From:]
	}
	return matter, at >= 0
}

// matterLeads stand between a decision and what it is about.
var matterLeads = Phrases("of for on about to")

// Superior reports whether words name a person that depends on somebody: "my manager", "the employee's lead".
func Superior(words string) bool {
	all := strings.Fields(strings.ToLower(words))
	return len(all) > 1 && superiors[all[len(all)-1]]
}

// Together are words behind the name of a group: "the finance team".
var (
	Together  = Set("team group department people channel folks members staff")
	superiors = Set("manager boss lead leader head supervisor superior director teamlead deputy")
	whole     = Set("everyone everybody all of in on from the")
)

// ChannelOfAll gives the channel that words for all its people name: "everyone in #team".
func ChannelOfAll(low string) (channel string) {
	for w := range strings.FieldsSeq(low) {
		switch {
		case len(w) > 1 && w[0] == '#' && channel == "":
			channel = w
		case !Together[w] && !whole[w]:
			return ""
		}
	}
	return channel
}

// Emoji gives the name of the emoji that words say: "fire" of ":fire:", or of "the fire emoji"; "" = they say none.
func Emoji(words string) (name string) {
	toks := Scan(words, 0, len(words))
	for i, t := range toks {
		if t.Kind == emoji || i+1 < len(toks) && toks[i+1].Low == "emoji" && mayName(t) {
			name = t.Text
		}
	}
	return name
}
