package plan

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordKind says what a word of a line is.
type wordKind int

const (
	plainWord  wordKind = iota
	numberWord          // 100, 1,000, $500, 5k
	quotedWord          // text in quotes, several words long or not
	nameWord            // @person, @group, #channel
	signWord            // , ; : = > < and the like
)

// word is one word of a line, with its place in it.
type word struct {
	kind       wordKind
	text       string // as written, without quotes
	low        string // in small letters
	stem       string // what words are compared by
	start, end int    // bytes of the line
}

var wordPattern = regexp.MustCompile(`"[^"]*"|“[^”]*”|«[^»]*»|https?://[^\s,;]+|[\p{L}\p{N}][\p{L}\p{N}._%+-]*@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|[@#][\p{L}\p{N}][\p{L}\p{N}._-]*` +
	`|[€$£¥]?-?[0-9][0-9.,']*[0-9](?:[kKmM%]|\b)?[€$£¥]?|[€$£¥]?-?[0-9][kKmM%]?[€$£¥]?` +
	`|[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:['’.-][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*|>=|<=|==|!=|≥|≤|≠|[^\s]`)

// scan cuts a line into words.
func scan(line string) []word {
	var out []word
	for at := 0; at < len(line); {
		loc := wordPattern.FindStringIndex(line[at:])
		if loc == nil {
			break
		}
		start, end := at+loc[0], at+loc[1]
		if more := codeEnd(line, start, end); more > end {
			end = more
		}
		out = append(out, newWord(line, start, end))
		at = end
	}
	return out
}

var codeRest = regexp.MustCompile(`^[\p{L}\p{N}_-]*[\p{L}\p{N}_]`)

// codeEnd extends a number that is the beginning of a code, such as 17-B or 2nd.
func codeEnd(line string, start, end int) int {
	first, _ := utf8.DecodeRuneInString(line[start:])
	if !unicode.IsDigit(first) {
		return end
	}
	return end + len(codeRest.FindString(line[end:]))
}

func newWord(line string, start, end int) word {
	w := word{text: line[start:end], start: start, end: end}
	first, size := utf8.DecodeRuneInString(w.text)
	_, last := utf8.DecodeLastRuneInString(w.text)
	switch {
	case strings.ContainsRune(`"“«`, first) && len(w.text) > size:
		w.kind, w.text = quotedWord, w.text[size:len(w.text)-last]
	case (first == '@' || first == '#') && len(w.text) > 1:
		w.kind, w.text = nameWord, strings.TrimRight(w.text, "._-")
		w.end = start + len(w.text)
	case isNumber(w.text):
		w.kind = numberWord
	case !unicode.IsLetter(first) && !unicode.IsDigit(first) && first != '_':
		w.kind = signWord
	}
	w.low = strings.ToLower(strings.ReplaceAll(w.text, "’", "'"))
	w.stem = stem(w.low)
	return w
}

// stem takes the endings off that English words change by, so that "orders" and "order" meet.
func stem(low string) string {
	low = strings.TrimSuffix(low, "'s")
	if strings.ContainsFunc(low, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return low
	}
	switch n := utf8.RuneCountInString(low); {
	case n > 4 && strings.HasSuffix(low, "ies"):
		return low[:len(low)-3] + "y"
	case n > 4 && (strings.HasSuffix(low, "sses") || strings.HasSuffix(low, "shes") || strings.HasSuffix(low, "ches") || strings.HasSuffix(low, "xes")):
		return low[:len(low)-2]
	case n > 3 && strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss") && !strings.HasSuffix(low, "us") && !strings.HasSuffix(low, "is"):
		return low[:len(low)-1]
	}
	return low
}

// stopWords carry no meaning when a step is compared with a tool.
var stopWords = wordSet(`a an the it its this that these those them they there to of from for in on at by with and or then please
now next finally also just so as me my our your their his her i we you is are be was were will should must can shall new any all up
into onto via using let lets go right well ok okay`)

// limitWords change how much or how often something is done. A step that does something and holds one that was not understood
// must not pass.
var limitWords = wordSet(`half twice thrice double partial partially part some only except but every each minus plus percent
two three four five six seven eight nine ten everything anything until till after before once later tomorrow quarter third remaining rest least most maximum minimum max min less more instead`)

// denials turn a step into its opposite.
var denials = wordSet(`not don't dont doesn't never no without unless cannot can't won't avoid neither nor nothing none nobody`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// content reports whether a word carries meaning of its own.
func (w word) content() bool { return w.kind == plainWord && !stopWords[w.low] }

// stems gives the words that carry meaning, by which a step is compared with a tool.
func stems(words []word) []string {
	var out []string
	for _, w := range words {
		if w.content() {
			out = append(out, w.stem)
		}
	}
	return out
}

// nameStems cuts a name such as one_two or oneTwo into its words.
func nameStems(name string) []string {
	var b strings.Builder
	prev := rune(0)
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(prev) {
			b.WriteByte(' ')
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(r)
		prev = r
	}
	var out []string
	for part := range strings.FieldsSeq(strings.ToLower(b.String())) {
		out = append(out, stem(part))
	}
	return out
}

// is reports whether the words begin with the given ones.
func begins(words []word, with ...string) bool {
	if len(words) < len(with) {
		return false
	}
	for i, w := range with {
		if words[i].kind == quotedWord || words[i].low != w {
			return false
		}
	}
	return true
}

// indexOf finds the first place of one of the plain words or signs, from a place on; -1 if there is none.
func indexOf(words []word, from int, any ...string) int {
	for i := from; i < len(words); i++ {
		if words[i].kind != quotedWord && slices.Contains(any, words[i].low) {
			return i
		}
	}
	return -1
}

// span is the text of the line that the words stand in.
func span(line string, words []word) string {
	if len(words) == 0 {
		return ""
	}
	return strings.TrimSpace(line[words[0].start:words[len(words)-1].end])
}

// sentenceCase gives the first letter a capital.
func sentenceCase(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

func quote(s string) string { return "“" + shorten(s, 200) + "”" }

// shorten cuts at a word.
func shorten(s string, most int) string {
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

// list joins words as people do: a, b and c.
func list(words []string, last string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}
