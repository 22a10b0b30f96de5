package source

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"sluice/engine/flow"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// YAML reads a document into values with places. Repeated keys are reported through duplicate.
func YAML(src *File, duplicate func(key string, at, first Place)) (*Value, *Error) {
	return readYAML(src, &yamlReader{duplicate: duplicate})
}

// PlainYAML reads a document without aliases, anchors and tags: refused is called for each of them.
func PlainYAML(src *File, duplicate func(key string, at, first Place), refused func(at Place)) (*Value, *Error) {
	return readYAML(src, &yamlReader{duplicate: duplicate, refused: refused})
}

func readYAML(src *File, r *yamlReader) (root *Value, bad *Error) {
	// The library says that it returns errors and never panics, but a file may come from any user and one document must not crash
	// the program.
	defer func() {
		if recover() != nil {
			root, bad = nil, &Error{Code: "bad-yaml", At: Place{1, 1}, Message: "this is not readable as YAML"}
		}
	}()
	if bad := tooManyInRow(src.Text); bad != nil {
		return nil, bad
	}
	tokens := lexer.Tokenize(src.Text)
	if at, deep := tooDeep(tokens); deep {
		return nil, tooDeepAt(at)
	}
	if at, many := tooManyKeys(tokens); many {
		return nil, tooManyKeysAt(at)
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(src, err)
	}
	body, bad := onlyBody(file)
	if bad != nil {
		return nil, bad
	}
	r.anchors = map[string]*Value{}
	root = r.read(body, 1)
	if r.bad == nil && root.size > flow.MaxValues {
		r.bad = &Error{Code: "too-large", At: root.At, Message: fmt.Sprintf("the file holds more than %d values", flow.MaxValues)}
	}
	if r.bad != nil {
		return nil, r.bad
	}
	return root, nil
}

// onlyBody gives the single document of a file.
func onlyBody(file *ast.File) (ast.Node, *Error) {
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return nil, &Error{
			Code: "empty", At: Place{1, 1}, Message: "the file holds no flow",
			Hint: "a flow needs at least name and flow with entry and nodes",
		}
	case 1:
		return bodies[0], nil
	default:
		return nil, &Error{
			Code: "bad-yaml", At: tokenPlace(bodies[1].GetToken()), Message: "the file holds more than one document",
			Hint: "put each flow into a file of its own",
		}
	}
}

func syntaxError(src *File, err error) *Error {
	bad := &Error{Code: "bad-yaml", At: Place{1, 1}, Message: "not readable as YAML"}
	if syntax, ok := errors.AsType[*yaml.SyntaxError](err); ok { // its Error prints the whole source: too slow
		bad.Message += ": " + syntax.Message
		if syntax.Token != nil {
			bad.At = tokenPlace(syntax.Token)
		}
	}
	if bad.At.Line > 0 && bad.At.Line <= len(src.lines) && strings.Contains(src.lines[bad.At.Line-1], "\t") {
		bad.Hint = "the line holds a tab; YAML is indented with spaces"
	}
	return bad
}

// maxInRow is how many empty lines, or signs <, may follow each other: the time of the YAML library grows with the square of their
// number, and would be hours for a whole file of them.
const maxInRow = 200

// tooManyInRow finds more of them in a row than the YAML library can read in time.
func tooManyInRow(text string) *Error {
	empty, line := 0, 0
	signs := strings.Repeat("<", maxInRow+1)
	for l := range strings.Lines(text) {
		line++
		if empty++; strings.TrimSpace(l) != "" {
			empty = 0
		}
		if empty > maxInRow {
			return &Error{Code: "too-large", At: Place{line, 1}, Message: fmt.Sprintf("more than %d empty lines follow each other", maxInRow)}
		}
		if before, _, ok := strings.Cut(l, signs); ok {
			return &Error{Code: "too-large", At: Place{line, 1 + utf8.RuneCountInString(before)}, Message: fmt.Sprintf("more than %d < follow each other", maxInRow)}
		}
	}
	return nil
}

func tooDeepAt(at Place) *Error {
	return &Error{Code: "too-deep", At: at, Message: fmt.Sprintf("the file is nested deeper than %d levels", flow.MaxDepth)}
}

func tooManyKeysAt(at Place) *Error {
	return &Error{Code: "too-large", At: at, Message: fmt.Sprintf("a mapping has more than %d keys", flow.MaxKeys)}
}

// tooDeep finds nesting that would exhaust the parser's stack before the values can be measured. Nesting by
// indentation needs a column per level, so only nesting inside a line can be deep in a short file.
func tooDeep(tokens token.Tokens) (Place, bool) {
	brackets, run, column := 0, 0, 0
	for _, t := range tokens {
		brackets += bracket(t)
		switch t.Type {
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType, token.MappingValueType:
			if t.Position.Column <= column { // a line that starts further left: beside, not below
				run = 0
			}
			run++
			column = t.Position.Column
		case token.StringType, token.SingleQuoteType, token.DoubleQuoteType:
			if t.PreviousType() != token.AnchorType {
				run = 0
			}
		default:
			run = 0
		}
		if brackets > flow.MaxDepth || run > flow.MaxDepth {
			return tokenPlace(t), true
		}
	}
	return Place{}, false
}

// tooManyKeys finds a block mapping so long that the parser, whose time grows with the square of it, would take long.
func tooManyKeys(tokens token.Tokens) (Place, bool) {
	type mapping struct{ column, keys int }
	var open []mapping
	closeDeeper := func(column int) {
		for len(open) > 0 && open[len(open)-1].column > column {
			open = open[:len(open)-1]
		}
	}
	brackets := 0
	for _, t := range tokens {
		brackets += bracket(t)
		if t.Type == token.SequenceEntryType {
			closeDeeper(t.Position.Column)
		}
		if t.Type != token.MappingValueType || t.Prev == nil || brackets > 0 {
			continue
		}
		column := t.Prev.Position.Column
		closeDeeper(column)
		if len(open) == 0 || open[len(open)-1].column < column {
			open = append(open, mapping{column, 0})
		}
		top := &open[len(open)-1]
		if top.keys++; top.keys > flow.MaxKeys {
			return tokenPlace(t.Prev), true
		}
	}
	return Place{}, false
}

// bracket is 1 for a token that opens a mapping or a list inside a line, and -1 for one that closes it.
func bracket(t *token.Token) int {
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		return 1
	case token.MappingEndType, token.SequenceEndType:
		return -1
	}
	return 0
}

func tokenPlace(t *token.Token) Place {
	if t == nil || t.Position == nil {
		return Place{}
	}
	return Place{t.Position.Line, max(t.Position.Column, 1)}
}

type yamlReader struct {
	anchors   map[string]*Value
	duplicate func(key string, at, first Place)
	refused   func(at Place) // of aliases, anchors and tags; nil = they are read
	bad       *Error
}

func (r *yamlReader) fail(at Place, message, hint string) *Value {
	if r.bad == nil {
		r.bad = &Error{Code: "bad-yaml", At: at, Message: message, Hint: hint}
	}
	return (&Value{At: at}).measure()
}

// read turns one node into a value. After the first failure it still returns values, which are ignored.
func (r *yamlReader) read(node ast.Node, depth int) *Value {
	at := tokenPlace(node.GetToken())
	if depth > flow.MaxDepth {
		if r.bad == nil {
			r.bad = tooDeepAt(at)
		}
		return (&Value{At: at}).measure()
	}
	if r.refused != nil {
		switch node.(type) {
		case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
			r.refused(at)
			return (&Value{At: at}).measure()
		}
	}
	switch n := node.(type) {
	case *ast.MappingNode:
		return r.mapping(n.Values, mappingPlace(n), depth)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{n}, tokenPlace(n.Key.GetToken()), depth)
	case *ast.SequenceNode:
		v := &Value{Kind: List, At: at}
		for _, item := range n.Values {
			if text := gluedPair(item); text != nil {
				v.Items = append(v.Items, text)
				continue
			}
			v.Items = append(v.Items, r.read(item, depth+1))
		}
		return r.checked(v.measure(), depth)
	case *ast.AnchorNode:
		v := r.read(n.Value, depth)
		r.anchors[n.Name.GetToken().Value] = v
		return v
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		v, ok := r.anchors[name]
		if !ok {
			return r.fail(at, fmt.Sprintf("the alias *%s has no anchor &%s before it", name, name), "")
		}
		return r.checked(v, depth)
	case *ast.TagNode:
		return r.tagged(n, depth)
	default:
		return r.scalar(node, at)
	}
}

// gluedPair reads 12:30 in a list as the text that YAML says it is: a colon without a space behind it makes no mapping.
// Inside two levels of brackets the library reads a mapping. gluedPair is nil for every other node.
func gluedPair(item ast.Node) *Value {
	var p *ast.MappingValueNode
	switch n := item.(type) {
	case *ast.MappingValueNode:
		p = n
	case *ast.MappingNode:
		if len(n.Values) == 1 && n.Start.Type != token.MappingStartType {
			p = n.Values[0]
		}
	}
	if p == nil || p.Value == nil {
		return nil
	}
	key, colon, val := p.Key.GetToken(), p.Start, p.Value.GetToken()
	glued := colon.Position.Line == val.Position.Line && colon.Position.Column+1 == val.Position.Column && val.Type != token.ImplicitNullType
	if _, scalar := p.Value.(ast.ScalarNode); !glued || !scalar || quotedToken(key) || quotedToken(val) {
		return nil
	}
	return (&Value{Kind: String, At: tokenPlace(key), Text: key.Value + ":" + val.Value}).measure()
}

func quotedToken(t *token.Token) bool {
	return t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
}

// checked refuses a value whose own depth, reached through aliases, leads too deep.
func (r *yamlReader) checked(v *Value, depth int) *Value {
	if depth-1+v.depth > flow.MaxDepth && r.bad == nil {
		r.bad = tooDeepAt(v.At)
	}
	return v
}

func mappingPlace(n *ast.MappingNode) Place {
	if !n.IsFlowStyle && len(n.Values) > 0 {
		return tokenPlace(n.Values[0].Key.GetToken())
	}
	return tokenPlace(n.Start)
}

func (r *yamlReader) mapping(nodes []*ast.MappingValueNode, at Place, depth int) *Value {
	v := &Value{Kind: Map, At: at}
	seen := map[string]Place{}
	var merged []*Value
	for _, n := range nodes {
		keyAt := tokenPlace(n.Key.GetToken())
		if n.Key.IsMergeKey() && r.refused == nil {
			merged = append(merged, r.mergedValues(n.Value, depth+1)...)
			continue
		}
		key, ok := r.key(n.Key)
		if !ok {
			r.fail(keyAt, "a key must be a plain word", "")
			continue
		}
		val := r.read(n.Value, depth+1)
		if first, twice := seen[key]; twice {
			r.duplicate(key, keyAt, first)
			continue
		}
		seen[key] = keyAt
		v.Pairs = append(v.Pairs, Pair{Key: key, At: keyAt, Value: val})
	}
	for _, m := range merged {
		for _, p := range m.Pairs {
			if _, set := seen[p.Key]; !set {
				seen[p.Key] = p.At
				v.Pairs = append(v.Pairs, p)
			}
		}
	}
	if len(v.Pairs) > flow.MaxKeys && r.bad == nil {
		r.bad = tooManyKeysAt(v.Pairs[flow.MaxKeys].At)
	}
	return r.checked(v.measure(), depth)
}

// mergedValues are the mappings named after <<.
func (r *yamlReader) mergedValues(node ast.Node, depth int) []*Value {
	v := r.read(node, depth)
	all := []*Value{v}
	if v.Kind == List {
		all = v.Items
	}
	for _, m := range all {
		if m.Kind != Map {
			r.fail(tokenPlace(node.GetToken()), "<< must name a mapping, or a list of mappings", "")
			return nil
		}
	}
	return all
}

func (r *yamlReader) key(node ast.MapKeyNode) (string, bool) {
	switch k := node.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return node.GetToken().Value, true
	default:
		return "", false
	}
}

// tagged reads "!!str 5" as text and ignores the other standard tags, which only repeat the kind of the value.
func (r *yamlReader) tagged(n *ast.TagNode, depth int) *Value {
	at, tag := tokenPlace(n.Start), n.Start.Value
	if n.Value == nil {
		return r.fail(at, "the tag "+tag+" has no value", "")
	}
	v := *r.read(n.Value, depth)
	switch {
	case tag == "!!str" && v.Kind != List && v.Kind != Map:
		v.Kind, v.Data = String, nil
	case !strings.HasPrefix(tag, "!!") || tag == "!!binary" || tag == "!!timestamp":
		return r.fail(at, "the tag "+tag+" means nothing here", "write the value without a tag")
	}
	return &v
}

func (r *yamlReader) scalar(node ast.Node, at Place) *Value {
	v := &Value{At: at, Text: node.GetToken().Value}
	switch n := node.(type) {
	case *ast.StringNode:
		v.Kind, v.Text = String, n.Value
		if n.Token.Type == token.StringType {
			return r.plain(v)
		}
	case *ast.LiteralNode:
		v.Kind, v.Text, v.block = String, n.Value.Value, true
	case *ast.BoolNode:
		v.Kind, v.Data = Bool, n.Value
	case *ast.NullNode:
		v.Kind = Null
	case *ast.IntegerNode:
		i, ok := n.Value.(int64)
		if u, unsigned := n.Value.(uint64); unsigned && u <= math.MaxInt64 {
			i, ok = int64(u), true
		}
		if !ok {
			return r.fail(at, "the number has more digits than can be kept", "write it in quotes")
		}
		v.Kind, v.Data = Number, flow.Integer(i)
	case *ast.FloatNode:
		if math.IsInf(n.Value, 0) {
			return r.fail(at, "the number is too large", "")
		}
		v.Kind, v.Data = Number, flow.Float(n.Value)
	case *ast.InfinityNode, *ast.NanNode:
		return r.fail(at, "infinity and .nan are not numbers that a flow can hold", "")
	default:
		return r.fail(at, "this is not a value", "")
	}
	return v.measure()
}

var (
	exponentForm = regexp.MustCompile(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+$`)
	digitsForm   = regexp.MustCompile(`^[-+]?[1-9][0-9]{18,}$`)
)

// plain reads unquoted text. It also reads numbers such as 1e-07, which the library reads as text.
func (r *yamlReader) plain(v *Value) *Value {
	switch {
	case digitsForm.MatchString(v.Text):
		return r.fail(v.At, "the number has more digits than can be kept", "write it in quotes")
	case exponentForm.MatchString(v.Text):
		f, err := strconv.ParseFloat(v.Text, 64)
		if err != nil {
			return r.fail(v.At, "the number is too large", "")
		}
		v.Kind, v.Data = Number, flow.Float(f)
	}
	return v.measure()
}
