package text

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// toTheLeft tells whether a text has letters of a script that is written from right to left.
func toTheLeft(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r >= 0x590 && (classOf(r) == bidi.R || classOf(r) == bidi.AL)
	})
}

func classOf(r rune) bidi.Class {
	p, _ := bidi.LookupRune(r)
	return p.Class()
}

// stretch is a part of a line that reads in one direction.
type stretch struct {
	letters []rune
	left    bool // it reads to the left
	inside  bool // it is part of words that read to the left, as a number between them is
}

// inSight are the letters of a line as they stand from left to right, Arabic ones in the form that joins them with their neighbours. It
// follows the Unicode rules for text of both directions. The first letter with a direction gives that of the line.
func inSight(s string) []rune {
	letters := []rune(s)
	if !toTheLeft(s) {
		return letters
	}
	letters = joinForms(letters)
	all, lineLeft := stretches(letters)
	if lineLeft {
		slices.Reverse(all)
	} else {
		for i := 0; i < len(all); i++ {
			from := i
			for i < len(all) && all[i].inside {
				i++
			}
			slices.Reverse(all[from:i])
		}
	}
	out := make([]rune, 0, len(letters))
	for _, part := range all {
		out = append(out, part.letters...)
	}
	return out
}

// stretches cuts a line where its direction changes. Stretches that read to the left are turned around, with their brackets.
func stretches(letters []rune) (all []stretch, lineLeft bool) {
	for _, r := range letters {
		if c := classOf(r); c == bidi.L || c == bidi.R || c == bidi.AL {
			lineLeft = c != bidi.L
			break
		}
	}
	var p bidi.Paragraph
	if _, err := p.SetString(string(letters)); err != nil {
		return []stretch{{letters: letters}}, false
	}
	order, err := p.Order()
	if err != nil {
		return []stretch{{letters: letters}}, false
	}
	for i := range order.NumRuns() {
		run := order.Run(i)
		part := stretch{letters: []rune(run.String()), left: run.Direction() == bidi.RightToLeft}
		if part.left {
			part.inside = true
			slices.Reverse(part.letters)
			for k, r := range part.letters {
				if m, ok := mirrored[r]; ok {
					part.letters[k] = m
				}
			}
		} else if n := numberAhead(part.letters); i > 0 && n > 0 {
			all = append(all, stretch{letters: part.letters[:n], inside: true})
			part.letters = part.letters[n:]
		}
		if len(part.letters) > 0 {
			all = append(all, part)
		}
	}
	return all, lineLeft
}

// numberAhead is how many letters the number has that a stretch begins with: behind words that read to the left it belongs to them.
func numberAhead(letters []rune) int {
	n := 0
	for i, r := range letters {
		switch classOf(r) {
		case bidi.EN, bidi.AN, bidi.ET:
			n = i + 1
		case bidi.ES, bidi.CS:
		default:
			return n
		}
	}
	return n
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
