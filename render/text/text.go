package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sluice/render/path"
)

// Style is how a line is set. Size is in CSS pixels at scale 1.
type Style struct {
	Size float64
	Bold bool
}

func (s Style) face() *face {
	if s.Bold {
		return semibold()
	}
	return regular()
}

// missing stands for a letter that no font has.
const missing = '□'

const ellipsis = "…"

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// longest is how many letters of a text are drawn at most. No line and no label has room for as many, and so everything
// measures a cleaned text costs the same for any longer one.
const longest = 1000

// Plain makes any bytes readable text: valid UTF-8 in composed form, single spaces, no control or private characters and
// none that turn the direction of what follows. It is for words that others draw: tooltips, alt texts, exports.
func Plain(s string) string { return Head(s, len(s)) }

// Head is Plain of at most n letters; a longer text ends in an ellipsis. What comes after these letters is not read.
func Head(s string, n int) string {
	var b strings.Builder
	b.Grow(min(len(s), 4*n))
	count, space := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = count > 0
			continue
		case !readable(r):
			continue
		case count+1 > n || space && count+2 > n:
			b.WriteString(ellipsis)
			return norm.NFC.String(b.String())
		}
		if space {
			b.WriteByte(' ')
			count, space = count+1, false
		}
		b.WriteRune(r)
		count++
	}
	return norm.NFC.String(b.String())
}

// readable tells whether a letter may stay. Invalid bytes of UTF-8 arrive as the replacement character.
func readable(r rune) bool {
	if r == zeroWidthJoiner || r == zeroWidthNonJoiner { // emoji and some scripts are made with them
		return true
	}
	return r != unicode.ReplacementChar && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

// Clean makes any bytes drawable: it is Plain, letters and digits that no font has become a box, and other unknown symbols
// (emoji) are left out. A text of more than longest letters ends in an ellipsis.
func Clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case vowelMark(r):
			return -1
		case r == ' ' || regular().glyph(r).known || spare(r).known:
			return r
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			return missing
		}
		return -1
	}, Head(s, longest))
	return strings.Join(strings.Fields(s), " ")
}

// Glyph is a placed letter: its outline in shares of the font size, and its place on the line in CSS pixels.
type Glyph struct {
	Outline path.Path
	X       float64
}

// Width is the length of a cleaned line.
func Width(s string, st Style) float64 { return walk(s, st, nil) }

// Glyphs places the letters of a cleaned line, which starts at 0, from left to right as they are seen.
func Glyphs(s string, st Style) []Glyph {
	out := make([]Glyph, 0, len(s))
	walk(s, st, func(g *glyph, x float64) { out = append(out, Glyph{g.outline, x}) })
	return out
}

func walk(s string, st Style, visit func(*glyph, float64)) float64 {
	main, x := st.face(), 0.0
	var before *glyph // the letter just set, when it was of the main font: kerning does not cross fonts
	for _, r := range inSight(s) {
		g := main.glyph(r)
		if g.known {
			if before != nil {
				x += main.kern(before.index, g.index) * st.Size
			}
			before = g
		} else {
			g, before = spare(r), nil
		}
		if visit != nil {
			visit(g, x)
		}
		x += g.advance * st.Size
	}
	return x
}

// Fit cleans s and shortens it with an ellipsis to at most limit pixels. Where not even the ellipsis fits, it is empty.
func Fit(s string, st Style, limit float64) string {
	s = Clean(s)
	if Width(s, st) <= limit {
		return s
	}
	return shorten(s, st, limit)
}

// shorten is Fit for a line that is known to be too long (or that has more words behind it).
func shorten(s string, st Style, limit float64) string {
	letters := []rune(s)
	for n := fitting(letters, ellipsis, st, limit); n > 0; { // down where the kerning before the ellipsis needs it
		t := strings.TrimRight(string(letters[:n]), " ,.;:-–(")
		if Width(t+ellipsis, st) <= limit {
			return t + ellipsis
		}
		n = min(n-1, utf8.RuneCountInString(t))
	}
	if Width(ellipsis, st) <= limit && s != "" {
		return ellipsis
	}
	return ""
}

// fitting is how many of the letters fit into limit pixels with a tail behind them: widths grow with length but for kerning.
// It measures about twice as many letters as fit, however many there are.
func fitting(letters []rune, tail string, st Style, limit float64) int {
	fits := func(n int) bool { return Width(string(letters[:n])+tail, st) <= limit }
	lo, hi := 0, min(16, len(letters)+1) // lo letters fit, hi do not
	for hi <= len(letters) && fits(hi) {
		lo, hi = hi, min(2*hi, len(letters)+1)
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
