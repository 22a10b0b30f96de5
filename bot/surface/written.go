package surface

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/view"
)

// asked is the message of a question, with the words of a language model as it meant them.
func asked(b gate.Body) card.Text { return card.Written(b.Opened.Message, b.Opened.Model) }

// shown is a value that a question shows.
func shown(s history.Shown) card.Text {
	switch v := s.Value.(type) {
	case string:
		if s.Model {
			return card.QuoteText(card.Markdown(v))
		}
	case map[string]any:
		if lines, ok := paragraphs(v); ok && s.Model {
			return lines
		}
	}
	return shownValue(s.Value)
}

// paragraphs writes an object of plain values in which a text has several lines, each value under its name; false when it is another one.
func paragraphs(m map[string]any) (card.Text, bool) {
	var all []card.Text
	long := false
	for _, k := range slices.Sorted(maps.Keys(m)) {
		switch value := m[k].(type) {
		case map[string]any, []any:
			return card.Text{}, false
		case string:
			long = long || strings.Contains(value, "\n")
			all = append(all, card.Textf("*%s*\n%s", strings.ReplaceAll(k, "_", " "), card.Markdown(value)))
		default:
			all = append(all, card.Textf("*%s*\n%v", strings.ReplaceAll(k, "_", " "), value))
		}
	}
	return card.QuoteText(card.Join("\n", all...)), long
}

// shownSections writes the values that a question shows, each under its name. Short answers of people are lines of one section.
func shownSections(v *view.View, values []history.Shown) (out []card.Section) {
	var answers []card.Text
	for _, s := range values {
		name, text := shownName(v, s.Name), fmt.Sprint(s.Value)
		_, isObject := s.Value.(map[string]any)
		_, isList := s.Value.([]any)
		if isAnswer(v, s.Name) && !isObject && !isList && s.Value != nil && len(text) <= 200 && !strings.Contains(text, "\n") {
			answers = append(answers, card.Textf(">%s: *%s*", name, text))
			continue
		}
		section := card.Section{Title: name, Text: shown(s)}
		if inputs, ok := s.Value.(map[string]any); ok && s.Name == "inputs" {
			if lines, flat := flatLines(inputs, inputNames(v.Flow)...); flat {
				section.Text = lines
			}
		}
		out = append(out, section)
	}
	if len(answers) > 0 {
		out = append(out, card.Section{Title: "Answered before", Text: card.Join("\n", answers...)})
	}
	return out
}

// inputNames are the names of what a run is given, in the order of the flow.
func inputNames(f *flow.Flow) (out []string) {
	for _, in := range f.Inputs {
		out = append(out, in.Name)
	}
	return out
}

// isAnswer reports whether a shown value is what people have answered.
func isAnswer(v *view.View, path string) bool {
	head, _, _ := strings.Cut(path, ".")
	n := v.Flow.Node(head)
	return head == "approvals" || n != nil && n.Kind == flow.KindAsk
}

// shownName calls a shown value by the step that it comes from.
func shownName(v *view.View, path string) string {
	head, rest, _ := strings.Cut(path, ".")
	n := v.Flow.Node(head)
	if n == nil && (head == "inputs" || head == "input" || head == "vars") && rest != "" {
		return flow.Words(rest)
	}
	if node, field, _ := strings.Cut(rest, "."); head == "approvals" && v.Flow.Node(node) != nil {
		return cmp.Or(flow.Words(field), v.Flow.Node(node).DisplayName())
	}
	if n == nil {
		return flow.Words(path)
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(rest, "result"), "output"), ".")
	if rest == "" {
		return n.DisplayName()
	}
	return n.DisplayName() + ": " + strings.ReplaceAll(rest, ".", " ")
}
