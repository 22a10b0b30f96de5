package value

import "errors"

// ErrCost is wrapped by the error of an evaluation that exceeds its cost limit.
var ErrCost = errors.New("the expression costs more than is allowed")

// DefaultCost limits an evaluation to about a tenth of a second and 6.4 MB of text.
const DefaultCost = 100_000

// Meter holds the units of work that an evaluation may still do. A unit is one operation, 64 bytes of text read or made, or 256 steps of a
// regular expression: about a microsecond or less.
type Meter struct{ Left int }

// Charge subtracts units. It gives ErrCost when too few are left.
func (m *Meter) Charge(units int) error {
	m.Left -= units
	if m.Left < 0 {
		return ErrCost
	}
	return nil
}

// ChargeText subtracts the cost of a text.
func (m *Meter) ChargeText(bytes int) error { return m.Charge(1 + bytes/64) }

// Text is [Text] and subtracts its cost.
func (m *Meter) Text(v any) (string, error) {
	s := Text(v)
	return s, m.ChargeText(len(s))
}
