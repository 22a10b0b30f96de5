package function

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"sluice/engine/expr/value"
)

func toList(c *Call) any {
	v := c.any(0)
	if v == nil {
		return []any{}
	}
	if list, ok := value.List(v); ok {
		return list
	}
	return []any{v}
}

func numbers(c *Call) any {
	from, to, step := c.whole(0, 0), c.whole(1, 0), c.whole(2, 1)
	if step == 0 {
		return c.fail(BadArgument, "the step is 0")
	}
	count := 0
	if (to > from) == (step > 0) && to != from {
		count = (to - from + step - cmp.Compare(step, 0)) / step
	}
	if !c.mayMake(count) {
		return nil
	}
	list := make([]any, count)
	for i := range list {
		list[i] = int64(from + i*step)
	}
	return list
}

func appendTo(c *Call) any {
	list := c.list(0)
	if !c.mayMake(len(list) + len(c.args) - 1) {
		return nil
	}
	list = slices.Clone(list)
	for i := 1; i < len(c.args); i++ {
		list = append(list, c.any(i))
	}
	return list
}

func combine(c *Call) any {
	all := []any{}
	for i := range c.args {
		list := c.list(i)
		if !c.mayMake(len(all) + len(list)) {
			return nil
		}
		all = append(all, list...)
	}
	return all
}

func item(c *Call) any {
	list, at := c.list(0), c.whole(1, 0)
	if at < 0 {
		at += len(list)
	}
	if at < 0 || at >= len(list) {
		return c.any(2)
	}
	return list[at]
}

func first(c *Call) any { return end(c.list(0), 0) }

func last(c *Call) any {
	list := c.list(0)
	return end(list, len(list)-1)
}

func end(list []any, at int) any {
	if len(list) == 0 {
		return nil
	}
	return list[at]
}

// find gives nil when no member or part of the text matches.
func find(c *Call) any {
	list, ok := value.List(c.any(0))
	if !ok {
		text, part := c.text(0), c.text(1)
		at := strings.Index(text, part)
		if at < 0 || part == "" {
			return nil
		}
		return int64(utf8.RuneCountInString(text[:at]))
	}
	for i, member := range list {
		if c.same(member, c.any(1)) {
			return int64(i)
		}
	}
	return nil
}

// same tells whether two values are equal. It is false after an error.
func (c *Call) same(a, b any) bool {
	if c.err != nil {
		return false
	}
	same, err := c.Compare("==", a, b)
	c.err = err
	return same && err == nil
}

// each makes a list of the values that keep accepts, as keep returns them.
func (c *Call) each(list []any, keep func(v any) (any, bool)) any {
	made := []any{}
	if !c.charge(len(list)) {
		return nil
	}
	for _, v := range list {
		if kept, ok := keep(v); ok && c.err == nil {
			made = append(made, kept)
		}
	}
	if !c.mayMake(len(made)) {
		return nil
	}
	return made
}

func reverse(c *Call) any {
	list := slices.Clone(c.list(0))
	if !c.mayMake(len(list)) {
		return nil
	}
	slices.Reverse(list)
	return list
}

// sortList orders numbers by size, then times, then all other values as texts, byte by byte.
func sortList(c *Call) any {
	list, field := c.list(0), c.field(1)
	if !c.mayMake(len(list)) {
		return nil
	}
	type entry struct {
		v, by any
		kind  int
		text  string
	}
	entries := make([]entry, len(list))
	for i, v := range list {
		e := entry{v: v, by: value.Plain(field(v))}
		if _, isNumber := value.ToNumber(e.by); !isNumber {
			e.kind, e.text = 2, c.write(e.by)
			if KindOf(e.by) == Time {
				e.kind = 1
			}
		}
		entries[i] = e
	}
	if c.err != nil {
		return nil
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		if a.kind != b.kind {
			return a.kind - b.kind
		}
		if order, ok := value.Order(a.by, b.by); ok && a.kind < 2 {
			return order
		}
		return strings.Compare(a.text, b.text)
	})
	sorted := make([]any, len(entries))
	for i, e := range entries {
		sorted[i] = e.v
	}
	return sorted
}

// field gives a function that reads the member that an argument names. When the argument is left out, it gives the value itself.
func (c *Call) field(i int) func(v any) any {
	if !c.given(i) {
		return func(v any) any { return v }
	}
	key := c.text(i)
	return func(v any) any {
		found, _ := c.lookUp(v, key)
		return found
	}
}

// unique compares values by their JSON.
func unique(c *Call) any {
	seen, field := map[string]bool{}, c.field(1)
	return c.each(c.list(0), func(v any) (any, bool) {
		key := v
		if found := field(v); found != nil {
			key = found
		}
		text := value.JSON(key)
		if !c.charge(len(text)/64) || seen[text] {
			return nil, false
		}
		seen[text] = true
		return v, true
	})
}

func clean(c *Call) any {
	return c.each(c.list(0), func(v any) (any, bool) {
		v = value.Plain(v)
		if text, ok := v.(string); ok {
			c.charge(len(text) / 64)
			v = strings.TrimSpace(text)
		}
		return v, v != nil && v != ""
	})
}

func flatten(c *Call) any {
	all := []any{}
	var take func(list []any)
	take = func(list []any) {
		for _, v := range list {
			inner, ok := value.List(value.Plain(v))
			switch {
			case !c.charge(1) || len(all) > MaxItems:
				return
			case ok:
				take(inner)
			default:
				all = append(all, v)
			}
		}
	}
	take(c.list(0))
	if !c.mayMake(len(all)) {
		return nil
	}
	return all
}

func pluck(c *Call) any {
	field := c.field(1)
	return c.each(c.list(0), func(v any) (any, bool) {
		if KindOf(v) != Object {
			return v, true
		}
		return field(v), true
	})
}

func where(c *Call) any {
	wanted := c.any(2)
	return c.having(func(field any) bool { return c.same(field, wanted) })
}

func among(c *Call) any {
	wanted := c.list(2)
	return c.having(func(field any) bool {
		return slices.ContainsFunc(wanted, func(w any) bool { return c.same(field, w) })
	})
}

// having gives the members of a list whose field fits.
func (c *Call) having(fits func(field any) bool) any {
	of := c.field(1)
	return c.each(c.list(0), func(v any) (any, bool) {
		field := v
		if KindOf(v) == Object {
			field = of(v)
		}
		return v, fits(field)
	})
}
