package flow

import (
	"encoding/json"
	"math"
)

// Integer keeps integers that a float64 cannot hold as int64 and gives every other number as float64, as JSON
// values are everywhere else.
func Integer(i int64) any {
	const exact = 1 << 53
	if i > exact || i < -exact {
		return i
	}
	return float64(i)
}

// Float treats integral values that fit int64 as Integer does, so that 1.0 and 1 are the same.
func Float(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < math.MaxInt64 {
		return Integer(int64(f))
	}
	return f
}

// Number gives a number as YAML values have it. A number too large for float64 becomes the largest one.
func Number(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return Integer(i)
	}
	f, _ := n.Float64()
	return Float(min(max(f, -math.MaxFloat64), math.MaxFloat64))
}
