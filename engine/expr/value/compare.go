package value

import (
	"strings"
	"time"
)

// Truthy tells whether a value counts as true: a non-empty text, a non-zero number, true, any object and any list, even an
// empty one. The texts "false" and "0" are not empty.
func Truthy(v any) bool {
	switch x := Plain(v).(type) {
	case nil:
		return false
	case bool:
		return x
	case string:
		return x != ""
	case SecretRef, Sealed, time.Time, map[string]any, []any:
		return true
	default:
		n, ok := ToNumber(x)
		return !ok || n.f != 0
	}
}

// Compare applies ==, !=, <, <=, > or >=. Both sides are compared as numbers if both read as numbers, as times if one is a time
// and the other reads as one, lists and objects member by member, and everything else as text. Values without an order
// compare false, and so do secrets. An unknown operator gives false.
func Compare(op string, a, b any) bool {
	result, _ := (&Meter{Left: DefaultCost}).Compare(op, a, b)
	return result
}

// Compare is [Compare] and subtracts its cost.
func (m *Meter) Compare(op string, a, b any) (bool, error) {
	a, b = Plain(a), Plain(b)
	if IsSecret(a) || IsSecret(b) {
		return false, nil
	}
	switch op {
	case "==":
		return m.equal(a, b)
	case "!=":
		same, err := m.equal(a, b)
		return !same, err
	}
	order, ok := Order(a, b)
	if !ok {
		return false, m.Charge(1)
	}
	var result bool
	switch op {
	case "<":
		result = order < 0
	case "<=":
		result = order <= 0
	case ">":
		result = order > 0
	case ">=":
		result = order >= 0
	}
	return result, m.Charge(1)
}

// Order compares two numbers or two times; false means that there is no order. One of two times may be a text: two texts that
// happen to read as times have none.
func Order(a, b any) (int, bool) {
	if x, ok := ToNumber(a); ok {
		if y, ok := ToNumber(b); ok {
			return x.Compare(y), true
		}
	}
	x, isTime := a.(time.Time)
	y, isTimeToo := b.(time.Time)
	switch {
	case isTime && isTimeToo:
	case isTime:
		text, _ := b.(string)
		y, isTimeToo = parseTime(text, x.Location())
	case isTimeToo:
		text, _ := a.(string)
		x, isTime = parseTime(text, y.Location())
	}
	return x.Compare(y), isTime && isTimeToo
}

// equal compares two plain values.
func (m *Meter) equal(a, b any) (bool, error) {
	if IsSecret(a) || IsSecret(b) {
		return false, m.Charge(1)
	}
	if order, ok := Order(a, b); ok {
		return order == 0, m.Charge(1)
	}
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return x == y, m.ChargeText(min(len(x), len(y)))
		}
	}
	if x, ok := List(a); ok {
		if y, ok := List(b); ok {
			return m.equalLists(x, y)
		}
	}
	if x, ok := Object(a); ok {
		if y, ok := Object(b); ok {
			return m.equalObjects(x, y)
		}
	}
	x, err := m.Text(a)
	if err != nil {
		return false, err
	}
	y, err := m.Text(b)
	return x == y, err
}

func (m *Meter) equalLists(a, b []any) (bool, error) {
	if len(a) != len(b) {
		return false, m.Charge(1)
	}
	for i := range a {
		same, err := m.equal(Plain(a[i]), Plain(b[i]))
		if err != nil || !same {
			return false, err
		}
	}
	return true, m.Charge(1)
}

func (m *Meter) equalObjects(a, b map[string]any) (bool, error) {
	if len(a) != len(b) {
		return false, m.Charge(1)
	}
	for _, key := range Keys(a) {
		other, ok := b[key]
		if !ok {
			return false, m.Charge(1)
		}
		same, err := m.equal(Plain(a[key]), Plain(other))
		if err != nil || !same {
			return false, err
		}
	}
	return true, m.Charge(1)
}

// Contains looks for a member of a list that compares equal, a key of an object, or a part of a text. A missing value is contained in
// no value and contains none.
func (m *Meter) Contains(whole, part any) (bool, error) {
	whole, part = Plain(whole), Plain(part)
	if IsSecret(whole) || IsSecret(part) || whole == nil {
		return false, m.Charge(1)
	}
	if list, ok := List(whole); ok {
		for _, item := range list {
			same, err := m.Compare("==", item, part)
			if err != nil || same {
				return same, err
			}
		}
		return false, m.Charge(1)
	}
	if part == nil {
		return false, m.Charge(1)
	}
	needle, err := m.Text(part)
	if err != nil {
		return false, err
	}
	if object, ok := Object(whole); ok {
		_, ok := object[needle]
		return ok, m.Charge(1)
	}
	text, err := m.Text(whole)
	return err == nil && strings.Contains(text, needle), err
}
