package text

import (
	"strings"
	"unicode"

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

// Plain makes any bytes readable text: valid UTF-8 in composed form, single spaces, no control or private characters and
// none that turn the direction of what follows. It is for words that others draw: tooltips, alt texts, exports.
func Plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == zeroWidthJoiner || r == zeroWidthNonJoiner: // emoji and some scripts are made with them
			return r
		case r == unicode.ReplacementChar, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		}
		return r
	}, norm.NFC.String(strings.ToValidUTF8(s, "")))
	return strings.Join(strings.Fields(s), " ")
}

// Clean makes any bytes drawable: it is Plain, letters and digits that no font has become a box, and other unknown symbols
// (emoji) are left out.
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
	}, Plain(s))
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
	lo, hi := 0, len(letters) // the longest start that fits: widths grow with length but for kerning, which the walk down settles
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if Width(string(letters[:mid])+ellipsis, st) <= limit {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	for n := lo; n > 0; n-- {
		if t := strings.TrimRight(string(letters[:n]), " ,.;:-–(") + ellipsis; Width(t, st) <= limit {
			return t
		}
	}
	if Width(ellipsis, st) <= limit && s != "" {
		return ellipsis
	}
	return ""
}
