package secret

import (
	"context"
	"errors"
	"regexp"
)

// Source gives secrets for one use at a time. Implementations are safe for concurrent use.
type Source interface {
	// Resolve gives the value of a secret for one use. Its errors name the setting to change, never a value; they wrap
	// [ErrMissing] or [ErrNotBound].
	Resolve(ctx context.Context, name string, use Use) (string, error)
}

// Use is what a secret is wanted for.
type Use struct {
	Flow string // name of the flow; empty outside a flow
	Tool string // name of the tool
	// Host is where the value would go: a host name in lower case, with the port unless the call is https on 443.
	// Empty means nowhere in particular, which no secret is bound to.
	Host string
	// Declared says that the operator's own declaration of the tool names the secret, not a parameter given by a flow.
	Declared bool
}

// Why a secret was not given.
var (
	ErrMissing  = errors.New("the secret is not set")
	ErrNotBound = errors.New("the secret may not be used here")
)

var nameForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// ValidName reports whether name can be a secret's name: capitals, digits and underscores, and not one of the forms that
// say where a secret may be used (X_HOSTS, X_FLOWS).
func ValidName(name string) bool {
	_, suffix := binding(name)
	return nameForm.MatchString(name) && suffix == ""
}
