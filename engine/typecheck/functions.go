package typecheck

import (
	"fmt"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/expr/function"
)

// applied gives the shape of what a function or filter gives, and reports values that it can do nothing with.
func (c *checker) applied(t expr.Term, optional bool) shape {
	f, known := function.Named(strings.TrimPrefix(t.Op, "|"))
	if !known {
		c.each(t.Args, optional)
		return shape{}
	}
	switch f.Name {
	case "default", "coalesce":
		return either(c.each(t.Args, true)...)
	case "len", "list", "bool", "kind", "get":
		optional = true // what is missing has an answer, too
	}
	args := c.each(t.Args, optional)
	for i, arg := range args {
		if len(f.Fails) == 0 {
			break
		}
		c.argument(f, f.Params[min(i, len(f.Params)-1)], t.Args[i], arg)
	}
	if len(args) == 0 {
		return shape{kinds: kinds(f.Result)}
	}
	switch f.Name {
	case "first", "last":
		return args[0].item()
	case "reverse", "sort", "unique":
		return shape{kinds: list, items: args[0].items, schema: args[0].schema}
	case "slice":
		if args[0].kinds == list {
			return shape{kinds: list, items: args[0].items, schema: args[0].schema}
		}
		if args[0].kinds&list == 0 && args[0].kinds != 0 {
			return shape{kinds: text}
		}
	}
	return shape{kinds: kinds(f.Result)}
}

// argument reports a value of a kind that makes a function give nothing. Any value reads as a text, a text may read as a number
// or a time, and a number as a time.
func (c *checker) argument(f *function.Function, p function.Param, t expr.Term, s shape) {
	takes := kinds(p.Kind)
	switch {
	case takes == 0 || takes&text != 0 || s.kinds == 0 || isNothing(t):
		return
	case takes&number != 0:
		takes |= text
	case takes&instant != 0:
		takes |= text | number
	case takes&boolean != 0:
		return // any value counts as true or not
	}
	fits := s.kinds&takes != 0 && (s.kinds != text || takes&instant != 0 || !unreadable(s, asNumber))
	if !fits && !c.quiet() {
		c.error(c.here.at, t.Start, "mixed-types", fmt.Sprintf("%s takes %s and gets %s: it gives nothing", f.Name, kinds(p.Kind).words(), otherWords(t, s)), "write "+f.Signature(0))
	}
}
