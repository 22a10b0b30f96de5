package expr

import (
	"encoding/json"
	"time"
)

// Truthy tells whether a value counts as true: a non-empty text, a non-zero number, true, any object
// and any list, even an empty one (S3-x02). The texts "false" and "0" are not empty.
func Truthy(v any) bool {
	switch x := plain(v).(type) {
	case nil:
		return false
	case bool:
		return x
	case string:
		return x != ""
	case json.Number:
		n, ok := toNumber(x)
		return !ok || n.f != 0
	case SecretRef, Sealed, time.Time, map[string]any, []any:
		return true
	default:
		n, ok := toNumber(x)
		return !ok || n.f != 0
	}
}

// Compare applies ==, !=, <, <=, > or >= (S3-x03). Both sides are compared as numbers if both read as
// numbers, as times if one is a time and the other reads as one, lists and objects member by member,
// and everything else as text. An order between things that have none is false, and so is everything
// about a secret. An unknown operator gives false.
func Compare(op string, a, b any) bool {
	result, _ := (&meter{left: DefaultCost}).compare(op, a, b)
	return result
}

func (m *meter) compare(op string, a, b any) (bool, error) {
	a, b = plain(a), plain(b)
	if isSecret(a) || isSecret(b) {
		return false, nil
	}
	switch op {
	case "==":
		return m.equal(a, b)
	case "!=":
		same, err := m.equal(a, b)
		return !same, err
	}
	order, ok := ordered(a, b)
	if !ok {
		return false, m.charge(1)
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
	return result, m.charge(1)
}

// ordered compares two numbers or two times; false means that there is no order.
func ordered(a, b any) (int, bool) {
	if x, ok := toNumber(a); ok {
		if y, ok := toNumber(b); ok {
			return compareNumbers(x, y), true
		}
	}
	return orderedTimes(a, b)
}

// orderedTimes needs at least one real time: two texts that happen to read as times stay texts.
func orderedTimes(a, b any) (int, bool) {
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

// equal takes plain values.
func (m *meter) equal(a, b any) (bool, error) {
	if isSecret(a) || isSecret(b) {
		return false, m.charge(1)
	}
	if order, ok := ordered(a, b); ok {
		return order == 0, m.charge(1)
	}
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return x == y, m.chargeText(min(len(x), len(y)))
		}
	}
	if x, ok := elements(a); ok {
		if y, ok := elements(b); ok {
			return m.equalLists(x, y)
		}
	}
	if x, ok := fields(a); ok {
		if y, ok := fields(b); ok {
			return m.equalObjects(x, y)
		}
	}
	x, err := m.text(a)
	if err != nil {
		return false, err
	}
	y, err := m.text(b)
	return x == y, err
}

func (m *meter) equalLists(a, b []any) (bool, error) {
	if len(a) != len(b) {
		return false, m.charge(1)
	}
	for i := range a {
		same, err := m.equal(plain(a[i]), plain(b[i]))
		if err != nil || !same {
			return false, err
		}
	}
	return true, m.charge(1)
}

func (m *meter) equalObjects(a, b map[string]any) (bool, error) {
	if len(a) != len(b) {
		return false, m.charge(1)
	}
	for _, key := range sortedKeys(a) {
		other, ok := b[key]
		if !ok {
			return false, m.charge(1)
		}
		same, err := m.equal(plain(a[key]), plain(other))
		if err != nil || !same {
			return false, err
		}
	}
	return true, m.charge(1)
}
