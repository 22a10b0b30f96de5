package typecheck

import (
	"strings"

	"sluice/engine/expr"
)

// expression gives the shape of an expression and reports what is wrong in it. One that cannot be read is a problem of the document.
func (c *checker) expression(at place, src string, optional bool) shape {
	if strings.TrimSpace(src) == "" {
		return shape{}
	}
	t, err := c.names.Expression(src)
	if err != nil {
		return shape{}
	}
	c.here.at = at
	s := c.infer(t, optional)
	c.sayMissing(at)
	return s
}

// template gives the shape of a text with {{ }}.
func (c *checker) template(at place, src string) shape {
	if !strings.Contains(src, "{{") {
		return ofValue(src)
	}
	terms, whole, err := c.names.Template(src)
	if err != nil {
		return shape{}
	}
	out := shape{kinds: text}
	for _, t := range terms {
		c.here.at = at
		if s := c.infer(t, false); whole {
			out = s
		}
	}
	c.sayMissing(at)
	return out
}

// value gives the shape of a free value, whose texts are templates.
func (c *checker) value(at place, v any) shape {
	switch v := v.(type) {
	case string:
		return c.template(at, v)
	case []any:
		s := shape{kinds: list}
		for i, item := range v {
			s.items = append(s.items, c.value(at.index(i), item))
		}
		return s
	case map[string]any:
		s := shape{kinds: object, fields: map[string]shape{}, bound: closed}
		for _, name := range sorted(v) {
			s.fields[name] = c.value(at.in(name), v[name])
		}
		return s
	}
	return ofValue(v)
}

// infer gives the shape of a term and reports what is wrong in it. optional says that it may well be missing.
func (c *checker) infer(t expr.Term, optional bool) shape {
	switch t.Op {
	case expr.TermPath:
		return c.path(t, optional)
	case expr.TermValue:
		return ofValue(t.Value)
	case expr.TermList:
		return shape{kinds: list, items: c.each(t.Args, false)}
	case expr.TermMember:
		return c.member(t)
	case "and", "or", "not":
		if guards(t.Args) {
			c.lenient++
			defer func() { c.lenient-- }()
		}
		c.each(t.Args, true)
		return shape{kinds: boolean}
	case "==", "!=", "<", "<=", ">", ">=":
		c.comparison(t)
		return shape{kinds: boolean}
	case "in", "contains":
		c.membership(t)
		return shape{kinds: boolean}
	case "matches":
		c.each(t.Args, true)
		return shape{kinds: boolean}
	case "?":
		c.infer(t.Args[0], true)
		return either(c.each(t.Args[1:], true)...)
	}
	return c.applied(t, optional)
}

func (c *checker) each(terms []expr.Term, optional bool) []shape {
	out := make([]shape, len(terms))
	for i, t := range terms {
		out[i] = c.infer(t, optional)
	}
	return out
}

// guards reports operands that ask whether something is there: what stands beside them reads it only then.
func guards(terms []expr.Term) bool {
	for _, t := range terms {
		if t.Op == expr.TermPath || t.Op == "not" && guards(t.Args) || (t.Op == "==" || t.Op == "!=") && (isNothing(t.Args[0]) || isNothing(t.Args[1])) {
			return true
		}
	}
	return false
}

// isNothing reports the values that a missing value equals.
func isNothing(t expr.Term) bool {
	return t.Op == expr.TermValue && (t.Value == nil || t.Value == "")
}

// member is a member of something else than a name, or a computed one.
func (c *checker) member(t expr.Term) shape {
	of := c.each(t.Args, true)
	base, key := of[0], t.Args[1]
	if key.Op == expr.TermValue {
		s, _, _ := base.field(expr.Text(key.Value))
		return s
	}
	if base.kinds == list && of[1].kinds == number {
		return base.item()
	}
	return shape{}
}

// silently finds a shape without reporting anything.
func (c *checker) silently(find func() shape) shape {
	here := c.here
	c.muted++
	defer func() { c.muted, c.here = c.muted-1, here }()
	return find()
}

// remember finds a shape once. While it is being found, such as by way of itself, nothing is known of it.
func (c *checker) remember(what, name string, find func() shape) shape {
	key := what + " " + name
	if s, ok := c.known[key]; ok {
		return *s
	}
	c.known[key] = &shape{}
	s := c.silently(find)
	c.known[key] = &s
	return s
}
