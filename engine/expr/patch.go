package expr

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// secretName is the one name that is special: what stands behind it is not read but referred to.
const secretName = "secret"

// patcher turns the tree that expr-lang parsed into one in which every operation is a call of ours,
// so that expr-lang's own rules about types never apply. Nodes that it does not know are refused: the
// language is what is listed here.
type patcher struct {
	*scanner
	*arrangement
	reads readSet
	err   error
}

// program compiles the patched tree.
func (p *patcher) program(tree *parser.Tree) (*vm.Program, error) {
	tree.Node = p.patch(tree.Node)
	if p.err != nil {
		return nil, p.err
	}
	program, err := compiler.Compile(tree, &conf.Config{Functions: operations, ShortCircuit: true})
	if err != nil {
		return nil, p.scanner.fail(p.tokens()[0].start, "", "the expression cannot be compiled: %v", err)
	}
	return program, nil
}

func (p *patcher) tokens() []token { return p.arrangement.tokens }

// parserError translates an error of expr-lang, which arrange should have made impossible.
func (a *arrangement) parserError(s *scanner, err error) error {
	at := s.pos
	var located *file.Error
	if errors.As(err, &located) && located.From < len(a.starts) {
		at = a.tokens[a.starts[located.From]].start
	}
	return s.fail(at, "", "the expression cannot be read here")
}

// token finds what a placeholder such as n4 stands for. Placeholders are ASCII letters with a number.
func (p *patcher) token(placeholder string) token {
	i, err := strconv.Atoi(placeholder[1:])
	if err != nil || i >= len(p.tokens()) {
		return token{}
	}
	return p.tokens()[i]
}

func (p *patcher) patch(node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		if n.Value[0] == 'v' {
			return constant(p.token(n.Value).value)
		}
		return p.path(n)
	case *ast.MemberNode:
		return p.path(n)
	case *ast.UnaryNode:
		return &ast.UnaryNode{Operator: "not", Node: p.condition(n.Node)}
	case *ast.BinaryNode:
		return p.binary(n)
	case *ast.ConditionalNode:
		return &ast.ConditionalNode{Cond: p.condition(n.Cond), Exp1: p.patch(n.Exp1), Exp2: p.patch(n.Exp2)}
	case *ast.ArrayNode:
		return p.operation("list", n.Nodes...)
	case *ast.CallNode:
		return p.call(n)
	}
	p.err = errors.Join(p.err, p.scanner.fail(p.place(node), "", "this cannot be used in an expression"))
	return constant(nil)
}

// place is where a node of the tree starts in the source.
func (p *patcher) place(node ast.Node) int {
	for member, ok := node.(*ast.MemberNode); ok; member, ok = node.(*ast.MemberNode) {
		node = member.Node
	}
	if from := node.Location().From; from < len(p.starts) {
		return p.tokens()[p.starts[from]].start
	}
	return p.tokens()[0].start
}

func constant(v any) ast.Node {
	if v == nil {
		return &ast.NilNode{}
	}
	return &ast.ConstantNode{Value: v}
}

// operation calls one of operations with the evaluation and the patched values.
func (p *patcher) operation(name string, values ...ast.Node) ast.Node {
	patched := make([]ast.Node, len(values))
	for i, value := range values {
		patched[i] = p.patch(value)
	}
	return operationCall(name, patched...)
}

func operationCall(name string, patched ...ast.Node) ast.Node {
	arguments := append([]ast.Node{&ast.IdentifierNode{Value: "$env"}}, patched...)
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: arguments}
}

// condition is a value that is asked whether it counts as true.
func (p *patcher) condition(node ast.Node) ast.Node {
	patched := p.patch(node)
	switch n := patched.(type) {
	case *ast.UnaryNode, *ast.BinaryNode:
		return patched
	case *ast.CallNode:
		if name, ok := n.Callee.(*ast.IdentifierNode); ok && slices.Contains(booleanOperations, name.Value) {
			return patched
		}
	}
	return operationCall("truthy", patched)
}

func (p *patcher) binary(n *ast.BinaryNode) ast.Node {
	switch n.Operator {
	case "and", "or":
		return &ast.BinaryNode{Operator: n.Operator, Left: p.condition(n.Left), Right: p.condition(n.Right)}
	case "matches":
		return operationCall("matches", p.patch(n.Left), p.pattern(n.Right))
	}
	return p.operation(n.Operator, n.Left, n.Right)
}

// pattern is a regular expression together with its price.
type pattern struct {
	*regexp.Regexp
	size int // instructions of its machine
}

// maxPattern bounds the source of a regular expression, in bytes.
const maxPattern = 1000

// pattern compiles the right side of matches. It must be written out: a pattern that comes from data
// would let whoever sends the data choose the work.
func (p *patcher) pattern(node ast.Node) ast.Node {
	at := p.place(node)
	source, isText := "", false
	if identifier, ok := node.(*ast.IdentifierNode); ok && identifier.Value[0] == 'v' {
		source, isText = p.token(identifier.Value).value.(string)
	}
	if !isText {
		return p.refuse(at, "for a text that comes from elsewhere there is contains", "the pattern after matches is not a text in quotes")
	}
	if len(source) > maxPattern {
		return p.refuse(at, fmt.Sprintf("at most %d bytes", maxPattern), "the regular expression is too long")
	}
	compiled, err := regexp.Compile(source)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return p.refuse(at, "the syntax is that of RE2", "the regular expression cannot be read: %s", reason)
	}
	return constant(&pattern{Regexp: compiled, size: machineSize(source)})
}

// machineSize counts the instructions that matching runs through for each byte in the worst case.
func machineSize(source string) int {
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return maxPattern
	}
	machine, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return maxPattern
	}
	return len(machine.Inst)
}

func (p *patcher) refuse(at int, hint, format string, args ...any) ast.Node {
	if p.err == nil {
		p.err = p.scanner.fail(at, hint, format, args...)
	}
	return constant(nil)
}

// call is a function, f4(x), or a method, x.m4(y).
func (p *patcher) call(n *ast.CallNode) ast.Node {
	switch callee := n.Callee.(type) {
	case *ast.IdentifierNode:
		return p.operation(p.token(callee.Value).text, n.Arguments...)
	case *ast.MemberNode:
		if property, ok := callee.Property.(*ast.StringNode); ok {
			return p.operation("."+p.token(property.Value).text, append([]ast.Node{callee.Node}, n.Arguments...)...)
		}
	}
	return p.refuse(p.place(n), "", "this cannot be called")
}

// path is a name or a member of something.
func (p *patcher) path(node ast.Node) ast.Node {
	segments, rest := p.segments(node)
	if segments != nil && segments[0] == secretName {
		return p.secretPath(node, segments, rest)
	}
	if segments != nil {
		p.reads.add(segments)
	}
	return p.access(node)
}

// access patches the members of a path whose reads are recorded already.
func (p *patcher) access(node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		if n.Value[0] == 'n' {
			return operationCall("load", constant(p.token(n.Value).text))
		}
	case *ast.MemberNode:
		key := p.key(n)
		if key == nil {
			return operationCall("get", p.access(n.Node), p.patch(n.Property))
		}
		return operationCall("get", p.access(n.Node), constant(*key))
	}
	return p.patch(node)
}

// secretPath makes a reference. The name of a secret must be written out, because the read-back of a
// flow lists the secrets that it uses.
func (p *patcher) secretPath(node ast.Node, segments []string, rest ast.Node) ast.Node {
	if rest != nil && len(segments) == 1 {
		return p.refuse(p.place(rest), "write secret.NAME", "the name of a secret cannot be computed")
	}
	p.reads.add(segments)
	if len(segments) != 2 || rest != nil {
		return constant(nil)
	}
	return operationCall("secret", constant(segments[1]))
}

// segments gives the fixed part of a path, and the first member that is computed, if there is one. A
// path that starts at something else than a name has no segments.
func (p *patcher) segments(node ast.Node) (segments []string, computed ast.Node) {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		if n.Value[0] == 'n' {
			return []string{p.token(n.Value).text}, nil
		}
	case *ast.MemberNode:
		before, computed := p.segments(n.Node)
		if before == nil || computed != nil {
			return before, computed
		}
		if key := p.key(n); key != nil {
			return append(before, *key), nil
		}
		return before, n.Property
	}
	return nil, nil
}

// key is the name of a member if it is fixed: .name, ["name"] or [0].
func (p *patcher) key(n *ast.MemberNode) *string {
	switch property := n.Property.(type) {
	case *ast.StringNode:
		return new(p.token(property.Value).text)
	case *ast.IdentifierNode:
		if property.Value[0] == 'v' {
			return new(Text(p.token(property.Value).value))
		}
	}
	return nil
}

// wholePath gives the path that the whole expression is, or nil.
func (p *patcher) wholePath(node ast.Node) []string {
	segments, computed := p.segments(node)
	if computed != nil {
		return nil
	}
	return segments
}

// operations are the functions of the patched tree. The first argument is always the evaluation.
// Words and signs are the operators, a leading dot is a method, the other names are functions.
var operations = func() conf.FunctionsTable {
	table := conf.FunctionsTable{}
	add := func(name string, apply func(*evaluation, []any) (any, error)) {
		table[name] = &builtin.Function{Name: name, Func: func(params ...any) (any, error) {
			state, ok := params[0].(*evaluation)
			if !ok {
				return nil, errors.New("the expression runs outside an evaluation")
			}
			return apply(state, params[1:])
		}}
	}
	for _, f := range functions {
		add(f.name, f.apply)
	}
	for _, f := range methods {
		add("."+f.name, f.apply)
	}
	for _, o := range operators {
		add(o.name, o.apply)
	}
	return table
}()
