package source

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sluice/engine/flow"
)

const snippetWidth = 100 // characters of a source line that are shown

// snippet shows a source line with a caret below the column. A long line is cut around the column.
func snippet(line string, number, column int) string {
	runes := []rune(line)
	at := min(max(column-1, 0), len(runes))
	from := 0
	if len(runes) > snippetWidth && at > snippetWidth*2/3 {
		from = at - snippetWidth/2
	}
	shown, pad := excerpt(runes, from, at, snippetWidth)
	head := fmt.Sprintf("%5d | ", number)
	return head + strings.TrimRight(shown, " \t") + "\n" + strings.Repeat(" ", len(head)-2) + "| " + pad + "^"
}

// Narrow gives a problem with its source line cut to so many characters around the caret, for displays where a longer line would be broken
// and the caret would be in the wrong place.
func Narrow(p flow.Problem, width int) flow.Problem {
	shown, below, ok := strings.Cut(p.Snippet, "\n")
	bar := strings.Index(shown, "| ")
	if !ok || bar < 0 || len(below) < bar+len("| ^") {
		return p
	}
	bar += len("| ")
	runes, left := []rune(shown[bar:]), len([]rune(below))-bar-1
	at := 0
	for ; at < len(runes) && left > 0; at++ {
		left--
		if utf8.RuneLen(runes[at]) >= 3 {
			left--
		}
	}
	if len(runes) <= width {
		return p
	}
	line, pad := excerpt(runes, max(0, min(at-width/2, len(runes)-width)), at, width)
	p.Snippet = shown[:bar] + line + "\n" + below[:bar] + pad + "^"
	return p
}

// excerpt gives so many characters of a line from a place on, with dots where more is left out, and blanks up to the place of the caret.
func excerpt(runes []rune, from, caret, width int) (shown, pad string) {
	const dots = "..."
	to := min(len(runes), from+width)
	shown, before := string(runes[from:to]), runes[from:min(caret, to)]
	if from > 0 {
		shown, before = dots+shown, append([]rune(dots), before...)
	}
	if to < len(runes) {
		shown += dots
	}
	return shown, blanks(before)
}

// blanks gives spaces with the width of some characters.
func blanks(of []rune) string {
	pad := make([]rune, 0, len(of))
	for _, r := range of {
		switch {
		case r == '\t':
			pad = append(pad, '\t')
		case utf8.RuneLen(r) >= 3: // mostly characters of double width
			pad = append(pad, ' ', ' ')
		default:
			pad = append(pad, ' ')
		}
	}
	return string(pad)
}
