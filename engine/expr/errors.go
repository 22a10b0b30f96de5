package expr

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrCost is wrapped by the error of an evaluation that did more work than Options.MaxCost allows.
var ErrCost = errors.New("the expression costs more than is allowed")

// SyntaxError says what is wrong with an expression or a template, where, and what to do. It is the
// only error that compiling gives.
type SyntaxError struct {
	// Src is the whole text that was given: the expression, or the template around it.
	Src string
	// Path is the place of the text inside nested parameters, as in json.items[0].name; it is empty
	// outside CompileValue.
	Path string
	// Offset is the place of the mistake in Src, in bytes.
	Offset int
	// Line and Column say the same to people. Both count from 1; columns are characters.
	Line, Column int
	// Message says what is wrong, Hint (often empty) what to write instead.
	Message, Hint string
}

func newSyntaxError(src string, offset int, message, hint string) *SyntaxError {
	offset = min(max(offset, 0), len(src))
	before := src[:offset]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return &SyntaxError{
		Src:     src,
		Offset:  offset,
		Line:    strings.Count(before, "\n") + 1,
		Column:  utf8.RuneCountInString(before[lineStart:]) + 1,
		Message: message,
		Hint:    hint,
	}
}

// Error gives the place, the message and the hint on one line; Caret adds the picture.
func (e *SyntaxError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	if e.Line > 1 {
		fmt.Fprintf(&b, "line %d, ", e.Line)
	}
	fmt.Fprintf(&b, "column %d: %s", e.Column, e.Message)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Caret gives the line at fault and, below it, a caret under the place, without a newline at the end.
func (e *SyntaxError) Caret() string {
	start := strings.LastIndexByte(e.Src[:e.Offset], '\n') + 1
	line, _, _ := strings.Cut(e.Src[start:], "\n")
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, e.Src[start:e.Offset])
	return strings.TrimRight(line, "\r") + "\n" + pad + "^"
}

// nearest gives the candidate that a mistyped word most likely meant, or "" when none is close.
func nearest(word string, candidates []string) string {
	best, bestDistance := "", max(len(word)/2, 1)+1
	for _, candidate := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(candidate)); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance is the number of characters to insert, delete or replace that turns a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
