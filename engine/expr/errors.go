package expr

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

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

// Error gives the place, the message and the hint on one line. Caret shows the place in the source.
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
