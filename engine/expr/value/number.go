package value

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

// Number is a number: an int64 or the digits of a larger whole number, which are exact, else a float64.
type Number struct {
	f      float64
	i      int64  // if whole
	whole  bool   // it fits int64 and is held exactly
	digits string // of a whole number beyond int64
}

// ToNumber reads v as a number: numbers of every Go type, and texts that are written like a number (no spaces, no hexadecimal,
// no "inf" or "nan"). Booleans are no numbers.
func ToNumber(v any) (Number, bool) {
	switch n := v.(type) {
	case int:
		return integer(int64(n)), true
	case int64:
		return integer(n), true
	case float64:
		return Float(n)
	case string:
		return ParseNumber(n)
	case json.Number:
		return ParseNumber(string(n))
	case nil, bool, map[string]any, []any:
		return Number{}, false
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return integer(r.Int()), true
	case r.CanUint():
		return ParseNumber(strconv.FormatUint(r.Uint(), 10))
	case r.CanFloat():
		return Float(r.Float())
	}
	return Number{}, false
}

// integer makes a Number of a whole number.
func integer(i int64) Number { return Number{whole: true, i: i, f: float64(i)} }

// Float makes a Number of f. It reports false for NaN and for infinite values.
func Float(f float64) (Number, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Number{}, false
	}
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 { // up to here every whole float is exactly one integer
		return integer(int64(f)), true
	}
	return Number{f: f}, true
}

// ParseNumber reads a text as ToNumber does.
func ParseNumber(s string) (Number, bool) {
	for i := range len(s) { // strconv also takes "inf", "0x1p3" and "1_000"
		if strings.IndexByte("0123456789.eE+-", s[i]) < 0 {
			return Number{}, false
		}
	}
	whole := !strings.ContainsAny(s, ".eE")
	if whole {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return integer(i), true
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil: // no number, or out of range: only its text is exact
		return Number{}, false
	case whole:
		return Number{f: f, digits: s}, true
	}
	return Float(f)
}

// Compare orders two numbers.
func (n Number) Compare(other Number) int {
	switch {
	case n.whole && other.whole:
		return cmp.Compare(n.i, other.i)
	case n.isFloat() || other.isFloat():
		return cmp.Compare(n.f, other.f)
	}
	return n.big().Cmp(other.big())
}

func (n Number) isFloat() bool { return !n.whole && n.digits == "" }

func (n Number) big() *big.Int {
	if n.whole {
		return big.NewInt(n.i)
	}
	i, _ := new(big.Int).SetString(n.digits, 10)
	return i
}

// Float gives the nearest float64.
func (n Number) Float() float64 { return n.f }

// Int64 gives a whole number that fits int64.
func (n Number) Int64() (int64, bool) { return n.i, n.whole }

// Value gives the number as a value: int64, float64, or json.Number for whole numbers beyond int64.
func (n Number) Value() any {
	switch {
	case n.whole:
		return n.i
	case n.digits != "":
		return json.Number(n.digits)
	}
	return n.f
}

// Text writes the number without a trailing .0 and, up to 21 digits, without an exponent.
func (n Number) Text() string {
	switch {
	case n.whole:
		return strconv.FormatInt(n.i, 10)
	case n.digits != "":
		return strings.TrimPrefix(n.digits, "+")
	}
	if size := math.Abs(n.f); size < 1e-6 || size >= 1e21 {
		return strconv.FormatFloat(n.f, 'g', -1, 64)
	}
	return strconv.FormatFloat(n.f, 'f', -1, 64)
}

// json writes the number as JSON, where leading zeros are not allowed.
func (n Number) json() json.Number {
	if n.digits != "" {
		return json.Number(n.big().String())
	}
	return json.Number(n.Text())
}
