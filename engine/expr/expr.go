package expr

import (
	"fmt"
	"strings"
	"time"

	"sluice/engine/expr/function"
	"sluice/engine/expr/value"
)

// Scope is what an expression may read. Get returns the value of a top-level name, and false when the name is unknown. It is
// called once per use of the name, by the goroutine that evaluates.
type Scope interface {
	Get(name string) (any, bool)
}

// Map is a Scope made of a plain map.
type Map map[string]any

// Get returns the value under name.
func (m Map) Get(name string) (any, bool) {
	v, ok := m[name]
	return v, ok
}

// Options are the limits and the inputs of one evaluation.
type Options struct {
	// Now is the time recorded in the run: what now() gives, and the zone in which the filter date shows times. When it is
	// zero, now() gives nil.
	Now time.Time
	// MaxCost is the most work that the evaluation may do; 0 means defaultCost. A unit is one operation, 64 bytes of text
	// looked at or made, or 256 steps of a regular expression: about a microsecond or less.
	MaxCost int
	// Strict makes a value that does not fit the function that it is given to an error, a *function.Error, instead of nil.
	Strict bool
}

func newEvaluation(s Scope, opt Options) *evaluation {
	budget := opt.MaxCost
	if budget == 0 {
		budget = defaultCost
	}
	if s == nil {
		s = Map{}
	}
	return &evaluation{function.Context{Meter: value.Meter{Left: budget}, Now: opt.Now, Strict: opt.Strict}, s}
}

// Expr is a compiled expression. It does not change, and may be used by many goroutines at once.
type Expr struct {
	src   string
	term  Term
	reads readSet
}

// Compile reads an expression. ids are the ids of the flow's nodes: where one of them holds a - and stands in the expression,
// it is read as a name, the longest one first. The word default alone is true. The error is a *SyntaxError.
func Compile(src string, ids []string) (*Expr, error) {
	t, err := NewNames(ids).Expression(src)
	if err != nil {
		return nil, err
	}
	return compile(src, src, t)
}

// compile prepares a term for evaluation. written is its text in src.
func compile(src, written string, t Term) (*Expr, error) {
	p := &preparer{src: src}
	p.walk(&t)
	if p.err != nil {
		return nil, p.err
	}
	return &Expr{src: written, term: t, reads: p.reads}, nil
}

// Eval gives the value of the expression in s. What is missing is nil, and values of unfitting types never make an error; the
// only error is one that wraps ErrCost. Objects and lists in the result may be shared with s: do not change them.
func (e *Expr) Eval(s Scope, opt Options) (any, error) {
	return e.eval(newEvaluation(s, opt))
}

// Test tells whether the value of the expression in s counts as true (see Truthy). Its errors are those of Eval.
func (e *Expr) Test(s Scope, opt Options) (bool, error) {
	v, err := e.Eval(s, opt)
	return err == nil && Truthy(v), err
}

// Reads lists every path that the expression may read, in the order of the source and without repetition:
// look_up.result.body[0] is look_up, result, body, 0. A path ends where a member is computed. A name is listed even if it is
// unknown.
func (e *Expr) Reads() [][]string { return e.reads.list() }

func (e *Expr) eval(state *evaluation) (any, error) {
	v, err := state.eval(&e.term)
	if err != nil {
		return nil, fmt.Errorf("evaluating %q: %w", strings.TrimSpace(e.src), err)
	}
	return value.Plain(v), nil
}
