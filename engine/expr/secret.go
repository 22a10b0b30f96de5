package expr

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Secrets is what a Scope gives for the name "secret" where secrets may be used: in the parameters of
// a tool. secret.NAME then yields a SecretRef. Where the scope gives anything else, it yields nil.
type Secrets struct{}

// SecretRef stands for a secret until the moment of the call. It renders as its redaction in texts,
// JSON and formatted output, compares false with everything, and has no members.
type SecretRef struct {
	Name string
}

// String gives the redaction.
func (r SecretRef) String() string { return "«secret " + r.Name + "»" }

// GoString gives the redaction.
func (r SecretRef) GoString() string { return r.String() }

// MarshalJSON gives the redaction: what is stored can never be unsealed again.
func (r SecretRef) MarshalJSON() ([]byte, error) { return json.Marshal(r.String()) }

// Sealed is a text with secrets in it, such as "Bearer {{secret.TOKEN}}" after rendering. Only a
// template makes one.
type Sealed struct {
	parts []any // string or SecretRef
}

// String gives the text with redactions.
func (s Sealed) String() string {
	var b strings.Builder
	for _, part := range s.parts {
		fmt.Fprint(&b, part)
	}
	return b.String()
}

// GoString gives the text with redactions.
func (s Sealed) GoString() string { return s.String() }

// MarshalJSON gives the text with redactions.
func (s Sealed) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

func isSecret(v any) bool {
	switch v.(type) {
	case SecretRef, Sealed, Secrets:
		return true
	}
	return false
}

// seal makes a text of parts that are strings, SecretRefs and Sealed texts.
func seal(parts []any) Sealed {
	var flat []any
	for _, part := range parts {
		if inner, ok := part.(Sealed); ok {
			flat = append(flat, inner.parts...)
			continue
		}
		flat = append(flat, part)
	}
	return Sealed{parts: flat}
}

// Unseal puts secrets in the place of every SecretRef and Sealed text in v, deeply through objects and
// lists, and returns the result; v itself is not changed. resolve is called for every use. Only values
// of these two types are replaced, so data that merely looks like a reference stays data. An error of
// resolve is returned with the name of the secret.
func Unseal(v any, resolve func(name string) (string, error)) (any, error) {
	return replaceSecrets(v, func(r SecretRef) (string, error) {
		value, err := resolve(r.Name)
		if err != nil {
			return "", fmt.Errorf("secret %s: %w", r.Name, err)
		}
		return value, nil
	})
}

// Redacted gives v with «secret NAME» in the place of every secret, as plain texts, to be shown and
// stored. v itself is not changed.
func Redacted(v any) any {
	redacted, _ := replaceSecrets(v, func(r SecretRef) (string, error) { return r.String(), nil })
	return redacted
}

func replaceSecrets(v any, with func(SecretRef) (string, error)) (any, error) {
	switch x := v.(type) {
	case SecretRef:
		return with(x)
	case Secrets:
		return nil, nil
	case Sealed:
		var b strings.Builder
		for _, part := range x.parts {
			text, ok := part.(string)
			if ref, isRef := part.(SecretRef); isRef && !ok {
				value, err := with(ref)
				if err != nil {
					return nil, err
				}
				text = value
			}
			b.WriteString(text)
		}
		return b.String(), nil
	case map[string]any:
		replaced := make(map[string]any, len(x))
		for key, value := range x {
			var err error
			if replaced[key], err = replaceSecrets(value, with); err != nil {
				return nil, err
			}
		}
		return replaced, nil
	case []any:
		replaced := make([]any, len(x))
		for i, value := range x {
			var err error
			if replaced[i], err = replaceSecrets(value, with); err != nil {
				return nil, err
			}
		}
		return replaced, nil
	}
	return v, nil
}
