package expr

import "sluice/engine/expr/value"

// The values of expressions, see [value].
type (
	Getter    = value.Getter
	Plainer   = value.Plainer
	Secrets   = value.Secrets
	SecretRef = value.SecretRef
)

// defaultCost limits an evaluation to about a tenth of a second and 6.4 MB of text.
const defaultCost = value.DefaultCost

// ErrCost is wrapped by the error of an evaluation that exceeds Options.MaxCost.
var ErrCost = value.ErrCost

// Text is [value.Text].
func Text(v any) string { return value.Text(v) }

// JSON is [value.JSON].
func JSON(v any) string { return value.JSON(v) }

// Truthy is [value.Truthy].
func Truthy(v any) bool { return value.Truthy(v) }

// Compare is [value.Compare].
func Compare(op string, a, b any) bool { return value.Compare(op, a, b) }

// Redacted is [value.Redacted].
func Redacted(v any) any { return value.Redacted(v) }

// Unseal is [value.Unseal].
func Unseal(v any, resolve func(name string) (string, error)) (any, error) {
	return value.Unseal(v, resolve)
}
