package function

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/expr/value"
)

// Kind is a set of the kinds that a value may have.
type Kind uint8

// The kinds of values.
const (
	Text Kind = 1 << iota
	Number
	Boolean
	Object
	List
	Time
	Any Kind = 0 // every kind, and nothing
)

// String names the kinds: "list or text".
func (k Kind) String() string {
	var all []string
	for i, name := range []string{"text", "number", "true or false", "object", "list", "time"} {
		if k&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	if all == nil {
		return "anything"
	}
	return strings.Join(all, " or ")
}

// Param is a value that a function takes. A function that takes a text renders any value as one; one that takes a number also
// takes a text that is written like a number; nothing is an empty text, list or object.
type Param struct {
	Name     string
	Kind     Kind
	Optional bool
}

// Limits of one result. The cost of an evaluation is limited, too.
const (
	MaxItems = 10_000  // members of a list or object
	MaxText  = 1 << 20 // bytes of a text
)

// Function is one of the functions of the language.
type Function struct {
	Name    string
	Params  []Param
	Rest    bool // the last parameter may be given several times
	Result  Kind
	Fails   []Code // the errors that it has, besides TooLarge
	Help    string // one line
	Example string // a call; its result is shown beside it
	apply   func(c *Call) any
}

// Least is the number of values that a call must have.
func (f *Function) Least() int {
	n := slices.IndexFunc(f.Params, func(p Param) bool { return p.Optional })
	if n < 0 {
		return len(f.Params)
	}
	return n
}

// Most is the number of values that a call may have.
func (f *Function) Most() int {
	if f.Rest {
		return 1 << 10
	}
	return len(f.Params)
}

// Signature gives the call of the function: split(text, separator?, most?), or concat(value...). The first argument may also come
// before the function.
func (f *Function) Signature(before int) string {
	names := make([]string, len(f.Params))
	for i, p := range f.Params {
		names[i] = p.Name
		if p.Optional {
			names[i] += "?"
		}
		if f.Rest && i == len(f.Params)-1 {
			names[i] += "..."
		}
	}
	return f.Name + "(" + strings.Join(names[min(before, len(names)):], ", ") + ")"
}

// Code names an error of a function.
type Code string

// The errors of functions.
const (
	NotANumber     Code = "not_a_number"
	NotAList       Code = "not_a_list"
	NotAnObject    Code = "not_an_object"
	BadJSON        Code = "bad_json"
	BadArgument    Code = "bad_argument"
	DivisionByZero Code = "division_by_zero"
	TooLarge       Code = "too_large"
)

// Error says why a function has no result.
type Error struct {
	Function string
	Code     Code
	Message  string
}

func (e *Error) Error() string { return e.Function + ": " + e.Message }

// Unwrap makes the error of a result that is too large a value.ErrCost.
func (e *Error) Unwrap() error {
	if e.Code == TooLarge {
		return value.ErrCost
	}
	return nil
}

// Context is what the calls of one evaluation share. It is used by one goroutine.
type Context struct {
	value.Meter
	Now    time.Time // the time recorded in the run, and the zone in which dates are shown; zero when there is none
	Strict bool      // a value that does not fit is an error, instead of nil
}

// Apply gives the value of a call. Its error wraps value.ErrCost, or is an *Error if the context is strict.
func (f *Function) Apply(ctx *Context, args ...any) (any, error) {
	c := &Call{Context: ctx, function: f, args: args}
	c.charge(1)
	if c.err == nil {
		v := f.apply(c)
		if c.err == nil {
			return v, nil
		}
	}
	if ctx.Strict || errors.Is(c.err, value.ErrCost) {
		return nil, c.err
	}
	return nil, nil
}

// Call is one call of a function. It keeps the first error; arguments that are read after an error are empty.
type Call struct {
	*Context
	function *Function
	args     []any
	err      error
}

// fail records an error. It gives nil, so that a function can return it.
func (c *Call) fail(code Code, format string, args ...any) any {
	if c.err == nil {
		c.err = &Error{Function: c.function.Name, Code: code, Message: fmt.Sprintf(format, args...)}
	}
	return nil
}

// charge subtracts units from the meter, and reports whether the call may continue.
func (c *Call) charge(units int) bool {
	if c.err == nil {
		c.err = c.Charge(units)
	}
	return c.err == nil
}

// mayMake charges for a list or object of so many members.
func (c *Call) mayMake(members int) bool {
	if members > MaxItems {
		c.fail(TooLarge, "the result has more than %d members", MaxItems)
	}
	return c.charge(members)
}

// mayWrite charges for a text of so many bytes.
func (c *Call) mayWrite(bytes int) bool {
	if bytes > MaxText {
		c.fail(TooLarge, "the text has more than %d bytes", MaxText)
	}
	return c.charge(bytes / 64)
}

// any is a value of the call, or nil when it is left out.
func (c *Call) any(i int) any {
	if i >= len(c.args) {
		return nil
	}
	return value.Plain(c.args[i])
}

// given tells whether a value is there.
func (c *Call) given(i int) bool { return c.any(i) != nil }

func (c *Call) text(i int) string { return c.write(c.any(i)) }

// write is a value as a text.
func (c *Call) write(v any) string {
	if c.err != nil {
		return ""
	}
	text, err := c.Text(v)
	if err != nil {
		c.err = err
		return ""
	}
	return text
}

// textOr is a text with a default.
func (c *Call) textOr(i int, other string) string {
	if !c.given(i) {
		return other
	}
	return c.text(i)
}

func (c *Call) number(i int) value.Number { return c.toNumber(c.any(i)) }

// toNumber reads a number and ignores the spaces around it: " 12 " is 12.
func (c *Call) toNumber(v any) value.Number {
	v = value.Plain(v)
	if text, ok := v.(string); ok {
		v = strings.TrimSpace(text)
	}
	n, ok := value.ToNumber(v)
	if !ok {
		c.fail(NotANumber, "%s is not a number", brief(v))
	}
	return n
}

// whole is a whole number with a default.
func (c *Call) whole(i, other int) int {
	if !c.given(i) {
		return other
	}
	n, ok := c.number(i).Int64()
	if !ok || n != int64(int32(n)) {
		c.fail(NotANumber, "%s is not a whole number", brief(c.any(i)))
	}
	return int(int32(n))
}

func (c *Call) list(i int) []any {
	v := c.any(i)
	list, ok := value.List(v)
	if !ok && v != nil {
		c.fail(NotAList, "%s is not a list", brief(v))
	}
	return list
}

func (c *Call) object(i int) map[string]any {
	v := c.any(i)
	object, ok := value.Object(v)
	if !ok && v != nil {
		c.fail(NotAnObject, "%s is not an object", brief(v))
	}
	return object
}

// brief describes a value in a message: a list or an object by its kind, another value by its text.
func brief(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case string, bool, time.Time, value.SecretRef, value.Sealed:
	default:
		if _, isNumber := value.ToNumber(v); !isNumber {
			return "a value that is a " + KindOf(v).String()
		}
	}
	text := []rune(value.Text(v))
	if len(text) > 40 {
		text = append(text[:40], '…')
	}
	return "'" + string(text) + "'"
}

// KindOf gives the kind of a value, and Any for what has none.
func KindOf(v any) Kind {
	v = value.Plain(v)
	switch v.(type) {
	case nil:
		return Any
	case string, value.SecretRef, value.Sealed:
		return Text
	case bool:
		return Boolean
	case time.Time:
		return Time
	}
	if _, ok := value.List(v); ok {
		return List
	}
	if _, ok := value.Object(v); ok {
		return Object
	}
	return Number
}
