package secret

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Redactor replaces the values of secrets by their names. A nil Redactor changes nothing. It is safe for concurrent use.
type Redactor struct {
	replacer *strings.Replacer // nil = nothing is secret
}

// minEncoded is the number of characters an encoded form must have to be worth looking for: shorter ones would be found
// in texts that have nothing to do with the secret.
const minEncoded = 6

// NewRedactor makes a redactor for secrets by name. Values shorter than four characters are left alone.
func NewRedactor(values map[string]string) *Redactor {
	type form struct{ text, name string }
	var forms []form
	for name, value := range values {
		if len([]rune(value)) < minLength {
			continue
		}
		for _, text := range encodings(value) {
			forms = append(forms, form{text, name})
		}
	}
	if len(forms) == 0 {
		return &Redactor{}
	}
	// The first matching pair wins, so the longest form must come first: a secret that contains another one is
	// replaced as a whole.
	slices.SortFunc(forms, func(a, b form) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.text, b.text), cmp.Compare(a.name, b.name))
	})
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range forms {
		pairs = append(pairs, f.text, Mark(f.name))
	}
	return &Redactor{replacer: strings.NewReplacer(pairs...)}
}

// Mark is what stands in a text in the place of a secret.
func Mark(name string) string { return "«secret " + name + "»" }

// encodings lists the forms in which a value may come back: as it is, escaped for JSON or a URL, and in base64 alone or
// inside something longer, such as user:password.
func encodings(value string) []string {
	forms := []string{value}
	if escaped, err := json.Marshal(value); err == nil {
		forms = append(forms, string(escaped[1:len(escaped)-1]))
	}
	forms = append(forms, url.QueryEscape(value), url.PathEscape(value))
	if trimmed := strings.TrimSpace(value); len([]rune(trimmed)) >= minLength {
		forms = append(forms, trimmed)
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(value)))
		for shift := range 3 {
			if core := base64Core(encoding, value, shift); len(core) >= minEncoded {
				forms = append(forms, core)
			}
		}
	}
	return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(forms))), func(s string) bool { return s == "" })
}

// base64Core is the part of the encoding that depends on the value alone when it stands after shift bytes of something
// else (modulo 3) and before anything.
func base64Core(encoding *base64.Encoding, value string, shift int) string {
	encoded := encoding.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, shift), value...))
	skip := [...]int{0, 2, 3}[shift] // characters that also hold bits of what stands before
	whole := (shift + len(value)) * 8 / 6
	if skip >= whole {
		return ""
	}
	return encoded[skip:whole]
}

// Redact gives the text with every secret replaced by «secret NAME».
func (r *Redactor) Redact(text string) string {
	if r == nil || r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}

// RedactValue gives a copy of a JSON-like value with secrets replaced in all its texts, keys included. Errors become
// their text; other values that JSON decoding does not make are kept, unless their String method shows a secret.
func (r *Redactor) RedactValue(v any) any {
	if r == nil || r.replacer == nil {
		return v
	}
	switch v := v.(type) {
	case string:
		return r.Redact(v)
	case []byte:
		return []byte(r.Redact(string(v)))
	case json.RawMessage:
		return json.RawMessage(r.Redact(string(v)))
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = r.RedactValue(item)
		}
		return out
	case []string:
		out := make([]string, len(v))
		for i, item := range v {
			out[i] = r.Redact(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[r.Redact(key)] = r.RedactValue(item)
		}
		return out
	case map[string]string:
		out := make(map[string]string, len(v))
		for key, item := range v {
			out[r.Redact(key)] = r.Redact(item)
		}
		return out
	case error:
		return r.Redact(v.Error())
	case fmt.Stringer:
		if text := v.String(); r.Redact(text) != text {
			return r.Redact(text)
		}
	}
	return v
}
