package tree

import (
	"cmp"
	"math"
	"slices"
)

// Range is the amounts for which a condition holds.
type Range struct {
	Low, High     float64
	LowIn, HighIn bool // the bound itself belongs to it
}

// Range gives the amounts for which a comparison with amounts holds; false = it is none.
func (c *Cond) Range() (Range, bool) {
	out := Range{Low: math.Inf(-1), High: math.Inf(1)}
	if c.Op == OpAnd {
		for i := range c.Parts {
			p, ok := c.Parts[i].Range()
			if !ok {
				return Range{}, false
			}
			if p.Low > out.Low || p.Low == out.Low && !p.LowIn {
				out.Low, out.LowIn = p.Low, p.LowIn
			}
			if p.High < out.High || p.High == out.High && !p.HighIn {
				out.High, out.HighIn = p.High, p.HighIn
			}
		}
		return out, true
	}
	v, ok := c.Right.Literal.(float64)
	switch c.Op {
	case "<", "<=":
		out.High, out.HighIn = v, c.Op == "<="
	case ">", ">=":
		out.Low, out.LowIn = v, c.Op == ">="
	case "==":
		out = Range{v, v, true, true}
	default:
		return Range{}, false
	}
	return out, ok
}

// Cond is the condition that an amount belongs to the range.
func (r Range) Cond(left Value) Cond {
	var parts []Cond
	bound := func(op string, in bool, v float64) {
		if in {
			op += "="
		}
		if !math.IsInf(v, 0) {
			parts = append(parts, Cond{Op: op, Left: left, Right: Value{Literal: v}})
		}
	}
	bound(">", r.LowIn, r.Low)
	bound("<", r.HighIn, r.High)
	if len(parts) == 1 {
		return parts[0]
	}
	return Cond{Op: OpAnd, Parts: parts}
}

// Gaps gives the amounts for which none of the conditions holds, in order; false = one of them is no comparison with amounts.
func Gaps(conds []*Cond) (out []Range, ok bool) {
	var all []Range
	for _, c := range conds {
		r, ok := c.Range()
		if !ok {
			return nil, false
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Range) int { return cmp.Compare(a.Low, b.Low) })
	end := Range{High: math.Inf(-1), HighIn: true}
	for _, r := range append(all, Range{Low: math.Inf(1), LowIn: true, High: math.Inf(1)}) {
		if r.Low > end.High && !(math.IsInf(r.Low, 1) && math.IsInf(end.High, 1)) || r.Low == end.High && !r.LowIn && !end.HighIn {
			out = append(out, Range{Low: end.High, High: r.Low, LowIn: !end.HighIn, HighIn: !r.LowIn})
		}
		if r.High > end.High || r.High == end.High && r.HighIn {
			end = r
		}
	}
	return out, true
}
