package text

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// toTheLeft tells whether a text has letters of a script that is written from right to left.
func toTheLeft(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x590 && rightward(r) == bidi.R })
}

// rightward is what a letter is for its neighbours: L or R for letters, EN for digits, ES for what may stand inside a
// number, ON for all the rest.
func rightward(r rune) bidi.Class {
	p, _ := bidi.LookupRune(r)
	switch c := p.Class(); c {
	case bidi.L, bidi.R:
		return c
	case bidi.AL:
		return bidi.R
	case bidi.EN, bidi.AN:
		return bidi.EN
	case bidi.ES, bidi.CS:
		return bidi.ES
	}
	return bidi.ON
}

// inSight are the letters of a line as they stand from left to right, Arabic ones in the form that joins them with their
// neighbours. It follows the Unicode rules for text of both directions as far as one line without embeddings needs them.
func inSight(s string) []rune {
	letters := []rune(s)
	if !toTheLeft(s) {
		return letters
	}
	letters = joinForms(letters)
	levels := levelsOf(letters)
	for l := slices.Max(levels); l > 0; l-- { // turn every stretch of a level or more around
		for i := 0; i < len(letters); i++ {
			j := i
			for j < len(letters) && levels[j] >= l {
				j++
			}
			if j > i {
				slices.Reverse(letters[i:j])
				slices.Reverse(levels[i:j])
				i = j
			}
		}
	}
	return letters
}

// levelsOf are the depths of the letters: even ones read to the right, odd ones to the left. The first letter with a
// direction gives that of the line. Brackets that read to the left are turned around.
func levelsOf(letters []rune) []int {
	classes := make([]bidi.Class, len(letters))
	base := 0
	for i, r := range slices.Backward(letters) {
		switch classes[i] = rightward(r); classes[i] {
		case bidi.L:
			base = 0
		case bidi.R:
			base = 1
		}
	}
	for i := 1; i+1 < len(classes); i++ { // 1.5 and 10:30 are one number
		if classes[i] == bidi.ES && classes[i-1] == bidi.EN && classes[i+1] == bidi.EN {
			classes[i] = bidi.EN
		}
	}
	levels, before := make([]int, len(letters)), base
	for i, c := range classes {
		switch c {
		case bidi.L:
			before, levels[i] = 0, 2*base
		case bidi.R:
			before, levels[i] = 1, 1
		case bidi.EN:
			levels[i] = 2 * before
		default:
			levels[i] = -1 // settled below
		}
	}
	settleNeutral(letters, levels, base)
	return levels
}

// settleNeutral gives letters without a direction that of both their neighbours, or the line's where these differ.
func settleNeutral(letters []rune, levels []int, base int) {
	side := func(level int) int { // how a neighbour reads; a number between letters to the left counts as one
		if level == 2 && base == 0 {
			return 1
		}
		return level & 1
	}
	for i := 0; i < len(levels); i++ {
		if levels[i] >= 0 {
			continue
		}
		j := i
		for j < len(levels) && levels[j] < 0 {
			j++
		}
		left, right := base, base
		if i > 0 {
			left = side(levels[i-1])
		}
		if j < len(levels) {
			right = side(levels[j])
		}
		level := base
		if left == right {
			level = left
			if left == 0 {
				level = 2 * base
			}
		}
		for k := i; k < j; k++ {
			levels[k] = level
			if m, ok := mirrored[letters[k]]; ok && level&1 == 1 {
				letters[k] = m
			}
		}
		i = j - 1
	}
}

var mirrored = map[rune]rune{'(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '<': '>', '>': '<', '«': '»', '»': '«', '≤': '≥', '≥': '≤'}

// form is how an Arabic letter is drawn: first is its form alone, then come those at the end, and of letters that join
// forwards too, at the start and in the middle of a word.
type form struct {
	first   rune
	forward bool
}

var forms = arabicForms()

// arabicForms reads the table of forms: the letters of the block in order, 2 for those that join only backwards.
func arabicForms() map[rune]form {
	m := map[rune]form{
		'پ': {0xfb56, true}, 'چ': {0xfb7a, true}, 'ژ': {0xfb8a, false}, 'ک': {0xfb8e, true}, 'گ': {0xfb92, true}, 'ی': {0xfbfc, true},
	}
	at := rune(0xfe81)
	for i, joins := range "2222" + "4242" + "44444" + "2222" + "44444444" + "......" + "4444444224" {
		if joins == '.' {
			continue
		}
		m['آ'+rune(i)] = form{at, joins == '4'}
		at += joins - '0'
	}
	return m
}

// lamAlef are the forms of lam with each alef, which are one sign; the next rune is the form at the end of a word.
var lamAlef = map[rune]rune{'آ': 0xfef5, 'أ': 0xfef7, 'إ': 0xfef9, 'ا': 0xfefb}

const (
	lam     = 'ل'
	tatweel = 'ـ'
)

// joinForms puts Arabic letters into one of their four forms, in the order in which they are read.
func joinForms(letters []rune) []rune {
	out := make([]rune, 0, len(letters))
	joined := false // the letter before reaches on to this one
	for i := 0; i < len(letters); i++ {
		r := letters[i]
		f, ok := forms[r]
		if !ok {
			joined = r == tatweel
			out = append(out, r)
			continue
		}
		back := rune(0)
		if joined {
			back = 1
		}
		next := rune(0)
		if i+1 < len(letters) {
			next = letters[i+1]
		}
		if two, ok := lamAlef[next]; ok && r == lam {
			out, joined = append(out, two+back), false
			i++
			continue
		}
		_, more := forms[next]
		joined = f.forward && (more || next == tatweel)
		if joined {
			out = append(out, f.first+2+back)
		} else {
			out = append(out, f.first+back)
		}
	}
	return out
}

// vowelMark tells whether a mark only helps to read a Hebrew or Arabic word; set without its rules it would only blur it.
func vowelMark(r rune) bool {
	return unicode.Is(unicode.Mn, r) && r >= 0x591 && r <= 0x6ed
}
