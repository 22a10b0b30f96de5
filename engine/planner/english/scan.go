package english

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scan cuts a text into words, by which texts are compared: signs without a space between them are one, of which only the place counts, and
// a clock or a date is a word.
func Scan(s string) []Word {
	out := (&scanner{src: s, open: map[string]int{}, join: true}).tokens(0, len(s))
	for i := range out {
		w := &out[i]
		if w.Kind == EmojiWord || w.Kind == NumberWord && !IsNumber(w.Text) {
			w.Kind = PlainWord
		}
		w.Low = strings.ToLower(strings.ReplaceAll(w.Text, "’", "'"))
		w.Stem = Stem(w.Low)
	}
	return out
}

// WordRune reports whether a rune is a letter, a digit or an underscore.
func WordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// Before is the rune before a place of a text.
func Before(s string, at int) rune { r, _ := utf8.DecodeLastRuneInString(s[:at]); return r }

// Whole reports whether a part of a text begins and ends where words do. An underscore is no part of a word: it may mark one.
func Whole(s string, from, to int) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	inside := func(at int) bool {
		after, _ := utf8.DecodeRuneInString(s[at:])
		return letter(Before(s, at)) && letter(after)
	}
	return !inside(from) && !inside(to)
}

// endings are what English words change by: the ending, what stands for it, and how many letters must stay.
var endings = []struct {
	end, by string
	left    int
}{
	{"ies", "y", 2},
	{"ied", "y", 2},
	{"sses", "ss", 1},
	{"shes", "sh", 1},
	{"ches", "ch", 1},
	{"xes", "x", 1},
	{"ing", "", 3},
	{"ed", "", 3},
	{"s", "", 3},
}

// Irregular are participles that no ending makes of their verbs.
var Irregular = map[string]string{
	"paid": "pay", "sent": "send", "made": "make", "told": "tell", "built": "build", "sold": "sell", "bought": "buy", "written": "write", "given": "give",
	"taken": "take", "chosen": "choose", "held": "hold", "brought": "bring", "drawn": "draw", "begun": "begin",
}

// Stem takes the endings off that English words change by, so that "creates", "created" and "creating" meet "create".
func Stem(low string) string {
	low = strings.TrimSuffix(low, "'s")
	if strings.ContainsFunc(low, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if low == "e-mail" || low == "e-mails" {
			return "email"
		}
		return low
	}
	for _, e := range endings {
		rest, ok := strings.CutSuffix(low, e.end)
		if !ok || len(rest) < e.left || !strings.ContainsAny(rest, "aeiouy") || e.end == "s" && strings.ContainsAny(rest[len(rest)-1:], "sui") {
			continue
		}
		low = rest + e.by
		if n := len(low); e.by == "" && e.end != "s" && n > 3 && low[n-1] == low[n-2] && !strings.ContainsAny(low[n-1:], "slz") {
			low = low[:n-1]
		}
		break
	}
	if len(low) > 3 && strings.HasSuffix(low, "e") && !strings.HasSuffix(low, "ee") {
		low = low[:len(low)-1]
	}
	return low
}

// WordSet is a closed list of words, as a table writes it: "the_steps" is a phrase of two.
func WordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[strings.ReplaceAll(w, "_", " ")] = true
	}
	return set
}

var (
	// stopWords mean nothing by themselves when a step is compared with a tool or a value.
	stopWords = WordSet(`a an the it its it's this that these those them they he she there to of from for in on at by with and or then please
now next finally first also just so as me my our your their his her him us i we you is are be was were been will should must can shall would
could has have had do does did new any into onto via using use through about up out let lets go get's so again already well which who whose
whom where when while if than too both etc api app immediately directly instantly straight away asap promptly
afterwards afterward subsequently automatically anyway anyhow regardless`)
	// Quantities change how much or how often something is done.
	Quantities = WordSet(`half twice thrice double triple partial partially part some only except but every each all any minus plus percent most least
everything anything anyone until till once later tomorrow quarter third remaining rest maximum minimum max min less more instead few several many`)
	// Wholes are quantities that a tool that lists things does anyway.
	Wholes = WordSet(`all every each`)
	// Denials turn a step into its opposite.
	Denials = WordSet(`not don't dont doesn't doesnt isn't aren't wasn't won't never no without unless cannot can't avoid neither nor nothing none nobody
stop skip`)
	// Pronouns mean what was last said or done.
	Pronouns = WordSet(`it this that them these those they result results answer output`)
)

// Numerals are numbers that are written as words.
var Numerals = map[string]float64{
	"half": 0.5, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"twice": 2, "thrice": 3, "both": 2, "fifteen": 15, "twenty": 20, "thirty": 30,
	"thirteen": 13, "fourteen": 14, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// Is reports whether a word is one of these.
func (w Word) Is(words ...string) bool { return slices.Contains(words, w.Low) }

// Content reports whether a word means something by itself.
func (w Word) Content() bool { return w.Kind == PlainWord && !w.Stop() }

// Stop reports whether a word is one that only joins others. Written in capitals it is a name: "project IT".
func (w Word) Stop() bool {
	return w.Kind == PlainWord && stopWords[w.Low] && (len(w.Text) < 2 || w.Text != strings.ToUpper(w.Text))
}

// Literal reports whether a word names one thing: a number, a quoted text, a name, an address, a code such as A-1001.
func (w Word) Literal() bool {
	switch w.Kind {
	case NumberWord, QuotedWord, NameWord, URLWord, InputWord:
		return true
	}
	return w.Kind == PlainWord && strings.ContainsAny(w.Text, "0123456789@") && !measure.MatchString(w.Low)
}

// measure finds words that say how many or how long, and name nothing: "3-item", "10-minute".
var measure = regexp.MustCompile(`^[0-9]+-\pL+$`)

// Stems gives the words that mean something, by which texts are compared.
func Stems(words []Word) []string {
	var out []string
	for _, w := range words {
		if w.Content() {
			out = append(out, w.Stem)
		}
	}
	return out
}

// NameStems cuts a name such as one_two or oneTwo into its words.
func NameStems(name string) []string {
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
		out = append(out, Stem(part))
	}
	return out
}

// PlainName writes a name such as order_id as people say it: "order id".
func PlainName(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }), " ")
}

// Quote puts a text into quotation marks, as one line. Nearly all sentences are shown in full: an answer settles all words that it is about.
func Quote(s string) string {
	return "“" + Shorten(strings.Join(strings.Fields(s), " "), 1000) + "”"
}

// Matters reports whether a word changes what is done: a literal, a negation, a quantity.
func (w Word) Matters() bool {
	_, numeral := Numerals[w.Low]
	return w.Literal() || w.Kind == PlainWord && (numeral || Denials[w.Low] || Quantities[w.Low])
}

// StemSet is WordSet by the stems of the words.
func StemSet(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[Stem(w)] = true
	}
	return out
}
