package source

import (
	"fmt"
	"strings"
)

// inBlock reports whether a container is written line by line, without brackets.
func (e *Edits) inBlock(v *Value) bool {
	if v.json {
		return false
	}
	at := e.file.offset(v.At)
	return at < len(e.file.Text) && !strings.ContainsRune("[{", rune(e.file.Text[at]))
}

// extent gives the bytes that hold a value.
func (e *Edits) extent(v *Value) (from, to int, err error) {
	if v.json {
		return v.from, v.to, nil
	}
	if v.Kind != List && v.Kind != Map {
		return e.file.extent(v)
	}
	if v.At.Line < 1 || v.At.Line > len(e.file.lines) {
		return 0, 0, fmt.Errorf("the value has no place of its own")
	}
	from = e.file.offset(v.At)
	if !e.inBlock(v) {
		to, err = e.closing(v, from)
		return from, to, err
	}
	n := len(v.Items) + len(v.Pairs)
	if n == 0 {
		return 0, 0, fmt.Errorf("line %d: the value cannot be changed in its place", v.At.Line)
	}
	last, err := e.part(v, n-1)
	return from, last.to, err
}

// closing finds the bracket that closes a container.
func (e *Edits) closing(v *Value, from int) (int, error) {
	depth := 0
	for i := from; i < len(e.file.Text); i++ {
		switch c := e.file.Text[i]; {
		case c == '"' || c == '\'':
			i += quotedLength(e.file.Text[i:]) - 1
		case strings.HasPrefix(e.file.Text[i:], " #"):
			i += strings.IndexByte(e.file.Text[i:]+"\n", '\n')
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1, nil
			}
		}
	}
	return 0, fmt.Errorf("line %d: the value cannot be changed in its place", v.At.Line)
}

// block changes a container that is written line by line.
func (e *Edits) block(v *Value, parts []part) {
	first := e.file.Line(v.At.Line)
	indent := strings.Repeat(" ", v.At.Column-1)
	mark := ""
	if v.Kind == List {
		mark = "- "
		dash := strings.LastIndex(first[:min(e.column(v.Items[0]), len(first))], "- ")
		if dash < 0 {
			e.note(fmt.Errorf("line %d: the list cannot be changed in its place", v.At.Line))
			return
		}
		indent = strings.Repeat(" ", dash)
	}
	if len(e.removed[v]) == len(parts) {
		e.note(fmt.Errorf("line %d: nothing would be left", v.At.Line))
		return
	}
	for i := range parts {
		if e.removed[v][i] {
			from := strings.LastIndexByte(e.file.Text[:parts[i].from], '\n') + 1
			if strings.Trim(e.file.Text[from:parts[i].from], " -") != "" || v.Kind == Map && strings.Contains(e.file.Text[from:parts[i].from], "-") {
				e.note(fmt.Errorf("line %d: the key begins an item", v.At.Line))
				return
			}
			to := parts[i].to + strings.IndexByte(e.file.Text[parts[i].to:]+"\n", '\n') + 1
			e.cuts = append(e.cuts, cut{from, min(to, len(e.file.Text)), ""})
		}
	}
	at := parts[len(parts)-1].to
	at += strings.IndexByte(e.file.Text[at:]+"\n", '\n')
	var add strings.Builder
	for _, a := range e.added[v] {
		w := writer{}
		text := w.value(a.value)
		if v.Kind == Map {
			text = w.key(a.key) + ": " + text
		} else if fields, ok := a.value.([]Field); ok {
			var lines []string
			for _, f := range fields {
				lines = append(lines, w.key(f.Key)+": "+w.value(f.Value))
			}
			text = strings.Join(lines, "\n"+indent+"  ")
		}
		add.WriteString("\n" + indent + mark + text)
	}
	if add.Len() > 0 {
		e.cuts = append(e.cuts, cut{at, at, add.String()})
	}
}

// column is the number of bytes before a value in its line.
func (e *Edits) column(v *Value) int {
	at := e.file.offset(v.At)
	return at - strings.LastIndexByte(e.file.Text[:at], '\n') - 1
}
