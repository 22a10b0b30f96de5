package english

import (
	"slices"
	"strings"
	"unicode"
)

var (
	inquiring  = WordSet("how what which who whom whose when where why")
	auxiliary  = WordSet("is are was were can could will would should must may")
	perfect    = WordSet("has have had")
	participle = WordSet("been paid got gone done made sent seen left come given taken begun found kept met read said sold told won written")
	subjects   = WordSet("it we they he she you this that there these those all everything everybody everyone something somebody someone anything anybody anyone")
	beforeNoun = WordSet("the a an our your my his her its their this that these those")
)

// PleaseSay begins a question that stays indirect.
const PleaseSay = "please say "

// Inquiry asks for what words say indirectly: “if the office is open” is “is the office open?”, and “how many we need” is “please say how many
// we need.” Other words are a question as they are.
func Inquiry(words string) string {
	first, rest, _ := strings.Cut(words, " ")
	switch first = strings.ToLower(first); {
	case (first == "if" || first == "whether") && rest != "":
		if ask := inverted(strings.Fields(rest)); ask != "" && !negative.MatchString(rest) {
			return ask + "?"
		}
		return PleaseSay + "whether " + rest + "."
	case inquiring[first] && rest != "" && !direct(strings.Fields(rest)):
		return PleaseSay + words + "."
	case strings.HasPrefix(strings.ToLower(words), PleaseSay):
		return words + "."
	}
	return words + "?"
}

// inverted puts the verb of a statement in front of its subject; "" = it has no subject of few words, or another verb.
func inverted(words []string) string {
	low := strings.Fields(strings.ToLower(strings.Join(words, " ")))
	at := slices.IndexFunc(low, func(w string) bool { return auxiliary[w] || perfect[w] })
	switch {
	case at < 1 || at+1 >= len(words) || at > 1 && (at > 3 || !beforeNoun[low[0]]) || at == 1 && !subjects[low[0]] && low[0][0] != '@':
		return ""
	case perfect[low[at]] && !strings.HasSuffix(low[at+1], "ed") && !participle[low[at+1]]:
		return ""
	}
	return strings.Join(slices.Concat([]string{low[at]}, []string{Uncapital(words[0])}, words[1:at], words[at+1:]), " ")
}

// direct reports whether no subject stands in front of the verb behind a word that asks: “is missing”, “do we need”, “version”. A name or a
// pronoun is a subject: “we need”.
func direct(words []string) bool {
	for _, w := range words {
		low := strings.ToLower(w)
		switch {
		case auxiliary[low] || perfect[low] || low == "do" || low == "does" || low == "did":
			return true
		case subjects[low] || beforeNoun[low] || low[0] == '@' || unicode.IsUpper([]rune(w)[0]):
			return false
		}
	}
	return true
}
