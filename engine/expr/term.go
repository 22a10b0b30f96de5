package expr

import (
	"slices"
	"strings"

	"sluice/engine/expr/function"
	"sluice/engine/expr/value"
)

// Term is an expression, or a part of one, as it is written. Expressions are compiled from terms, and checks that do not
// evaluate read them.
type Term struct {
	// Op is one of the Term constants, an operator (and, or, not, ==, in, ...), ? with a condition and two values, the name of
	// a function or method, or a filter with its bar (|default).
	Op    string
	Start int      // byte of the source
	Path  []string // of TermPath: the names
	At    []int    // of TermPath: the byte of each name
	Value any      // of TermValue
	Args  []Term

	function *function.Function // of a function, method or filter
	pattern  *pattern           // of matches, when it is compiled
}

// The kinds of terms besides operations.
const (
	TermPath   = "path"   // a name and its fixed members: look_up.result.items[0]
	TermValue  = "value"  // written out: a text, a number, true, null
	TermList   = "[]"     // a list of terms; list is a function
	TermMember = "member" // of a term, the second one says which
)

// member is the term of a fixed member of t.
func (t Term) member(name string, at int) Term {
	if t.Op == TermPath {
		t.Path, t.At = append(t.Path, name), append(t.At, at)
		return t
	}
	return Term{Op: TermMember, Start: t.Start, Args: []Term{t, {Op: TermValue, Start: t.Start, Value: name}}}
}

// index is the term of t[key]. A key that is written out is a fixed member.
func (t Term) index(key Term) Term {
	if key.Op == TermValue {
		return t.member(value.Text(key.Value), key.Start)
	}
	return Term{Op: TermMember, Start: t.Start, Args: []Term{t, key}}
}

// Names are the ids of a flow's nodes, sorted once for many expressions.
type Names struct {
	ids     []string
	longer  map[string]bool // ids that are more than a plain name
	lengths []int           // of those, the longest first
}

// NewNames sorts ids, which are used like the ids of [Compile].
func NewNames(ids []string) *Names {
	n := &Names{ids: ids}
	for _, id := range ids {
		if nameLength(id) != len(id) {
			if n.longer == nil {
				n.longer = map[string]bool{}
			}
			n.longer[id] = true
			n.lengths = append(n.lengths, len(id))
		}
	}
	slices.Sort(n.lengths)
	n.lengths = slices.Compact(n.lengths)
	slices.Reverse(n.lengths)
	return n
}

// prefixes gives the ids that a text begins with, the longest first.
func (n *Names) prefixes(text string) []string {
	var found []string
	for _, length := range n.lengths {
		if length <= len(text) && n.longer[text[:length]] {
			found = append(found, text[:length])
		}
	}
	return found
}

// all gives every id, the longest first.
func (n *Names) all() []string {
	sorted := slices.Clone(n.ids)
	slices.SortFunc(sorted, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return sorted
}

// Expression reads an expression as [Compile] does. Regular expressions in it are not checked.
func (n *Names) Expression(src string) (Term, error) {
	if strings.TrimSpace(src) == "default" {
		return Term{Op: TermValue, Value: true}, nil
	}
	t, _, err := n.parse(src, 0, false)
	return t, err
}

// Template reads a template as [ParseTemplate] does, and gives its expressions in order. whole says that it is one expression
// and nothing else, so that its value keeps its type.
func (n *Names) Template(src string) (terms []Term, whole bool, err error) {
	texts := 0
	err = n.cut(src, func(text string, t *Term) error {
		if t == nil {
			texts++
			return nil
		}
		terms = append(terms, *t)
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return terms, len(terms) == 1 && texts == 0, nil
}
