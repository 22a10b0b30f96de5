package expr

import (
	"fmt"
	"strings"
	"time"

	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// Options bound and feed one evaluation.
type Options struct {
	// Now is the time recorded in the run: what now() gives, and the zone in which the filter date
	// shows times. When it is zero, now() gives nil.
	Now time.Time
	// MaxCost is the most work that the evaluation may do; 0 means DefaultCost. A unit is one
	// operation, 64 bytes of text looked at or made, or 256 steps of a regular expression: about a
	// microsecond or less.
	MaxCost int
}

// DefaultCost bounds an evaluation at about a tenth of a second, and at 6.4 MB of text.
const DefaultCost = 100_000

// meter counts the work of an evaluation down.
type meter struct{ left int }

func (m *meter) charge(units int) error {
	m.left -= units
	if m.left < 0 {
		return ErrCost
	}
	return nil
}

func (m *meter) chargeText(bytes int) error { return m.charge(1 + bytes/64) }

// evaluation is what the functions of a running expression share. It is used by one goroutine.
type evaluation struct {
	*meter
	scope Scope
	now   time.Time
}

func newEvaluation(s Scope, opt Options) *evaluation {
	budget := opt.MaxCost
	if budget == 0 {
		budget = DefaultCost
	}
	if s == nil {
		s = Map{}
	}
	return &evaluation{meter: &meter{left: budget}, scope: s, now: opt.Now}
}

// Expr is a compiled expression. It does not change, and may be used by many goroutines at once.
type Expr struct {
	src     string
	path    []string    // the expression when it is nothing but a path
	program *vm.Program // otherwise
	reads   readSet
}

// Compile reads an expression. ids are the ids of the flow's nodes: where one of them holds a - and
// stands in the expression, it is read as a name, the longest one first. The word default alone is
// true (S3-42). The error is a *SyntaxError.
func Compile(src string, ids []string) (*Expr, error) {
	if strings.TrimSpace(src) == "default" {
		return compile("true", 0, len("true"), nil)
	}
	return compile(src, 0, len(src), longestFirst(ids))
}

// compile reads the expression in src[from:to]; ids are ordered longest first.
func compile(src string, from, to int, ids []string) (*Expr, error) {
	s := &scanner{src: src, pos: from, end: to, ids: ids}
	if to-from > MaxSource {
		return nil, s.fail(from, fmt.Sprintf("at most %d bytes", MaxSource), "the expression is too long")
	}
	if err := s.scan(); err != nil {
		return nil, err
	}
	a, err := arrange(s)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseWithConfig(a.text.String(), &conf.Config{MaxNodes: 10 * MaxTokens})
	if err != nil {
		return nil, a.parserError(s, err)
	}
	p := &patcher{scanner: s, arrangement: a}
	e := &Expr{src: src[from:to]}
	if e.path = p.wholePath(tree.Node); e.path == nil {
		if e.program, err = p.program(tree); err != nil {
			return nil, err
		}
	} else {
		p.reads.add(e.path)
	}
	e.reads = p.reads
	return e, nil
}

// Eval gives the value of the expression in s. What is missing is nil, and values of unfitting types
// never make an error; the only error is one that wraps ErrCost. Objects and lists in the result may
// be shared with s: do not change them.
func (e *Expr) Eval(s Scope, opt Options) (any, error) {
	return e.eval(newEvaluation(s, opt))
}

// Test tells whether the value of the expression in s counts as true (see Truthy). Its errors are
// those of Eval.
func (e *Expr) Test(s Scope, opt Options) (bool, error) {
	v, err := e.Eval(s, opt)
	return err == nil && Truthy(v), err
}

// Reads lists every path that the expression may read, in the order of the source and without
// repetition: look_up.result.body[0] is look_up, result, body, 0. A path ends where a member is
// computed. A name is listed even if it is unknown.
func (e *Expr) Reads() [][]string { return e.reads.list() }

func (e *Expr) eval(state *evaluation) (any, error) {
	if e.path != nil {
		return state.follow(e.path)
	}
	machine := vm.VM{}
	v, err := machine.Run(e.program, state)
	if err != nil {
		if state.left < 0 {
			err = ErrCost
		}
		return nil, fmt.Errorf("evaluating %q: %w", e.src, err)
	}
	return plain(v), nil
}

// follow reads a path without the machine: most templates are nothing else.
func (e *evaluation) follow(path []string) (any, error) {
	if path[0] == secretName {
		return e.secret(path), e.charge(1)
	}
	v := e.load(path[0])
	for _, key := range path[1:] {
		v = get(v, key)
	}
	return plain(v), e.charge(len(path))
}
