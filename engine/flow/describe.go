package flow

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DisplayName is the node's name, or its id as words: "check-tier" becomes "Check tier".
func (n *Node) DisplayName() string {
	if n.Name != "" {
		return n.Name
	}
	return Words(n.ID)
}

// Words turns an id into words, only the first with a capital.
func Words(id string) string {
	fields := strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || r == '.' || unicode.IsSpace(r) })
	words := strings.Join(fields, " ")
	if words == "" {
		return id
	}
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

// Describe is a node's description, or what it does in a few words.
func (n *Node) Describe() string {
	if n.Description != "" {
		return n.Description
	}
	if n.Spec == nil {
		return ""
	}
	return n.Spec.describe(n)
}

func askWords(w *Who, message string) string {
	if w == nil || len(w.Groups)+len(w.Users) == 0 {
		return withoutTemplates(message)
	}
	who := w.names()
	if templateForm.MatchString(message) {
		return "asks " + who
	}
	return "asks " + who + ": " + message
}

var templateForm = regexp.MustCompile(`\{\{[^}]*\}\}`)

// ToolsOf names the tools that a step may call: its own, or those of its agent.
func (f *Flow) ToolsOf(n *Node) []string {
	if s, ok := n.Spec.(*AgentSpec); ok {
		if a := f.AgentByID(s.Agent); a != nil {
			return slices.Clone(a.Tools)
		}
		return nil
	}
	return n.Tools()
}

// withoutTemplates shows a message before the values of its templates are known.
func withoutTemplates(message string) string {
	return strings.TrimSpace(templateForm.ReplaceAllString(message, "…"))
}

// Slug turns words into a name of a flow: lower-case letters, digits and single hyphens; "" if nothing is left.
func Slug(words string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(words) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Literals are the parts of a template outside its expressions.
func Literals(template string) []string { return templateForm.Split(template, -1) }
