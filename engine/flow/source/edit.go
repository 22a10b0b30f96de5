package source

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Edits are changes of a text: other values in the place of some, and values that come or go. Everything else stays as it is.
type Edits struct {
	file    *File
	cuts    []cut
	added   map[*Value][]addition
	removed map[*Value]map[int]bool
	err     error
}

// cut is a range of bytes that gets another text.
type cut struct {
	from, to int
	text     string
}

// addition is a value that comes to a list, or with a key to a mapping.
type addition struct {
	key   string
	value any
}

// Field is a key with its value, in a mapping whose keys have an order.
type Field struct {
	Key   string
	Value any
}

// Edits begins changes of the text.
func (s *File) Edits() *Edits {
	return &Edits{file: s, added: map[*Value][]addition{}, removed: map[*Value]map[int]bool{}}
}

// Put writes a value in the place of another one. Of lists and mappings only the parts that differ are written.
func (e *Edits) Put(v *Value, want any) {
	if reflect.DeepEqual(v.Plain(), want) {
		return
	}
	switch w := want.(type) {
	case map[string]any:
		if v.Kind == Map {
			for i := len(v.Pairs) - 1; i >= 0; i-- {
				if _, kept := w[v.Pairs[i].Key]; !kept {
					e.Drop(v, i)
				}
			}
			for _, key := range sortedKeys(w) {
				e.Set(v, key, w[key])
			}
			return
		}
	case []any:
		if v.Kind == List && len(v.Items) > 0 && len(w) > 0 {
			for i, item := range v.Items {
				if i < len(w) {
					e.Put(item, w[i])
				} else {
					e.Drop(v, i)
				}
			}
			for _, item := range w[min(len(v.Items), len(w)):] {
				e.Add(v, item)
			}
			return
		}
	}
	from, to, err := e.extent(v)
	e.note(err)
	if err != nil {
		return
	}
	if v.Kind == List || v.Kind == Map {
		e.cuts = append(e.cuts, cut{from, to, e.write(want, v)})
		return
	}
	e.cuts = append(e.cuts, cut{from, to, e.file.written(v, e.file.Text[from:to], want)})
}

// Set writes the value of a key of a mapping, which may lack it.
func (e *Edits) Set(v *Value, key string, want any) {
	for _, p := range v.Pairs {
		if p.Key != key {
			continue
		}
		if from, to, elsewhere := e.alias(p); elsewhere {
			e.cuts = append(e.cuts, cut{from, to, writer{}.value(want)})
			return
		}
		e.Put(p.Value, want)
		return
	}
	e.added[v] = append(e.added[v], addition{key, want})
}

// Add writes another value at the end of a list.
func (e *Edits) Add(list *Value, want any) {
	e.added[list] = append(e.added[list], addition{value: want})
}

// Remove takes a key out of a mapping.
func (e *Edits) Remove(v *Value, key string) {
	if i := slices.IndexFunc(v.Pairs, func(p Pair) bool { return p.Key == key }); i >= 0 {
		e.Drop(v, i)
	}
}

// Drop takes the item of a list, or the key of a mapping, with that number out.
func (e *Edits) Drop(v *Value, i int) {
	if e.removed[v] == nil {
		e.removed[v] = map[int]bool{}
	}
	e.removed[v][i] = true
}

func (e *Edits) note(err error) {
	if e.err == nil {
		e.err = err
	}
}

// Text is the text with the changes.
func (e *Edits) Text() (string, error) {
	for _, v := range e.containers() {
		e.container(v)
	}
	if e.err != nil {
		return "", e.err
	}
	slices.SortStableFunc(e.cuts, func(a, b cut) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var out strings.Builder
	last := 0
	for _, c := range e.cuts {
		if c.from < last {
			if c.to <= last && c.text == "" || slices.ContainsFunc(e.cuts, func(o cut) bool { return o.text == "" && o.from <= c.from && c.to <= o.to && o != c }) {
				continue // inside of what goes
			}
			return "", fmt.Errorf("two changes of one place")
		}
		out.WriteString(e.file.Text[last:c.from] + c.text)
		last = c.to
	}
	return out.String() + e.file.Text[last:], nil
}

// containers lists what something comes to or goes from, the inner ones first: what comes to the last item of a list stands before what comes
// behind that item.
func (e *Edits) containers() []*Value {
	all := slices.Collect(maps.Keys(e.removed))
	for v := range e.added {
		if e.removed[v] == nil {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b *Value) int {
		return cmp.Or(cmp.Compare(b.At.Line, a.At.Line), cmp.Compare(b.At.Column, a.At.Column))
	})
	return all
}

// part is a member of a container: where it begins, with its key, and where it ends.
type part struct{ from, to int }

// container writes what comes to and goes from a list or mapping.
func (e *Edits) container(v *Value) {
	var parts []part
	for i := range len(v.Items) + len(v.Pairs) {
		p, err := e.part(v, i)
		e.note(err)
		parts = append(parts, p)
	}
	from, to, err := e.extent(v)
	e.note(err)
	switch {
	case e.err != nil:
	case e.inBlock(v):
		e.block(v, parts)
	default:
		e.bracketed(v, parts, from, to)
	}
}

// part finds a member of a container.
func (e *Edits) part(v *Value, i int) (p part, err error) {
	if v.Kind == List {
		p.from, p.to, err = e.extent(v.Items[i])
		return p, err
	}
	_, p.to, err = e.extent(v.Pairs[i].Value)
	if v.json {
		p.from = v.Pairs[i].from
		return p, err
	}
	p.from = e.file.offset(v.Pairs[i].At)
	if _, to, elsewhere := e.alias(v.Pairs[i]); elsewhere {
		return part{p.from, to}, nil
	}
	if err == nil && p.to < p.from {
		err = fmt.Errorf("line %d: the value stands elsewhere", v.Pairs[i].At.Line)
	}
	return p, err
}

var alias = regexp.MustCompile(`^[^:\n]+:\s+(\*[^\s,}\]]+)`)

// alias finds the alias that stands for the value of a key.
func (e *Edits) alias(p Pair) (from, to int, ok bool) {
	if at := p.Value.At; p.Value.json || at.Line > p.At.Line || at.Line == p.At.Line && at.Column > p.At.Column {
		return 0, 0, false
	}
	start := e.file.offset(p.At)
	m := alias.FindStringSubmatchIndex(e.file.Text[start:])
	if m == nil {
		return 0, 0, false
	}
	return start + m[2], start + m[3], true
}

// bracketed changes a container between brackets.
func (e *Edits) bracketed(v *Value, parts []part, from, to int) {
	gone, last := e.removed[v], -1
	for i := range parts {
		if !gone[i] {
			last = i
		}
	}
	open, close := from+1, to-1
	for i, p := range parts {
		switch {
		case !gone[i]:
		case i < last:
			e.cuts = append(e.cuts, cut{p.from, parts[i+1].from, ""})
		case last < 0 && i == 0:
			e.cuts = append(e.cuts, cut{open, close, ""})
		case last >= 0:
			before := parts[i-1].to
			if comma := e.comma(before, p.from); comma >= 0 {
				e.cuts = append(e.cuts, cut{comma, comma + 1, ""})
			}
			text := strings.TrimRight(e.file.Text[before:p.from], " \t\n")
			e.cuts = append(e.cuts, cut{before + max(len(text), e.comma(before, p.from)-before+1), p.to, ""})
		}
	}
	if len(e.added[v]) == 0 {
		return
	}
	at, blank := open, e.blank(open, v)
	var add strings.Builder
	for k, a := range e.added[v] {
		if last >= 0 || k > 0 {
			add.WriteString(",")
		}
		add.WriteString(blank + e.member(v, a, strings.Contains(blank, "\n"), indentation(blank)))
	}
	switch {
	case last >= 0:
		at = parts[last].to
	case strings.Contains(blank, "\n"):
		add.WriteString("\n" + e.indentOf(v))
	}
	if last < 0 && (len(parts) == 0 || len(gone) > 0) {
		e.cuts = slices.DeleteFunc(e.cuts, func(c cut) bool { return c == cut{open, close, ""} })
		e.cuts = append(e.cuts, cut{open, close, add.String()})
		return
	}
	e.cuts = append(e.cuts, cut{at, at, add.String()})
}

// comma finds the comma between two members, beside comments.
func (e *Edits) comma(from, to int) int {
	for i := from; i < to; i++ {
		switch text := e.file.Text[i:to]; {
		case text[0] == ',':
			return i
		case strings.HasPrefix(text, "//") || text[0] == '#':
			i += strings.IndexByte(text+"\n", '\n')
		}
	}
	return -1
}

// blank is the blank space before a member of a container, as its first member has it.
func (e *Edits) blank(open int, v *Value) string {
	rest := e.file.Text[open:]
	blank := rest[:len(rest)-len(strings.TrimLeft(rest, " \t\n"))]
	if len(v.Items)+len(v.Pairs) > 0 {
		if i := strings.LastIndexByte(blank, '\n'); i >= 0 {
			return blank[i:]
		}
		if len(v.Items)+len(v.Pairs) > 1 && blank == "" {
			return " "
		}
		return blank
	}
	if strings.Contains(e.file.Text, "\n") && v.json {
		return "\n" + e.indentOf(v) + e.step()
	}
	return ""
}

// indentOf is the indentation of the line on which a value begins.
func (e *Edits) indentOf(v *Value) string { return indentation("\n" + e.file.Line(v.At.Line)) }

// indentation is the blank space after the last line break.
func indentation(text string) string {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// step is by how much a level is indented further than the one around it.
func (e *Edits) step() string {
	for _, line := range e.file.lines {
		if in := indentation(line); in != "" && in != line {
			return in
		}
	}
	return "  "
}

// member writes a value that comes, with its key in a mapping.
func (e *Edits) member(v *Value, a addition, multi bool, indent string) string {
	w := writer{json: v.json, indent: indent, step: e.step(), multi: multi && v.json}
	if v.Kind == List {
		return w.value(a.value)
	}
	return w.key(a.key) + ": " + w.value(a.value)
}

// write writes a value in the place of another one.
func (e *Edits) write(want any, v *Value) string {
	w := writer{json: v.json, indent: e.indentOf(v), step: e.step()}
	w.multi = v.json && strings.Contains(e.file.Text, "\n")
	return w.value(want)
}
