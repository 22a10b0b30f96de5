package text

import (
	"strings"
	"unicode"
)

// Wrap cleans s and sets it in at most count lines of at most limit pixels, evenly filled; what does not fit ends in an
// ellipsis. An empty text has no lines.
func Wrap(s string, st Style, limit float64, count int) []string {
	s = Clean(s)
	if s == "" {
		return nil
	}
	if Width(s, st) <= limit {
		return []string{s}
	}
	ps := pieces(s, st, limit)
	starts := fill(ps, st, limit, count)
	if len(starts) > count {
		return cut(ps, starts, st, limit, count)
	}
	// Narrow the lines as long as there are not more of them: "Check the / order total", not "Check the order / total".
	lo := 0.0
	for _, p := range ps {
		lo = max(lo, Width(p.text, st))
	}
	hi := limit
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; len(fill(ps, st, mid, count)) == len(starts) {
			hi = mid
		} else {
			lo = mid
		}
	}
	starts = fill(ps, st, hi, count)
	lines := make([]string, len(starts))
	for i, from := range starts {
		to := len(ps)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		lines[i] = join(ps[from:to])
	}
	return lines
}

// cut keeps the first count lines; the last of them ends in an ellipsis.
func cut(ps []piece, starts []int, st Style, limit float64, count int) []string {
	lines := make([]string, 0, count)
	for i := range count - 1 {
		lines = append(lines, join(ps[starts[i]:starts[i+1]]))
	}
	return append(lines, shorten(join(ps[starts[count-1]:]), st, limit))
}

// piece is what a line break does not divide; space tells whether a space stands before it within a line.
type piece struct {
	text  string
	space bool
}

// pieces divides a line at its spaces, after the marks that hold long names together, and around every ideograph.
// A piece longer than limit is divided anywhere.
func pieces(s string, st Style, limit float64) []piece {
	var out []piece
	for i, word := range strings.Fields(s) {
		space := i > 0
		for _, part := range parts(word) {
			for part != "" {
				head, rest := chop(part, st, limit)
				out = append(out, piece{head, space})
				part, space = rest, false
			}
		}
	}
	return out
}

// parts divides one word where it may be broken.
func parts(word string) []string {
	var out []string
	from := 0
	letters := []rune(word)
	for i := 1; i < len(letters); i++ {
		breakable := strings.ContainsRune("-/_.:@", letters[i-1]) && i-from > 3 && len(letters)-i > 2
		if breakable || (ideograph(letters[i-1]) || ideograph(letters[i])) && !closing(letters[i]) {
			out, from = append(out, string(letters[from:i])), i
		}
	}
	return append(out, string(letters[from:]))
}

func ideograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// closing marks must not start a line.
func closing(r rune) bool {
	return unicode.In(r, unicode.Pe, unicode.Pf, unicode.Po) || r == 'ー'
}

// chop divides a piece that is longer than a line; the head always has at least one letter.
func chop(part string, st Style, limit float64) (head, rest string) {
	letters := []rune(part)
	n := max(fitting(letters, "", st, limit), 1)
	return string(letters[:n]), string(letters[n:])
}

// fill sets the pieces into lines of a width and returns where each line starts. It stops behind count lines.
func fill(ps []piece, st Style, width float64, count int) []int {
	starts := []int{0}
	for i := 1; i < len(ps) && len(starts) <= count; i++ {
		if Width(join(ps[starts[len(starts)-1]:i+1]), st) > width {
			starts = append(starts, i)
		}
	}
	return starts
}

func join(ps []piece) string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 && p.space {
			b.WriteByte(' ')
		}
		b.WriteString(p.text)
	}
	return b.String()
}
