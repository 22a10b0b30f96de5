package flow

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow/reference"
)

// contextRoots are the first words of context paths.
var contextRoots = []string{
	"event", "inputs", "input", "vars", "nodes", "approvals", "previous", "error", "run", "secret", "state", "output",
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// Expression checks an expression: its syntax, and that it reads no secret.
func (v *Checker) Expression(a At, src string) {
	if strings.TrimSpace(src) != "" && v.syntax(a, src, v.Checks.Expression, "bad-expression") {
		v.noSecret(a, src, 0)
	}
}

func (v *Checker) syntax(a At, src string, check func(string, []string) (int, string, string, bool), code string) bool {
	if check == nil || v.Flow.Profile != ProfileNative { // importers report broken expressions at the node, when it runs
		return true
	}
	offset, message, hint, ok := check(src, v.IDs)
	if !ok {
		v.Report(a, offset, SeverityError, code, message+a.On, hint)
	}
	return ok
}

// Templates checks every string in a free value.
func (v *Checker) Templates(a At, value any, secrets bool) {
	switch value := value.(type) {
	case string:
		v.Template(a, value, secrets)
	case []any:
		for i, item := range value {
			b := a
			b.Path = fmt.Sprintf("%s[%d]", a.Path, i)
			v.Templates(b, item, secrets)
		}
	case map[string]any:
		for _, key := range sortedKeys(value) {
			v.Templates(a.In(key), value[key], secrets)
		}
	}
}

// Template checks text with {{ }}. secrets allows secret.NAME in it.
func (v *Checker) Template(a At, src string, secrets bool) {
	if !strings.Contains(src, "{{") || !v.syntax(a, src, v.Checks.Template, "bad-template") {
		return
	}
	if !secrets {
		v.SecretFree(a, src)
	}
}

// SecretFree reports secrets in text that goes to a model or to people.
func (v *Checker) SecretFree(a At, src string) {
	for _, part := range reference.InTemplate(src) {
		v.noSecret(a, part.Text, part.Offset)
	}
}

// noSecret reports secrets in an expression that begins at an offset of a text.
func (v *Checker) noSecret(a At, expr string, offset int) {
	for _, ref := range reference.In(expr) {
		if strings.HasPrefix(ref.Text, "secret.") {
			v.Report(a, offset+ref.Offset, SeverityError, "secret-outside-params", fmt.Sprintf("'%s' is only for the params of a tool%s", ref.Text, a.On),
				"secrets never reach models, people or conditions")
		}
	}
}

var (
	secretName  = regexp.MustCompile(`(?i)(^|[_-])(password|passwd|secret|token|api[_-]?key|apikey|authorization|private[_-]?key|credential)s?$`)
	secretValue = regexp.MustCompile(`^(?:(?:Bearer|Basic) [A-Za-z0-9+/=._-]{12,}|xox[abprs]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}|sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{12,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\..*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*)$`)
)

// IsSecret reports whether a text has the form of a well-known kind of secret, such as a token of Slack or a private key.
func IsSecret(text string) bool {
	return !strings.Contains(text, "{{") && secretValue.MatchString(strings.TrimSpace(text))
}

// literalSecrets warns about parameters that look like secrets written into the flow.
func (v *Checker) literalSecrets(a At, key string, value any) {
	switch value := value.(type) {
	case string:
		named := secretName.MatchString(key) && len(value) >= 8 && !strings.ContainsAny(value, " \n")
		if IsSecret(value) || named && !strings.Contains(value, "{{") {
			v.Warn(a, "literal-secret", "this looks like a secret written into the flow"+a.On, "store it as a secret and write {{secret.NAME}}")
		}
	case []any:
		for i, item := range value {
			b := a
			b.Path = fmt.Sprintf("%s[%d]", a.Path, i)
			v.literalSecrets(b, key, item)
		}
	case map[string]any:
		for _, k := range sortedKeys(value) {
			v.literalSecrets(a.In(k), k, value[k])
		}
	}
}
