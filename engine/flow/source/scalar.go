package source

import (
	"fmt"
	"regexp"
	"strings"
)

// offset is the byte at a place.
func (s *File) offset(at Place) int {
	if s.starts == nil {
		for n, line := 0, 0; line < len(s.lines); line++ {
			s.starts = append(s.starts, n)
			n += len(s.lines[line]) + 1
		}
	}
	runes := []rune(s.lines[at.Line-1])
	return s.starts[at.Line-1] + len(string(runes[:min(at.Column-1, len(runes))]))
}

// extent gives the bytes that hold a scalar.
func (s *File) extent(v *Value) (from, to int, err error) {
	if v.Kind == List || v.Kind == Map || v.At.Line < 1 || v.At.Line > len(s.lines) {
		return 0, 0, fmt.Errorf("line %d: only a single value can be changed in its place", v.At.Line)
	}
	from = s.offset(v.At)
	if strings.HasPrefix(s.Text[from:], "&") { // an anchor
		from += strings.IndexAny(s.Text[from:]+" ", " \n")
		from += len(s.Text[from:]) - len(strings.TrimLeft(s.Text[from:], " "))
	}
	rest := s.Text[from:]
	switch {
	case v.block:
		return s.blockExtent(v, from)
	case strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, `'`):
		return from, from + quotedLength(rest), nil
	case v.Text != "" && strings.HasPrefix(rest, v.Text):
		return from, from + len(v.Text), nil
	case v.Kind == Null && strings.HasPrefix(rest, "null"):
		return from, from + len("null"), nil
	default:
		return 0, 0, fmt.Errorf("line %d: the value cannot be changed in its place", v.At.Line)
	}
}

// quotedLength is the length of a quoted text at the beginning of a text.
func quotedLength(text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			i++
		case quote == '\'' && strings.HasPrefix(text[i:], "''"):
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

// blockExtent gives the bytes from the indicator of a block to the end of its last line.
func (s *File) blockExtent(v *Value, from int) (int, int, error) {
	line := s.lines[v.At.Line-1]
	mark := strings.IndexAny(s.Text[from:], "|>\n")
	if mark < 0 || s.Text[from+mark] == '\n' {
		return 0, 0, fmt.Errorf("line %d: the block cannot be changed in its place", v.At.Line)
	}
	key := len(line) - len(strings.TrimLeft(line, " -"))
	last := v.At.Line
	for n := v.At.Line; n < len(s.lines); n++ {
		text := strings.TrimLeft(s.lines[n], " ")
		if text == "" {
			continue
		}
		if len(s.lines[n])-len(text) <= key {
			break
		}
		last = n + 1
	}
	return from + mark, s.offset(Place{last, 1}) + len(s.lines[last-1]), nil
}

// simple are texts that need no quotes in YAML, wherever they are.
var simple = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$`)

// words that are no texts without quotes.
var words = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// written writes a value in the manner of what it replaces.
func (s *File) written(v *Value, old string, value any) string {
	text, isText := value.(string)
	if isText && v.block {
		if block, ok := block(old, text); ok {
			return block
		}
	}
	plain := v.Kind == String && !v.block && !strings.HasPrefix(old, `"`) && !strings.HasPrefix(old, `'`)
	if isText && plain && bareWord(text) {
		return text
	}
	return literal(value)
}

// block writes a text as a block with the indentation of another one.
func block(old, text string) (string, bool) {
	_, body, _ := strings.Cut(old, "\n")
	first := strings.TrimLeft(body, "\n")
	indent := first[:len(first)-len(strings.TrimLeft(first, " "))]
	bare := strings.TrimSuffix(text, "\n")
	if indent == "" || bare == "" || strings.HasSuffix(bare, "\n") || strings.HasPrefix(bare, " ") || strings.HasPrefix(bare, "\n") {
		return "", false
	}
	head := "|"
	if bare == text {
		head = "|-"
	}
	var b strings.Builder
	b.WriteString(head)
	for line := range strings.SplitSeq(bare, "\n") {
		b.WriteString("\n")
		if line != "" {
			b.WriteString(indent + line)
		}
	}
	return b.String(), true
}
