package tool

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
)

const maxFound = 100 // problems reported for one file

// part is one value of a document, with its place.
type part struct {
	line, column int
	text         string // of a string: its content
	data         any    // of another scalar: nil, bool, int64, uint64 or float64
	isText       bool
	items        []part // of a list
	list         bool
	keys         []entry // of a mapping, in order
	mapping      bool
}

type entry struct {
	name         string
	line, column int
	value        part
}

// words says what the value is, for "must be a text, not a list".
func (p part) words() string {
	switch {
	case p.mapping:
		return "a mapping"
	case p.list:
		return "a list"
	case p.isText && strings.TrimSpace(p.text) == "":
		return "an empty one"
	case p.isText:
		return "a text"
	}
	switch p.data.(type) {
	case nil:
		return "empty"
	case bool:
		return "true or false"
	default:
		return "a number"
	}
}

// plain gives the value as JSON decoding would.
func (p part) plain() any {
	switch {
	case p.mapping:
		out := make(map[string]any, len(p.keys))
		for _, e := range p.keys {
			out[e.name] = e.value.plain()
		}
		return out
	case p.list:
		out := make([]any, len(p.items))
		for i, item := range p.items {
			out[i] = item.plain()
		}
		return out
	case p.isText:
		return p.text
	}
	switch n := p.data.(type) {
	case int64:
		return float64(n)
	case uint64:
		return float64(n)
	default:
		return p.data
	}
}

// partOf takes a value over from the reader.
func partOf(v *source.Value) part {
	p := part{line: v.At.Line, column: v.At.Column, text: v.Text, data: v.Data}
	switch v.Kind {
	case source.String:
		p.isText = true
	case source.List:
		p.list = true
		for _, item := range v.Items {
			p.items = append(p.items, partOf(item))
		}
	case source.Map:
		p.mapping = true
		for _, pair := range v.Pairs {
			p.keys = append(p.keys, entry{pair.Key, pair.At.Line, pair.At.Column, partOf(pair.Value)})
		}
		if len(p.keys) > 0 { // a mapping is where its first key is
			p.line, p.column = p.keys[0].line, p.keys[0].column
		}
	}
	return p
}

// document reads a file and collects what is wrong with it.
type document struct {
	src      *source.File
	problems flow.Problems
}

func newDocument(file string, src []byte) *document { return &document{src: source.New(file, src)} }

// problem records what is wrong at a place, shown with a caret.
func (d *document) problem(line, column int, code, message, hint string) {
	if len(d.problems) < maxFound {
		d.problems = append(d.problems, d.src.Problem(source.Place{Line: line, Column: column}, flow.SeverityError, code, message, hint))
	}
}

// read parses the file; ok is false when it cannot be read at all, which is then a problem. Aliases and tags have no use in such a file
// and could make a small one large, so they are problems.
func (d *document) read() (root part, ok bool) {
	if len(d.src.Text) > flow.MaxDocumentBytes {
		d.problem(1, 1, "too-large", fmt.Sprintf("the file is larger than %d bytes", flow.MaxDocumentBytes), "")
		return part{}, false
	}
	twice := func(key string, at, _ source.Place) {
		d.problem(at.Line, at.Column, "duplicate-key", "the key "+key+" is given twice", "")
	}
	broken := false
	value, bad := source.PlainYAML(d.src, twice, func(at source.Place) {
		broken = true
		d.problem(at.Line, at.Column, "bad-yaml", "aliases, anchors and tags are not read here", "write the value out")
	})
	if bad != nil {
		if !broken {
			d.unreadable(bad)
		}
		return part{}, false
	}
	return partOf(value), !broken
}

// unreadable says why the file cannot be read, in words for a file of actions.
func (d *document) unreadable(bad *source.Error) {
	message, hint := bad.Message, bad.Hint
	switch {
	case bad.Code == "empty":
		message, hint = "the file declares no actions", "begin it with actions:"
	case strings.Contains(message, "more than one document"):
		hint = "put the actions into one list"
	case strings.Contains(d.src.Line(bad.At.Line), "{{"):
		hint = "a text with {{ in it needs quotes"
	}
	d.problem(bad.At.Line, bad.At.Column, bad.Code, message, hint)
}
