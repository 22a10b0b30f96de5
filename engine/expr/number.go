package expr

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

type numberKind uint8

const (
	numberFloat numberKind = iota
	numberInt              // a whole number that fits int64, held exactly
	numberBig              // a whole number that does not, held as its digits
)

// number is any number in the form that loses least.
type number struct {
	kind   numberKind
	i      int64
	f      float64
	digits string
}

// toNumber reads v as a number: numbers of every Go type, and texts that are written like a number
// (no spaces, no hexadecimal, no "inf" or "nan"). Booleans are no numbers.
func toNumber(v any) (number, bool) {
	switch n := v.(type) {
	case int:
		return wholeNumber(int64(n)), true
	case int64:
		return wholeNumber(n), true
	case float64:
		return floatNumber(n)
	case string:
		return parseNumber(n)
	case json.Number:
		return parseNumber(string(n))
	case nil, bool, map[string]any, []any:
		return number{}, false
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return wholeNumber(r.Int()), true
	case r.CanUint():
		return parseNumber(strconv.FormatUint(r.Uint(), 10))
	case r.CanFloat():
		return floatNumber(r.Float())
	}
	return number{}, false
}

func wholeNumber(i int64) number { return number{kind: numberInt, i: i, f: float64(i)} }

func floatNumber(f float64) (number, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return number{}, false
	}
	// Within ±2^53 every whole float is exactly one integer.
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return wholeNumber(int64(f)), true
	}
	return number{f: f}, true
}

func parseNumber(s string) (number, bool) {
	whole, ok := looksLikeNumber(s)
	if !ok {
		return number{}, false
	}
	if whole {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return wholeNumber(i), true
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil { // out of range: only its text is exact
		return number{}, false
	}
	if whole {
		return number{kind: numberBig, f: f, digits: s}, true
	}
	return floatNumber(f)
}

// looksLikeNumber is stricter than strconv.ParseFloat, which also takes "inf", "0x1p3" and "1_000".
func looksLikeNumber(s string) (whole, ok bool) {
	rest := s
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	before := countDigits(rest)
	rest = rest[before:]
	after := 0
	whole = true
	if rest != "" && rest[0] == '.' {
		whole = false
		after = countDigits(rest[1:])
		rest = rest[1+after:]
	}
	if before+after == 0 {
		return false, false
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		whole = false
		rest = strings.TrimLeft(rest[1:], "+-")
		n := countDigits(rest)
		if n == 0 {
			return false, false
		}
		rest = rest[n:]
	}
	return whole, rest == ""
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

func compareNumbers(a, b number) int {
	switch {
	case a.kind == numberInt && b.kind == numberInt:
		return cmp.Compare(a.i, b.i)
	case a.kind != numberFloat && b.kind != numberFloat:
		return a.big().Cmp(b.big())
	}
	return cmp.Compare(a.f, b.f)
}

func (n number) big() *big.Int {
	if n.kind == numberInt {
		return big.NewInt(n.i)
	}
	i, ok := new(big.Int).SetString(n.digits, 10)
	if !ok {
		return new(big.Int)
	}
	return i
}

// value is the number as a value that expressions hand on: int64, float64, or json.Number for whole
// numbers beyond int64.
func (n number) value() any {
	switch n.kind {
	case numberInt:
		return n.i
	case numberBig:
		return json.Number(n.digits)
	}
	return n.f
}

// text writes the number without a trailing .0 and, up to 21 digits, without an exponent.
func (n number) text() string {
	switch n.kind {
	case numberInt:
		return strconv.FormatInt(n.i, 10)
	case numberBig:
		return strings.TrimPrefix(n.digits, "+")
	}
	if size := math.Abs(n.f); size < 1e-6 || size >= 1e21 {
		return strconv.FormatFloat(n.f, 'g', -1, 64)
	}
	return strconv.FormatFloat(n.f, 'f', -1, 64)
}
