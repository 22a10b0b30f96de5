package english

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sluice/engine/flow"
)

const (
	NameLength     = 28 // characters of a node's name in the picture
	phraseLength   = 24 // characters from which on a name ends before a preposition
	QuestionLength = 36 // characters of a decision's name
	IDLength       = 32
	idWords        = 3 // words of an id
)

// emptyWords are left out of ids.
var emptyWords = WordSet(`a an the of for from with in on to at by into onto via using about as per within and or is are was be it its this that these
	those they them then if whether please me my our us your their his her i we you do does done will would should can`)

var plainLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "ø", "o", "đ", "d", "ł", "l", "œ", "oe", "Æ", "Ae", "Ø", "O", "Ł", "L")

// fold writes accented letters without their accents.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(plainLetters.Replace(s)))
}

// Snake writes words as a name: lower-case ASCII letters, digits and _. It is empty when there is nothing to write.
func Snake(words string) string {
	return strings.ReplaceAll(flow.Slug(fold(possessive.ReplaceAllString(words, ""))), "-", "_")
}

// possessive ends a word for somebody to whom a thing belongs: "the candidate's name".
var possessive = regexp.MustCompile(`['’]s\b`)

// ID makes an id of the words that say something.
func ID(words string) string {
	var parts []string
	for part := range strings.SplitSeq(Snake(words), "_") {
		if part != "" && !emptyWords[part] && len(parts) < idWords {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "_")
}

var (
	finite   = regexp.MustCompile(`(?i)\b(?:is|are|was|were|has|have|had|can|could|will|would|should|must)\b`)
	negative = regexp.MustCompile(`(?i)\b(?:not|no|never|nobody|nothing|none|cannot)\b|n['’]t\b`)
)

// Denied says the opposite of a statement: "it is not Friday".
func Denied(statement string) string {
	if at := finite.FindStringIndex(statement); at != nil && !negative.MatchString(statement) {
		return statement[:at[1]] + " not" + statement[at[1]:]
	}
	return "it is not so that " + statement
}

// SentenceCase begins a text with a capital letter.
func SentenceCase(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// Shorten cuts a text at a word.
func Shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	cut := string(r[:most-1])
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,.:;") + "…"
}

// Join lists words as people do: a, b and c.
func Join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// Quoted puts a text into quotation marks.
func Quoted(s string) string { return "“" + Shorten(s, 200) + "”" }

// Plain makes one line of a text, without the signs around it.
func Plain(s string) string { return strings.Trim(strings.Join(strings.Fields(s), " "), " .,;:!") }

// ShortName makes words fit into a shape of the picture: long ones end before a preposition or a text in quotes, else at a word.
func ShortName(words string) string { return SentenceCase(Shorten(PhraseHead(words), NameLength)) }

// PhraseHead cuts long words before a preposition or a text in quotes, if there is one at a good place.
func PhraseHead(words string) string {
	text := Plain(words)
	if len([]rune(text)) <= phraseLength {
		return text
	}
	for _, at := range slices.Backward(phraseEnd.FindAllStringIndex(text, -1)) {
		if head := text[:at[0]]; len([]rune(head)) <= phraseLength && strings.Contains(head, " ") {
			return strings.TrimRight(head, " ,.:;")
		}
	}
	return text
}

// phraseEnd is where a name can end: what follows says from where, to whom, with what.
var phraseEnd = regexp.MustCompile(`(?i) (?:(?:from|for|with|within|in|on|to|at|by|into|onto|via|using|about|as|per)\s|["“])`)

var article = regexp.MustCompile(`(?i)^(?:the|an?|its|their|our)\s+`)

// WithoutArticle leaves out how a thing is named: "the amount" is "amount".
func WithoutArticle(words string) string { return article.ReplaceAllString(words, "") }

// Uncapital gives the first word a small letter unless it is written in capitals.
func Uncapital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[min(size, len(s)):])
	if size == 0 || first == utf8.RuneError || unicode.IsUpper(second) {
		return s
	}
	return string(unicode.ToLower(first)) + s[size:]
}

// Phrases expands patterns, one in a line, into lists of words, the longest first: "can|could you [please] set_up" has alternatives, a word that
// may be missing and an alternative of two words.
func Phrases(patterns string) [][]string {
	var out [][]string
	for line := range strings.Lines(patterns) {
		all := [][]string{nil}
		for part := range strings.FieldsSeq(line) {
			var next [][]string
			in, optional := strings.CutPrefix(part, "[")
			if optional {
				next, in = slices.Clone(all), strings.TrimSuffix(in, "]")
			}
			for _, head := range all {
				for alt := range strings.SplitSeq(in, "|") {
					next = append(next, append(slices.Clip(head), strings.Split(alt, "_")...))
				}
			}
			all = next
		}
		out = append(out, all...)
	}
	slices.SortStableFunc(out, func(a, b []string) int { return len(b) - len(a) })
	return out
}
