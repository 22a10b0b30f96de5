package tool

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"sluice/engine/flow"
)

// Limits of an actions file. They keep a hostile one from costing more than its own length.
const (
	maxFile  = 1 << 20 // bytes
	maxDepth = 64      // nesting of lists and mappings
	maxFound = 100     // problems reported
)

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

// document reads a file and collects what is wrong with it.
type document struct {
	file     string
	lines    []string
	problems flow.Problems
	broken   bool // a value could not be read
}

// lineBreaks writes the line breaks of YAML in one way.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func newDocument(file string, src []byte) *document {
	text := lineBreaks.Replace(strings.TrimPrefix(string(src), "\ufeff"))
	return &document{file: file, lines: strings.Split(text, "\n")}
}

// problem records what is wrong at a place, shown with a caret.
func (d *document) problem(line, column int, code, message, hint string) {
	if len(d.problems) >= maxFound {
		return
	}
	p := flow.Problem{File: d.file, Severity: flow.SeverityError, Code: code, Message: message, Hint: hint}
	if line >= 1 && line <= len(d.lines) {
		p.Line, p.Column = line, max(column, 1)
		p.Snippet = snippet(d.lines[line-1], p.Line, p.Column)
	}
	d.problems = append(d.problems, p)
}

const shownColumns = 100 // characters of a line that a snippet shows

// snippet shows a line with a caret below the column; a long line is cut around it.
func snippet(line string, number, column int) string {
	runes := []rune(strings.ReplaceAll(line, "\t", " "))
	at := min(column-1, len(runes))
	before, from := "", 0
	if at > shownColumns*3/4 {
		before, from = "...", at-shownColumns/2
	}
	text, after := runes[from:], ""
	if len(text) > shownColumns {
		text, after = text[:shownColumns], "..."
	}
	head := fmt.Sprintf("%5d | ", number)
	pad := strings.Repeat(" ", len(before)+at-from)
	return head + before + string(text) + after + "\n" + strings.Repeat(" ", len(head)-2) + "| " + pad + "^"
}

// read parses the file; ok is false when it cannot be read at all, which is then a problem.
func (d *document) read() (root part, ok bool) {
	text := strings.Join(d.lines, "\n")
	// The library promises errors and not panics, but a file can come from anybody.
	defer func() {
		if recover() != nil {
			d.problem(1, 1, "bad-yaml", "this is not readable as YAML", "")
			root, ok = part{}, false
		}
	}()
	if len(text) > maxFile {
		d.problem(1, 1, "too-large", fmt.Sprintf("the file is larger than %d bytes", maxFile), "")
		return part{}, false
	}
	tokens := lexer.Tokenize(text)
	if t := deepToken(tokens); t != nil {
		d.problem(t.Position.Line, t.Position.Column, "too-deep", fmt.Sprintf("nested deeper than %d levels", maxDepth), "")
		return part{}, false
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		d.syntax(err)
		return part{}, false
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		d.problem(1, 1, "empty", "the file declares no actions", "begin it with actions:")
		return part{}, false
	case 1:
		root = d.part(bodies[0], 1)
		return root, !d.broken
	default:
		d.problem(1, 1, "bad-yaml", "the file holds more than one document", "put the actions into one list")
		return part{}, false
	}
}

// refuse records what makes the rest of the file pointless to check.
func (d *document) refuse(at part, code, message, hint string) {
	d.broken = true
	d.problem(at.line, at.column, code, message, hint)
}

func (d *document) syntax(err error) {
	line, column, message := 1, 1, err.Error()
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) {
		message = syntax.Message
		if syntax.Token != nil && syntax.Token.Position != nil {
			line, column = syntax.Token.Position.Line, syntax.Token.Position.Column
		}
	}
	message, _, _ = strings.Cut(message, "\n")
	hint := ""
	if line >= 1 && line <= len(d.lines) && strings.Contains(d.lines[line-1], "{{") {
		hint = "a text with {{ in it needs quotes"
	}
	d.problem(line, column, "bad-yaml", "not readable as YAML: "+message, hint)
}

// deepToken finds nesting that would exhaust the parser's stack. It is a rough measure, on the safe side.
func deepToken(tokens token.Tokens) *token.Token {
	brackets, run := 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			brackets, run = brackets+1, 0
		case token.MappingEndType, token.SequenceEndType:
			brackets, run = brackets-1, 0
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType, token.MappingValueType:
			run++
		default:
			run = 0
		}
		if t.Position != nil && (brackets > maxDepth || run > maxDepth || t.Position.IndentLevel > maxDepth) {
			return t
		}
	}
	return nil
}

// part turns a node of the parser into a value. Aliases and tags have no use in such a file and could make a small one
// large, so they are problems.
func (d *document) part(node ast.Node, depth int) part {
	p := part{line: 1, column: 1}
	if t := node.GetToken(); t != nil && t.Position != nil {
		p.line, p.column = t.Position.Line, t.Position.Column
	}
	if depth > maxDepth {
		d.refuse(p, "too-deep", fmt.Sprintf("nested deeper than %d levels", maxDepth), "")
		return p
	}
	switch n := node.(type) {
	case *ast.MappingNode:
		return d.mapping(p, n.Values, depth)
	case *ast.MappingValueNode:
		return d.mapping(p, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		p.list = true
		for _, item := range n.Values {
			p.items = append(p.items, d.part(item, depth+1))
		}
	case *ast.StringNode:
		p.isText, p.text = true, n.Value
	case *ast.LiteralNode:
		p.isText, p.text = true, n.Value.Value
	case *ast.BoolNode:
		p.data = n.Value
	case *ast.IntegerNode:
		p.data = n.Value
	case *ast.FloatNode:
		p.data = n.Value
	case *ast.NullNode:
	default:
		d.refuse(p, "bad-yaml", "aliases, anchors and tags are not read here", "write the value out")
	}
	return p
}

func (d *document) mapping(p part, values []*ast.MappingValueNode, depth int) part {
	p.mapping = true
	seen := map[string]bool{}
	for i, v := range values {
		t := v.Key.GetToken()
		e := entry{name: t.Value, line: t.Position.Line, column: t.Position.Column}
		if i == 0 {
			p.line, p.column = e.line, e.column
		}
		switch k := v.Key.(type) {
		case *ast.StringNode:
			e.name = k.Value
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		default:
			d.refuse(part{line: e.line, column: e.column}, "bad-yaml", "a key must be a plain word", "a text with {{ in it needs quotes")
			continue
		}
		if seen[e.name] {
			d.problem(e.line, e.column, "duplicate-key", "the key "+e.name+" is given twice", "")
			continue
		}
		seen[e.name] = true
		e.value = d.part(v.Value, depth+1)
		p.keys = append(p.keys, e)
	}
	return p
}
