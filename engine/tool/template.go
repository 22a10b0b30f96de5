package tool

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// template is a text of an action with parameters and secrets in it.
type template struct {
	parts []templatePart
}

// templatePart is literal text, or the name of a parameter or secret.
type templatePart struct {
	literal, param, secret string
}

var (
	paramForm    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	secretPrefix = "secret."
)

// parseTemplate reads "a {{param}} b {{secret.NAME}}". Anything else between the braces is an error: expressions belong
// to the flow that calls the action.
func parseTemplate(text string) (template, error) {
	var t template
	for {
		before, rest, found := strings.Cut(text, "{{")
		if before != "" {
			t.parts = append(t.parts, templatePart{literal: before})
		}
		if !found {
			return t, nil
		}
		inner, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return t, errors.New("{{ is not closed by }}")
		}
		inner = strings.TrimSpace(inner)
		name, isSecret := strings.CutPrefix(inner, secretPrefix)
		switch {
		case isSecret && paramForm.MatchString(name):
			t.parts = append(t.parts, templatePart{secret: name})
		case paramForm.MatchString(inner):
			t.parts = append(t.parts, templatePart{param: inner})
		default:
			return t, fmt.Errorf("{{%s}} is neither a parameter nor secret.NAME; filters and expressions belong to the flow", inner)
		}
		text = after
	}
}

// params lists the parameters, in order.
func (t template) params() []string {
	var names []string
	for _, p := range t.parts {
		if p.param != "" {
			names = append(names, p.param)
		}
	}
	return names
}

// secrets lists the secrets, in order.
func (t template) secrets() []string {
	var names []string
	for _, p := range t.parts {
		if p.secret != "" {
			names = append(names, p.secret)
		}
	}
	return names
}

// sole is the parameter when the text is nothing but that.
func (t template) sole() (string, bool) {
	if len(t.parts) == 1 && t.parts[0].param != "" {
		return t.parts[0].param, true
	}
	return "", false
}

// render puts the text together; value gives what stands for a parameter or secret.
func (t template) render(value func(p templatePart) (string, error)) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.param == "" && p.secret == "" {
			b.WriteString(p.literal)
			continue
		}
		text, err := value(p)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}
