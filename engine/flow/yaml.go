package flow

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// readYAML reads a document into values with places. Repeated keys are reported through duplicate.
func readYAML(src *source, duplicate func(key string, at, first place)) (root *value, bad *badDocument) {
	// The library promises errors, not panics, but a file may come from anybody and one document must not take the
	// program down.
	defer func() {
		if recover() != nil {
			root, bad = nil, &badDocument{code: "bad-yaml", at: place{1, 1}, message: "this is not readable as YAML"}
		}
	}()
	tokens := lexer.Tokenize(src.text)
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
	r := yamlReader{anchors: map[string]*value{}, duplicate: duplicate}
	root = r.read(body, 1)
	if r.bad == nil && root.size > MaxValues {
		r.bad = &badDocument{code: "too-large", at: root.at, message: fmt.Sprintf("the file holds more than %d values", MaxValues)}
	}
	if r.bad != nil {
		return nil, r.bad
	}
	return root, nil
}

// onlyBody is the one document of a file.
func onlyBody(file *ast.File) (ast.Node, *badDocument) {
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return nil, &badDocument{
			code: "empty", at: place{1, 1}, message: "the file holds no flow",
			hint: "a flow needs at least name and flow with entry and nodes",
		}
	case 1:
		return bodies[0], nil
	default:
		return nil, &badDocument{
			code: "bad-yaml", at: tokenPlace(bodies[1].GetToken()), message: "the file holds more than one document",
			hint: "put each flow into a file of its own",
		}
	}
}

func syntaxError(src *source, err error) *badDocument {
	bad := &badDocument{code: "bad-yaml", at: place{1, 1}, message: "not readable as YAML"}
	if syntax, ok := errors.AsType[*yaml.SyntaxError](err); ok { // its Error prints the whole source: too slow
		bad.message += ": " + syntax.Message
		if syntax.Token != nil {
			bad.at = tokenPlace(syntax.Token)
		}
	}
	if bad.at.line > 0 && bad.at.line <= len(src.lines) && strings.Contains(src.lines[bad.at.line-1], "\t") {
		bad.hint = "the line holds a tab; YAML is indented with spaces"
	}
	return bad
}

func tooDeepAt(at place) *badDocument {
	return &badDocument{code: "too-deep", at: at, message: fmt.Sprintf("the file is nested deeper than %d levels", MaxDepth)}
}

func tooManyKeysAt(at place) *badDocument {
	return &badDocument{code: "too-large", at: at, message: fmt.Sprintf("a mapping has more than %d keys", MaxKeys)}
}

// tooDeep finds nesting that would exhaust the parser's stack before the values can be measured. Nesting by
// indentation needs a column per level, so only nesting inside a line can be deep in a short file.
func tooDeep(tokens token.Tokens) (place, bool) {
	brackets, run, column := 0, 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			brackets++
		case token.MappingEndType, token.SequenceEndType:
			brackets--
		}
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
		if brackets > MaxDepth || run > MaxDepth {
			return tokenPlace(t), true
		}
	}
	return place{}, false
}

// tooManyKeys finds a block mapping so long that the parser, whose time grows with the square of it, would take long.
func tooManyKeys(tokens token.Tokens) (place, bool) {
	type mapping struct{ column, keys int }
	var open []mapping
	closeDeeper := func(column int) {
		for len(open) > 0 && open[len(open)-1].column > column {
			open = open[:len(open)-1]
		}
	}
	brackets := 0
	for _, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			brackets++
		case token.MappingEndType, token.SequenceEndType:
			brackets--
		case token.SequenceEntryType:
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
		if top.keys++; top.keys > MaxKeys {
			return tokenPlace(t.Prev), true
		}
	}
	return place{}, false
}

func tokenPlace(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{}
	}
	return place{t.Position.Line, max(t.Position.Column, 1)}
}

type yamlReader struct {
	anchors   map[string]*value
	duplicate func(key string, at, first place)
	bad       *badDocument
}

func (r *yamlReader) fail(at place, message, hint string) *value {
	if r.bad == nil {
		r.bad = &badDocument{code: "bad-yaml", at: at, message: message, hint: hint}
	}
	return (&value{at: at}).measure()
}

// read turns one node into a value. After the first failure it still returns values, which nobody looks at.
func (r *yamlReader) read(node ast.Node, depth int) *value {
	at := tokenPlace(node.GetToken())
	if depth > MaxDepth {
		if r.bad == nil {
			r.bad = tooDeepAt(at)
		}
		return (&value{at: at}).measure()
	}
	switch n := node.(type) {
	case *ast.MappingNode:
		return r.mapping(n.Values, mappingPlace(n), depth)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{n}, tokenPlace(n.Key.GetToken()), depth)
	case *ast.SequenceNode:
		v := &value{kind: kindList, at: at}
		for _, item := range n.Values {
			if text := gluedPair(item); text != nil {
				v.items = append(v.items, text)
				continue
			}
			v.items = append(v.items, r.read(item, depth+1))
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
// Inside two levels of brackets the library takes it for one. It is nil for everything else.
func gluedPair(item ast.Node) *value {
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
	return (&value{kind: kindString, at: tokenPlace(key), text: key.Value + ":" + val.Value}).measure()
}

func quotedToken(t *token.Token) bool {
	return t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
}

// checked refuses a value whose own depth, reached through aliases, leads too deep.
func (r *yamlReader) checked(v *value, depth int) *value {
	if depth-1+v.depth > MaxDepth && r.bad == nil {
		r.bad = tooDeepAt(v.at)
	}
	return v
}

func mappingPlace(n *ast.MappingNode) place {
	if !n.IsFlowStyle && len(n.Values) > 0 {
		return tokenPlace(n.Values[0].Key.GetToken())
	}
	return tokenPlace(n.Start)
}

func (r *yamlReader) mapping(nodes []*ast.MappingValueNode, at place, depth int) *value {
	v := &value{kind: kindMap, at: at}
	seen := map[string]place{}
	var merged []*value
	for _, n := range nodes {
		keyAt := tokenPlace(n.Key.GetToken())
		if n.Key.IsMergeKey() {
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
		v.pairs = append(v.pairs, pair{key, keyAt, val})
	}
	for _, m := range merged {
		for _, p := range m.pairs {
			if _, set := seen[p.key]; !set {
				seen[p.key] = p.at
				v.pairs = append(v.pairs, p)
			}
		}
	}
	if len(v.pairs) > MaxKeys && r.bad == nil {
		r.bad = tooManyKeysAt(v.pairs[MaxKeys].at)
	}
	return r.checked(v.measure(), depth)
}

// mergedValues are the mappings named after <<.
func (r *yamlReader) mergedValues(node ast.Node, depth int) []*value {
	v := r.read(node, depth)
	all := []*value{v}
	if v.kind == kindList {
		all = v.items
	}
	for _, m := range all {
		if m.kind != kindMap {
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

// tagged reads "!!str 5" as text and ignores the other standard tags, which say what the value already is.
func (r *yamlReader) tagged(n *ast.TagNode, depth int) *value {
	at, tag := tokenPlace(n.Start), n.Start.Value
	if n.Value == nil {
		return r.fail(at, "the tag "+tag+" has no value", "")
	}
	v := *r.read(n.Value, depth)
	switch {
	case tag == "!!str" && v.kind != kindList && v.kind != kindMap:
		v.kind, v.data = kindString, nil
	case !strings.HasPrefix(tag, "!!") || tag == "!!binary" || tag == "!!timestamp":
		return r.fail(at, "the tag "+tag+" means nothing here", "write the value without a tag")
	}
	return &v
}

func (r *yamlReader) scalar(node ast.Node, at place) *value {
	v := &value{at: at, text: node.GetToken().Value}
	switch n := node.(type) {
	case *ast.StringNode:
		v.kind, v.text = kindString, n.Value
		if n.Token.Type == token.StringType {
			return r.plain(v)
		}
	case *ast.LiteralNode:
		v.kind, v.text, v.block = kindString, n.Value.Value, true
	case *ast.BoolNode:
		v.kind, v.data = kindBool, n.Value
	case *ast.NullNode:
		v.kind = kindNull
	case *ast.IntegerNode:
		i, ok := n.Value.(int64)
		if u, unsigned := n.Value.(uint64); unsigned && u <= math.MaxInt64 {
			i, ok = int64(u), true
		}
		if !ok {
			return r.fail(at, "the number has more digits than can be kept", "write it in quotes")
		}
		v.kind, v.data = kindNumber, number(i)
	case *ast.FloatNode:
		if math.IsInf(n.Value, 0) {
			return r.fail(at, "the number is too large", "")
		}
		v.kind, v.data = kindNumber, float(n.Value)
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

// plain settles unquoted text. Numbers such as 1e-07, which YAML and JSON have, the library takes for text.
func (r *yamlReader) plain(v *value) *value {
	switch {
	case digitsForm.MatchString(v.text):
		return r.fail(v.at, "the number has more digits than can be kept", "write it in quotes")
	case exponentForm.MatchString(v.text):
		f, err := strconv.ParseFloat(v.text, 64)
		if err != nil {
			return r.fail(v.at, "the number is too large", "")
		}
		v.kind, v.data = kindNumber, float(f)
	}
	return v.measure()
}

// float turns integral values that int64 holds into what integer would give, so that 1.0 and 1 mean the same.
func float(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < math.MaxInt64 {
		return number(int64(f))
	}
	return f
}
