package function

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strings"

	"sluice/engine/expr/value"
)

// toInt removes the decimals of a number.
func toInt(c *Call) any {
	n := c.number(0)
	f, isFloat := n.Value().(float64)
	switch {
	case !isFloat:
		return n.Value()
	case f >= 1<<63 || f < -1<<63:
		return c.fail(NotANumber, "%s is too large for a whole number", brief(f))
	}
	return int64(f)
}

func toFloat(c *Call) any { return c.number(0).Float() }

// exact converts a number to an exact decimal number.
func (c *Call) exact(n value.Number) *big.Rat {
	text := n.Text()
	c.charge(len(text)) // the work grows faster than the digits
	r, ok := new(big.Rat), c.err == nil
	if ok {
		_, ok = r.SetString(text)
	}
	if !ok {
		return new(big.Rat)
	}
	return r
}

// result converts an exact number to a value.
func (c *Call) result(r *big.Rat) any {
	if c.err != nil {
		return nil
	}
	if r.IsInt() {
		if r.Num().IsInt64() {
			return r.Num().Int64()
		}
		if r.Num().BitLen() < 1024 {
			return json.Number(r.Num().String())
		}
	}
	f, _ := r.Float64()
	return c.float(f)
}

func (c *Call) float(f float64) any {
	n, ok := value.Float(f)
	if !ok {
		return c.fail(TooLarge, "the number is too large")
	}
	return n.Value()
}

// fold combines all values of the call from left to right.
func (c *Call) fold(step func(z, x, y *big.Rat) *big.Rat) any {
	total := c.exact(c.number(0))
	for i := 1; i < len(c.args) && c.err == nil; i++ {
		c.charge(total.Num().BitLen()/64 + total.Denom().BitLen()/64)
		total = step(total, total, c.exact(c.number(i)))
	}
	return c.result(total)
}

func add(c *Call) any      { return c.fold((*big.Rat).Add) }
func subtract(c *Call) any { return c.fold((*big.Rat).Sub) }
func multiply(c *Call) any { return c.fold((*big.Rat).Mul) }

func divide(c *Call) any {
	a, b := c.exact(c.number(0)), c.exact(c.number(1))
	if b.Sign() == 0 {
		return c.fail(DivisionByZero, "%s cannot be divided by 0", brief(c.any(0)))
	}
	return c.result(a.Quo(a, b))
}

func modulo(c *Call) any {
	a, b := c.exact(c.number(0)), c.exact(c.number(1))
	if b.Sign() == 0 {
		return c.fail(DivisionByZero, "%s cannot be divided by 0", brief(c.any(0)))
	}
	times := new(big.Rat).SetInt(below(new(big.Rat).Quo(a, b)))
	return c.result(a.Sub(a, times.Mul(times, b)))
}

func power(c *Call) any {
	f := math.Pow(c.number(0).Float(), c.number(1).Float())
	if math.IsNaN(f) {
		return c.fail(BadArgument, "%s has no power of %s", brief(c.any(0)), brief(c.any(1)))
	}
	return c.float(f)
}

func abs(c *Call) any {
	r := c.exact(c.number(0))
	return c.result(r.Abs(r))
}

// below gives the largest whole number that is not above r.
func below(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) } // Euclidean, and the denominator is positive

func floor(c *Call) any { return c.result(new(big.Rat).SetInt(below(c.exact(c.number(0))))) }

func ceil(c *Call) any {
	r := c.exact(c.number(0))
	up := new(big.Rat).SetInt(below(r.Neg(r)))
	return c.result(up.Neg(up))
}

// maxDecimals bounds the decimals of round and fixed.
const maxDecimals = 300

func (c *Call) rounded() string {
	decimals := c.whole(1, 0)
	if decimals < 0 || decimals > maxDecimals {
		c.fail(BadArgument, "there are 0 to %d decimals, not %d", maxDecimals, decimals)
		return ""
	}
	r := c.exact(c.number(0))
	if !c.charge(r.Num().BitLen()/64 + decimals) {
		return ""
	}
	text := r.FloatString(decimals) // a half goes away from zero
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

func fixed(c *Call) any { return c.rounded() }

func round(c *Call) any {
	r, ok := new(big.Rat).SetString(c.rounded())
	if !ok {
		return nil
	}
	return c.result(r)
}

// numbersOf are the values of the call, or the members of the one list among them.
func (c *Call) numbersOf() []value.Number {
	given := c.args
	if list, ok := value.List(c.any(0)); ok && len(given) == 1 {
		given = list
	}
	if !c.charge(len(given)) {
		return nil
	}
	all := make([]value.Number, len(given))
	for i, v := range given {
		all[i] = c.toNumber(v)
	}
	return all
}

// extreme gives the number that of picks, such as the smallest or the largest; an empty list has none.
func (c *Call) extreme(of func([]value.Number, func(a, b value.Number) int) value.Number) any {
	all := c.numbersOf()
	if c.err != nil || len(all) == 0 {
		return nil
	}
	return of(all, value.Number.Compare).Value()
}

func least(c *Call) any { return c.extreme(slices.MinFunc) }
func most(c *Call) any  { return c.extreme(slices.MaxFunc) }

func (c *Call) total() (*big.Rat, int) {
	sum, list := new(big.Rat), c.list(0)
	for _, v := range list {
		if c.err != nil {
			break
		}
		sum.Add(sum, c.exact(c.toNumber(v)))
		c.charge(sum.Denom().BitLen() / 64)
	}
	return sum, len(list)
}

func sum(c *Call) any {
	total, _ := c.total()
	return c.result(total)
}

func average(c *Call) any {
	total, n := c.total()
	if n == 0 {
		return c.fail(DivisionByZero, "an empty list has no average")
	}
	return c.result(total.Quo(total, new(big.Rat).SetInt64(int64(n))))
}
