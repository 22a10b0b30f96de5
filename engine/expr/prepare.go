package expr

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"sluice/engine/expr/value"
)

// secretName is the name whose members are secrets: an expression gets a reference to a secret instead of its value.
const secretName = "secret"

// preparer checks a term once before it is evaluated: it compiles patterns, lists the paths that are read, and finds the mistakes that
// the parser does not find.
type preparer struct {
	src   string
	reads readSet
	err   error // the first mistake
}

func (p *preparer) refuse(at int, hint, format string, args ...any) {
	if p.err == nil {
		p.err = newSyntaxError(p.src, at, fmt.Sprintf(format, args...), hint)
	}
}

func (p *preparer) walk(t *Term) {
	switch {
	case t.Op == TermPath:
		p.reads.add(t.Path)
	case t.Op == TermMember && p.isSecret(t):
		*t = Term{Op: TermValue}
	case t.Op == "matches":
		p.walk(&t.Args[0])
		t.pattern = p.pattern(t.Args[1])
	default:
		for i := range t.Args {
			p.walk(&t.Args[i])
		}
	}
}

// isSecret reports whether a term reads a computed member of the secrets or of one secret. It refuses a computed name of a secret, because
// the read-back of a flow lists the secrets that it uses. A secret has no members.
func (p *preparer) isSecret(t *Term) bool {
	root, first := t, t
	for root.Op == TermMember {
		root, first = &root.Args[0], root
	}
	switch {
	case root.Op != TermPath || root.Path[0] != secretName:
		return false
	case len(root.Path) == 1:
		p.refuse(first.Args[1].Start, "write secret.NAME", "the name of a secret cannot be computed")
	default:
		p.reads.add(root.Path)
	}
	return true
}

// pattern is a regular expression with the size that its cost depends on.
type pattern struct {
	*regexp.Regexp
	size int // instructions of its machine
}

// maxPattern bounds the source of a regular expression, in bytes.
const maxPattern = 1000

// pattern compiles the right side of matches. It must be written out: a pattern that comes from data would let the sender of
// the data choose the work.
func (p *preparer) pattern(t Term) *pattern {
	source, isText := t.Value.(string)
	if !isText {
		p.refuse(t.Start, "for a text that comes from elsewhere there is contains", "the pattern after matches is not a text in quotes")
		return nil
	}
	if len(source) > maxPattern {
		p.refuse(t.Start, fmt.Sprintf("at most %d bytes", maxPattern), "the regular expression is too long")
		return nil
	}
	compiled, err := regexp.Compile(source)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		p.refuse(t.Start, "the syntax is that of RE2", "the regular expression cannot be read: %s", reason)
		return nil
	}
	return &pattern{Regexp: compiled, size: machineSize(source)}
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

// find reports whether the pattern matches anywhere in a text.
func (p *pattern) find(e *evaluation, v any) (bool, error) {
	v = value.Plain(v)
	if v == nil || value.IsSecret(v) {
		return false, e.Charge(1)
	}
	text, err := e.Text(v)
	if err == nil {
		err = e.Charge(len(text) * p.size / 256)
	}
	return err == nil && p.MatchString(text), err
}

// readSet collects paths in order and without repetition.
type readSet struct{ paths [][]string }

func (r *readSet) add(paths ...[]string) {
	for _, path := range paths {
		known := slices.ContainsFunc(r.paths, func(other []string) bool { return slices.Equal(other, path) })
		if !known {
			r.paths = append(r.paths, path)
		}
	}
}

// list gives the paths as a copy that the caller may keep.
func (r *readSet) list() [][]string {
	cloned := make([][]string, len(r.paths))
	for i, path := range r.paths {
		cloned[i] = slices.Clone(path)
	}
	return cloned
}
