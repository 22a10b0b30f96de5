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

// expression checks an expression: its syntax, and that it reads no secret.
func (v *validator) expression(a at, src string) {
	if strings.TrimSpace(src) != "" && v.syntax(a, src, v.checks.Expression, "bad-expression") {
		v.noSecret(a, src, 0)
	}
}

func (v *validator) syntax(a at, src string, check func(string, []string) (int, string, string, bool), code string) bool {
	if check == nil || v.f.Profile != ProfileNative { // importers report broken expressions at the node, when it runs
		return true
	}
	offset, message, hint, ok := check(src, v.ids)
	if !ok {
		v.report(a, offset, SeverityError, code, message+a.on, hint)
	}
	return ok
}

// templates checks every string in a free value.
func (v *validator) templates(a at, value any, secrets bool) {
	switch value := value.(type) {
	case string:
		v.template(a, value, secrets)
	case []any:
		for i, item := range value {
			b := a
			b.path = fmt.Sprintf("%s[%d]", a.path, i)
			v.templates(b, item, secrets)
		}
	case map[string]any:
		for _, key := range sortedKeys(value) {
			v.templates(a.in(key), value[key], secrets)
		}
	}
}

// template checks text with {{ }}. secrets allows secret.NAME in it.
func (v *validator) template(a at, src string, secrets bool) {
	if !strings.Contains(src, "{{") || !v.syntax(a, src, v.checks.Template, "bad-template") {
		return
	}
	if !secrets {
		v.secretFree(a, src)
	}
}

// startTemplate checks a template that is rendered before any node has run.
func (v *validator) startTemplate(a at, src string) {
	v.template(a, src, false)
	for _, part := range reference.InTemplate(src) {
		for _, ref := range reference.In(part.Text) {
			root, _, _ := strings.Cut(ref.Text, ".")
			if v.f.Node(v.longestID(ref.Text)) != nil || slices.Contains([]string{"nodes", "approvals", "previous"}, root) {
				v.report(a, part.Offset+ref.Offset, SeverityError, "too-early",
					fmt.Sprintf("'%s' is not known yet when a run starts%s", ref.Text, a.on), "use inputs, event or run")
			}
		}
	}
}

// secretFree reports secrets in text that goes to a model or to people.
func (v *validator) secretFree(a at, src string) {
	for _, part := range reference.InTemplate(src) {
		v.noSecret(a, part.Text, part.Offset)
	}
}

// noSecret reports secrets in an expression that begins at an offset of a text.
func (v *validator) noSecret(a at, expr string, offset int) {
	for _, ref := range reference.In(expr) {
		if strings.HasPrefix(ref.Text, "secret.") {
			v.report(a, offset+ref.Offset, SeverityError, "secret-outside-params", fmt.Sprintf("'%s' is only for the params of a tool%s", ref.Text, a.on),
				"secrets never reach models, people or conditions")
		}
	}
}

// longestID finds the longest node id that a path begins with; ids may hold hyphens.
func (v *validator) longestID(path string) string {
	best := ""
	for _, id := range v.ids {
		if len(id) > len(best) && strings.HasPrefix(path, id) && (len(path) == len(id) || strings.IndexByte(".[- ", path[len(id)]) >= 0) {
			best = id
		}
	}
	return best
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
func (v *validator) literalSecrets(a at, key string, value any) {
	switch value := value.(type) {
	case string:
		named := secretName.MatchString(key) && len(value) >= 8 && !strings.ContainsAny(value, " \n")
		if IsSecret(value) || named && !strings.Contains(value, "{{") {
			v.warn(a, "literal-secret", "this looks like a secret written into the flow"+a.on, "store it as a secret and write {{secret.NAME}}")
		}
	case []any:
		for i, item := range value {
			b := a
			b.path = fmt.Sprintf("%s[%d]", a.path, i)
			v.literalSecrets(b, key, item)
		}
	case map[string]any:
		for _, k := range sortedKeys(value) {
			v.literalSecrets(a.in(k), k, value[k])
		}
	}
}
