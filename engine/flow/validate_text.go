package flow

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// contextRoots are the first words of context paths.
var contextRoots = []string{
	"event", "inputs", "input", "vars", "nodes", "approvals", "previous", "error", "run", "secret", "state", "output",
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// expression checks an expression: its syntax, then the names it reads.
func (v *validator) expression(a at, src string) {
	if strings.TrimSpace(src) == "" {
		return
	}
	if !v.syntax(a, src, v.checks.Expression, "bad-expression") {
		return
	}
	v.names(a, src, 0, false)
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
	for _, part := range templateParts(src) {
		v.names(a, part.text, part.offset, secrets)
	}
}

// startTemplate checks a template that is rendered before any node has run.
func (v *validator) startTemplate(a at, src string) {
	v.template(a, src, false)
	for _, part := range templateParts(src) {
		for _, ref := range references(part.text) {
			root, _, _ := strings.Cut(ref.text, ".")
			if v.f.Node(v.longestID(ref.text)) != nil || slices.Contains([]string{"nodes", "approvals", "previous"}, root) {
				v.report(a, part.offset+ref.offset, SeverityError, "too-early",
					fmt.Sprintf("'%s' is not known yet when a run starts%s", ref.text, a.on), "use inputs, event or run")
			}
		}
	}
}

// secretFree reports secrets in text that goes to a model or to people.
func (v *validator) secretFree(a at, src string) {
	for _, part := range templateParts(src) {
		for _, ref := range references(part.text) {
			if strings.HasPrefix(ref.text, "secret.") {
				v.secret(a, part.offset+ref.offset, ref.text)
			}
		}
	}
}

func (v *validator) secret(a at, offset int, name string) {
	v.report(a, offset, SeverityError, "secret-outside-params", fmt.Sprintf("'%s' is only for the params of a tool%s", name, a.on),
		"secrets never reach models, people or conditions")
}

type textPart struct {
	text   string
	offset int
}

// templateParts cuts the expressions out of a template. Braces inside quotes do not end one.
func templateParts(src string) []textPart {
	var parts []textPart
	for from := 0; ; {
		open := strings.Index(src[from:], "{{")
		if open < 0 {
			return parts
		}
		start := from + open + 2
		end, quote := start, byte(0)
		for ; end < len(src); end++ {
			c := src[end]
			if quote != 0 {
				if c == '\\' {
					end++
				} else if c == quote {
					quote = 0
				}
				continue
			}
			if c == '\'' || c == '"' {
				quote = c
			} else if strings.HasPrefix(src[end:], "}}") {
				break
			}
		}
		end = min(end, len(src))
		parts = append(parts, textPart{src[start:end], start})
		from = min(end+2, len(src))
	}
}

var dotted = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_]*(?:\s*\.\s*[\p{L}_][\p{L}\p{N}_-]*|\[\s*(?:'[^']*'|"[^"]*")\s*\])*`)

var indexed = regexp.MustCompile(`\[\s*['"]([^'"]*)['"]\s*\]`)

// references finds the dotted names that an expression reads, outside of quotes: nodes["a-b"].x becomes nodes.a-b.x.
func references(expr string) []textPart {
	masked := maskQuotes(expr)
	var refs []textPart
	for _, span := range dotted.FindAllIndex(masked, -1) {
		if span[0] > 0 && (masked[span[0]-1] == '.' || masked[span[0]-1] == '?') {
			continue
		}
		text := strings.ReplaceAll(indexed.ReplaceAllString(expr[span[0]:span[1]], ".$1"), " ", "")
		refs = append(refs, textPart{text, span[0]})
	}
	return refs
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

var comparison = regexp.MustCompile(`approvals\.([A-Za-z0-9_-]+)\s*(?:==|!=)\s*(?:'([^']*)'|"([^"]*)")`)

// names checks what an expression reads: declared inputs, existing gates and nodes, choices that exist, secrets.
func (v *validator) names(a at, expr string, offset int, secrets bool) {
	if len(v.problems) >= maxProblems {
		return
	}
	for _, ref := range references(expr) {
		root, rest, _ := strings.Cut(ref.text, ".")
		place := offset + ref.offset
		switch {
		case rest == "":
		case root == "secret" && !secrets:
			v.secret(a, place, ref.text)
		case root == "inputs" && v.doc != nil && v.f.Profile == ProfileNative:
			v.inputRead(a, place, rest)
		case root == "approvals":
			v.gateRead(a, place, rest)
		case root == "nodes" && v.longestID(rest) == "":
			id, _, _ := strings.Cut(rest, ".")
			v.report(a, place, SeverityWarning, "unknown-name", fmt.Sprintf("there is no node '%s'%s", id, a.on), didYouMean(nearest(id, v.ids)))
		}
	}
	for _, m := range comparison.FindAllStringSubmatchIndex(expr, -1) {
		v.choiceRead(a, offset, expr, m)
	}
}

func (v *validator) inputRead(a at, offset int, path string) {
	name, _, _ := strings.Cut(path, ".")
	name, _, _ = strings.Cut(name, "-") // inputs have no hyphen: it is a subtraction
	if v.inputNamed(name) == nil && !slices.Contains([]string{"get", "keys", "values"}, name) {
		v.report(a, offset, SeverityWarning, "unknown-name", fmt.Sprintf("there is no input '%s'%s", name, a.on), didYouMean(nearest(name, v.inputNames())))
	}
}

func (v *validator) gates() []string {
	var ids []string
	for i := range v.f.Nodes {
		switch v.f.Nodes[i].Spec.(type) {
		case *ApprovalSpec, *AskSpec:
			ids = append(ids, v.f.Nodes[i].ID)
		}
	}
	return ids
}

func (v *validator) gateRead(a at, offset int, path string) {
	id := v.longestID(path)
	if n := v.f.Node(id); n != nil && slices.Contains(v.gates(), id) {
		return
	}
	name, _, _ := strings.Cut(path, ".")
	v.report(a, offset, SeverityWarning, "unknown-name", fmt.Sprintf("there is no gate '%s'%s", name, a.on), didYouMean(nearest(name, v.gates())))
}

// choiceRead warns about a comparison with a choice that the gate does not have.
func (v *validator) choiceRead(a at, offset int, expr string, m []int) {
	n := v.f.Node(expr[m[2]:m[3]])
	if n == nil {
		return
	}
	from, to := m[4], m[5]
	if from < 0 {
		from, to = m[6], m[7]
	}
	var choices []string
	switch s := n.Spec.(type) {
	case *ApprovalSpec:
		choices = s.Choices
	case *AskSpec:
		choices = s.Choices
	}
	choice := expr[from:to]
	if len(choices) == 0 || slices.Contains(choices, choice) || slices.Contains(reservedChoices, choice) {
		return
	}
	hint := didYouMean(nearest(choice, choices))
	if hint == "" {
		hint = "its choices are " + strings.Join(choices, ", ")
	}
	v.report(a, offset+from, SeverityWarning, "unknown-choice", fmt.Sprintf("'%s' is not a choice of '%s'%s", choice, n.ID, a.on), hint)
}

// maskQuotes blanks out quoted text, but not the quotes of an index such as nodes["a-b"].
func maskQuotes(expr string) []byte {
	masked := []byte(expr)
	for i := 0; i < len(masked); i++ {
		quote := masked[i]
		if quote != '\'' && quote != '"' {
			continue
		}
		index := strings.HasSuffix(strings.TrimRight(expr[:i], " "), "[")
		end := i + 1
		for end < len(expr) && expr[end] != quote {
			if expr[end] == '\\' {
				end++
			}
			end++
		}
		for k := i; k <= end && k < len(masked) && !index; k++ {
			masked[k] = ' '
		}
		i = end
	}
	return masked
}

var (
	secretName  = regexp.MustCompile(`(?i)(^|[_-])(password|passwd|secret|token|api[_-]?key|apikey|authorization|private[_-]?key|credential)s?$`)
	secretValue = regexp.MustCompile(`^(?:(?:Bearer|Basic) [A-Za-z0-9+/=._-]{12,}|xox[abprs]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}|sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{12,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\..*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*)$`)
)

// literalSecrets warns about parameters that look like secrets written into the flow.
func (v *validator) literalSecrets(a at, key string, value any) {
	switch value := value.(type) {
	case string:
		named := secretName.MatchString(key) && len(value) >= 8 && !strings.ContainsAny(value, " \n")
		if !strings.Contains(value, "{{") && (named || secretValue.MatchString(strings.TrimSpace(value))) {
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
