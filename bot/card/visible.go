package card

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blankMost empty lines, and spaceMost spaces, may follow each other: more push what comes after them out of sight.
const (
	blankMost   = 2
	spaceMost   = 40
	stackedMost = 4 // combining marks on one letter
)

// Visible shows what hides in a text: control characters, signs that turn the direction of reading, characters without a width and
// fillers are named by their number; spaces of other kinds become spaces, and long runs of nothing are counted.
func Visible(s string) string {
	if plainASCII(s) && !strings.Contains(s, "\n\n\n") && !strings.Contains(s, strings.Repeat(" ", spaceMost)) {
		return s
	}
	return countBlanks(named(s))
}

// named is a text in which what hides is named by its number.
func named(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").Replace(s)
	var b strings.Builder
	runes := []rune(s)
	stacked := 0
	for i, r := range runes {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			stacked++
		} else {
			stacked = 0
		}
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		case joins(runes, i):
			b.WriteRune(r)
		case hides(r), stacked > stackedMost:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// OneLine is Visible for a place that has one line.
func OneLine(s string) string { return strings.Join(strings.Fields(Visible(s)), " ") }

func plainASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// hides says whether a character cannot be seen, or changes how others are seen.
func hides(r rune) bool {
	switch {
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // signs before a number, in Arabic and Syriac
		return false
	case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Cs, r):
		return true
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	}
	return r == '\u2800' // the empty braille cell
}

// joins says whether a character without a width has its place: between the parts of an emoji, or the letters of a script that joins them.
func joins(runes []rune, i int) bool {
	r := runes[i]
	switch {
	case r != '\u200c' && r != '\u200d' && r != '\ufe0f' && r != '\ufe0e', i == 0:
		return false
	}
	before := runes[i-1]
	if r == '\ufe0f' || r == '\ufe0e' {
		return pictures(before) || before == '#' || before == '*' || before >= '0' && before <= '9'
	}
	if i+1 == len(runes) {
		return false
	}
	after := runes[i+1]
	if r == '\u200d' && (pictures(before) || before == '\ufe0f') && pictures(after) {
		return true
	}
	return unicode.In(before, joining...) && unicode.In(after, joining...)
}

var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer,
}

// pictures says whether a character is a picture, or the colour of a skin.
func pictures(r rune) bool { return unicode.Is(unicode.So, r) || r >= 0x1f3fb && r <= 0x1f3ff }

// countBlanks says how much nothing there is where there is much of it.
func countBlanks(s string) string {
	var out []string
	empty := 0
	flush := func() {
		switch {
		case empty > blankMost:
			out = append(out, fmt.Sprintf("⟨%d empty lines⟩", empty))
		default:
			out = append(out, make([]string, empty)...)
		}
		empty = 0
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimSpace(line) == "" {
			empty++
			continue
		}
		flush()
		out = append(out, countSpaces(line))
	}
	flush()
	return strings.Join(out, "\n")
}

func countSpaces(line string) string {
	if !strings.Contains(line, strings.Repeat(" ", spaceMost)) && strings.Count(line, "\t") < spaceMost {
		return line
	}
	var b strings.Builder
	for line != "" {
		text := strings.TrimLeft(line, " \t")
		if n := len(line) - len(text); n >= spaceMost {
			fmt.Fprintf(&b, "⟨%d spaces⟩", n)
		} else {
			b.WriteString(line[:n])
		}
		end := strings.IndexAny(text, " \t")
		if end < 0 {
			end = len(text)
		}
		b.WriteString(text[:end])
		line = text[end:]
	}
	return b.String()
}
