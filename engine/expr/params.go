package expr

import (
	"errors"
	"fmt"
)

// Value is a tree of parameters in which every text is a template, compiled. Keys, and values that
// are no texts, stay as they are. It does not change, and may be used by many goroutines at once.
type Value struct {
	root  any // *Template, map[string]any, []any (with such members), or any other value
	reads readSet
}

// CompileValue compiles all texts in v, deeply through map[string]any and []any. The error joins one
// *SyntaxError for every text that is wrong, each with its Path.
func CompileValue(v any, ids []string) (*Value, error) {
	c := valueCompiler{ids: longestFirst(ids)}
	root := c.compile(v, "")
	if c.err != nil {
		return nil, c.err
	}
	return &Value{root: root, reads: c.reads}, nil
}

type valueCompiler struct {
	ids   []string
	reads readSet
	err   error
}

func (c *valueCompiler) compile(v any, path string) any {
	switch x := v.(type) {
	case string:
		return c.template(x, path)
	case map[string]any:
		compiled := make(map[string]any, len(x))
		for _, key := range sortedKeys(x) {
			compiled[key] = c.compile(x[key], joinPath(path, key))
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
	t, err := parseTemplate(src, c.ids)
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

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Render gives a new tree with every template rendered (see Template.Render). The cost is that of all
// templates together; the only error is one that wraps ErrCost.
func (v *Value) Render(s Scope, opt Options) (any, error) {
	return renderValue(v.root, newEvaluation(s, opt))
}

// Reads lists the paths that the tree may read, as Expr.Reads does; members of objects come in the
// order of their keys.
func (v *Value) Reads() [][]string { return v.reads.list() }

func renderValue(v any, e *evaluation) (any, error) {
	switch x := v.(type) {
	case *Template:
		return x.render(e)
	case map[string]any:
		rendered := make(map[string]any, len(x))
		for _, key := range sortedKeys(x) {
			var err error
			if rendered[key], err = renderValue(x[key], e); err != nil {
				return nil, err
			}
		}
		return rendered, nil
	case []any:
		rendered := make([]any, len(x))
		for i, item := range x {
			var err error
			if rendered[i], err = renderValue(item, e); err != nil {
				return nil, err
			}
		}
		return rendered, nil
	}
	return v, nil
}

// RenderValue is CompileValue and Render in one, for trees that are rendered once.
func RenderValue(v any, ids []string, s Scope, opt Options) (any, error) {
	compiled, err := CompileValue(v, ids)
	if err != nil {
		return nil, err
	}
	return compiled.Render(s, opt)
}
