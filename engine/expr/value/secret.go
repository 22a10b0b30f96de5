package value

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Secrets is the value of the name "secret" in a scope that allows secrets: that of a tool's parameters. secret.NAME then
// gives a SecretRef. With any other value in the scope it gives nil.
type Secrets struct{}

// SecretRef refers to a secret, which is read only when the tool is called. It renders as its redaction in texts, JSON and formatted output,
// compares false with everything, and has no members.
type SecretRef struct {
	Name string
}

// String gives the redaction.
func (r SecretRef) String() string { return "«secret " + r.Name + "»" }

// GoString gives the redaction.
func (r SecretRef) GoString() string { return r.String() }

// MarshalJSON gives the redaction: a stored reference can never be unsealed.
func (r SecretRef) MarshalJSON() ([]byte, error) { return json.Marshal(r.String()) }

// Sealed is a text with secrets in it, such as "Bearer {{secret.TOKEN}}" after rendering. Only a template makes one.
type Sealed struct {
	parts []any // string or SecretRef
}

// Seal makes a text of parts that are strings, SecretRefs and Sealed texts.
func Seal(parts []any) Sealed {
	var s Sealed
	for _, part := range parts {
		if inner, ok := part.(Sealed); ok {
			s.parts = append(s.parts, inner.parts...)
			continue
		}
		s.parts = append(s.parts, part)
	}
	return s
}

// String gives the text with redactions.
func (s Sealed) String() string { return fmt.Sprint(Redacted(s)) }

// GoString gives the text with redactions.
func (s Sealed) GoString() string { return s.String() }

// MarshalJSON gives the text with redactions.
func (s Sealed) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// IsSecret tells whether a value is a secret or a text with secrets in it.
func IsSecret(v any) bool {
	switch v.(type) {
	case SecretRef, Sealed, Secrets:
		return true
	}
	return false
}

// Unseal replaces every SecretRef and Sealed text in v by its secrets, deeply through objects and lists, and returns the
// result; v itself is not changed. resolve is called for every use. Only values of these two types are replaced, so data that
// merely looks like a reference stays data. An error of resolve is returned with the name of the secret.
func Unseal(v any, resolve func(name string) (string, error)) (any, error) {
	return replaceSecrets(v, func(r SecretRef) (string, error) {
		text, err := resolve(r.Name)
		if err != nil {
			return "", fmt.Errorf("secret %s: %w", r.Name, err)
		}
		return text, nil
	})
}

// Redacted gives a copy of v in which every secret is the plain text «secret NAME», to be shown and stored. v itself is not
// changed.
func Redacted(v any) any {
	redacted, _ := replaceSecrets(v, func(r SecretRef) (string, error) { return r.String(), nil })
	return redacted
}

func replaceSecrets(v any, with func(SecretRef) (string, error)) (any, error) {
	return Each(v, func(leaf any) (any, error) {
		switch x := leaf.(type) {
		case SecretRef:
			return with(x)
		case Secrets:
			return nil, nil
		case Sealed:
			return x.open(with)
		}
		return leaf, nil
	})
}

func (s Sealed) open(with func(SecretRef) (string, error)) (any, error) {
	var b strings.Builder
	for _, part := range s.parts {
		if ref, ok := part.(SecretRef); ok {
			opened, err := with(ref)
			if err != nil {
				return nil, err
			}
			part = opened
		}
		text, _ := part.(string)
		b.WriteString(text)
	}
	return b.String(), nil
}
