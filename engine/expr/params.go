package expr

import (
	"errors"
	"fmt"

	"sluice/engine/expr/value"
)

// Value is a tree of parameters in which every text is a template, compiled. Keys, and values that are no texts, are kept
// unchanged. It does not change, and may be used by many goroutines at once.
type Value struct {
	root  any // *Template, map[string]any, []any (with such members), or any other value
	reads readSet
}

// CompileValue compiles all texts in v, deeply through map[string]any and []any. The error joins one *SyntaxError for every
// text that is wrong, each with its Path.
func CompileValue(v any, ids []string) (*Value, error) {
	c := valueCompiler{names: NewNames(ids)}
	root := c.compile(v, "")
	if c.err != nil {
		return nil, c.err
	}
	return &Value{root: root, reads: c.reads}, nil
}

type valueCompiler struct {
	names *Names
	reads readSet
	err   error
}

func (c *valueCompiler) compile(v any, path string) any {
	switch x := v.(type) {
	case string:
		return c.template(x, path)
	case map[string]any:
		compiled := make(map[string]any, len(x))
		for _, key := range value.Keys(x) {
			at := key
			if path != "" {
				at = path + "." + key
			}
			compiled[key] = c.compile(x[key], at)
		}
		return compiled
	case []any:
		compiled := make([]any, len(x))
		for i, item := range x {
			compiled[i] = c.compile(item, fmt.Sprintf("%s[%d]", path, i))
		}
		return compiled
	}
	return v
}

func (c *valueCompiler) template(src, path string) any {
	t, err := c.names.compileTemplate(src)
	if err != nil {
		if syntax, ok := errors.AsType[*SyntaxError](err); ok {
			syntax.Path = path
		}
		c.err = errors.Join(c.err, err)
		return nil
	}
	if t.Static() {
		return src
	}
	c.reads.add(t.reads.paths...)
	return t
}

// Render gives a new tree with every template rendered (see Template.Render). The cost is that of all templates together; the
// only error is one that wraps ErrCost.
func (v *Value) Render(s Scope, opt Options) (any, error) {
	e := newEvaluation(s, opt)
	return value.Each(v.root, func(leaf any) (any, error) {
		if t, ok := leaf.(*Template); ok {
			return t.render(e)
		}
		return leaf, nil
	})
}

// Reads lists the paths that the tree may read, as Expr.Reads does; members of objects come in the order of their keys.
func (v *Value) Reads() [][]string { return v.reads.list() }

// Templates lists the templates of the tree, members of objects in the order of their keys.
func (v *Value) Templates() (all []*Template) {
	_, _ = value.Each(v.root, func(leaf any) (any, error) { // the leaf below makes no error
		if t, ok := leaf.(*Template); ok {
			all = append(all, t)
		}
		return leaf, nil
	})
	return all
}
