package lower

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

var (
	// verbs begin a question that asks for a decision by itself.
	verbs = english.WordSet("approve confirm accept review check sign decide allow authorize authorise verify answer choose pick select")
	// oks are words for an approval, which is asked for by its name.
	oks = english.WordSet("ok okay oks okays")
	// states are words with which something is said to be so.
	states = english.WordSet("is are was were be been has have had does did gets must should will can unless until before once it's")
)

// gateMessage asks for what the words say, else for what is done next, with the values that led here.
func (b *values) gateMessage(s *tree.Step, choices []string, k known, c context) string {
	text := trimmed(s.Text)
	first, rest, _ := strings.Cut(text, " ")
	if first = strings.ToLower(first); phrase.Determiners[first] {
		text = first + text[len(first):] // "A request"
	}
	if verb := phrase.Base(first); verbs[verb] && verb != first { // "approves it"
		first, text = verb, verb+" "+rest
	}
	ask := b.inquiry(s, b.words(text, k))
	switch {
	case s.Kind == tree.Do:
		ask = b.words(english.SentenceCase(strings.TrimSpace(s.Text)), k)
	case text == "" && (phrase.Answers[strings.ToLower(choices[0])] == "" || s.Judges && len(s.Choices) > 0 || len(choices) > 2):
		ask = escape(english.Join(choices, "or")) + "?"
	case text == "":
		verb, rest, _ := strings.Cut(c.next, " ")
		next := strings.TrimSpace(cmp.Or(phrase.Base(strings.ToLower(verb)), verb) + " " + rest)
		object := c.made
		if first, _, _ := strings.Cut(strings.ToLower(next), " "); object == "" && (phrase.Verbs[first] || strings.HasSuffix(first, "ing")) { // no sentence
			object, next = english.Quoted(next), ""
		}
		ask = strings.TrimSpace("approve "+object) + "?"
		if next != "" {
			ask += " Next: " + english.Quoted(next) + "."
		}
		ask = escape(placeholder.ReplaceAllString(ask, "$1$2"))
	case first == "to":
		ask = b.words(strings.TrimPrefix(rest, "to "), k) + "?"
	case first == "whether" || first == "if":
	case first == "for":
		ask = "approve " + b.words(rest, k) + "?"
	case oks[first] && rest != "":
		ask = "approve " + b.words(rest, k) + "?"
	case !verbs[first] && slices.Equal(choices, flow.DefaultChoices()) && !strings.HasSuffix(strings.TrimSpace(s.Text), "?"):
		verb := "approve"
		if m := agreeing.FindStringSubmatch(b.before(s.Said)); m != nil {
			verb = strings.ToLower(m[1])
		}
		deed := phrase.Verbs[first] && !phrase.NounVerbs[first] && rest != "" // "permission to close early"
		if text = b.words(text, k); (stated(s.Text) || deed) && verb == "approve" {
			text = english.Quoted(text)
		}
		ask = verb + " " + text + "?"
	}
	return "{{run.title}}: " + ask + checked(c)
}

// What stands in front of the words of a question: that it was said indirectly, or the verb for the yes.
var (
	asksWhether = regexp.MustCompile(`(?i)\b(?:if|whether)\s+$`)
	agreeing    = regexp.MustCompile(`(?i)\b(sign|accept|confirm|authori[sz]e)\s+$`)
)

// before gives the words in front of a quote.
func (b *values) before(q tree.Quote) string {
	if q.Empty() {
		return ""
	}
	return b.t.Texts[q.Text].Words[:q.From]
}

// inquiry is what people are asked. A question of the author's own stays as it is.
func (b *values) inquiry(s *tree.Step, words string) string {
	if strings.HasSuffix(strings.TrimSpace(s.Text), "?") {
		return words + "?"
	}
	if asksWhether.MatchString(b.before(s.Said)) {
		words = "whether " + words
	}
	return english.Inquiry(words)
}

// stated reports whether words say what is done or is so, and name nothing that could be approved: "the truck is never loaded before that".
func stated(text string) bool {
	words := english.Scan(text)
	return slices.ContainsFunc(words, func(w english.Word) bool {
		return w.Kind == english.PlainWord && (english.Denials[w.Low] || states[w.Low])
	})
}

// does describes in words what a step does for certain: which branch of a decision is taken is not known.
func does(s *tree.Step) string {
	switch {
	case s.Kind == tree.Do || s.Kind == tree.Agent:
		return english.Plain(s.Text)
	case s.Kind != tree.Decide && len(s.Branches) > 0 && len(s.Branches[0].Steps) > 0:
		return does(&s.Branches[0].Steps[0])
	}
	return ""
}

// made describes in words what a step gives people to approve; before is what earlier steps gave them.
func made(s *tree.Step, before string) string {
	switch {
	case len(s.Fields) > 0:
		return "what " + english.Join(namesOf(s.Who), "or") + " gave (" + english.Join(fieldWords(s.Fields), "and") + ")"
	case trimmed(s.Text) == "" || english.Pronouns[strings.ToLower(trimmed(s.Text))]:
	case s.Kind == tree.Do && s.Doer == tree.DoerPerson:
		verb, rest, _ := strings.Cut(trimmed(s.Text), " ")
		return "what " + english.Join(namesOf(s.Who), "or") + " did (" + strings.TrimSpace(cmp.Or(phrase.Base(strings.ToLower(verb)), verb)+" "+rest) + ")"
	case s.Kind == tree.Agent || s.Approves():
		return english.Quoted(trimmed(s.Text))
	case s.Kind == tree.Do:
		return ""
	}
	return before
}

// checked lists the first values that the condition just before has read, with their names.
func checked(c context) string {
	const most = 3 // values that a question repeats
	var out []string
	for _, path := range c.facts {
		if name := lastName(path); name != "" && len(out) < most && !strings.HasPrefix(path, "approvals.") {
			out = append(out, fmt.Sprintf(" %s: {{%s}}.", english.SentenceCase(strings.ReplaceAll(name, "_", " ")), path))
		}
	}
	return strings.Join(out, "")
}

// lastName is the last name of a path.
func lastName(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 && flow.IsIdentifier(path[i+1:]) {
		return path[i+1:]
	}
	return ""
}

// shown lists what deciders see: what the words name, the results that the condition read, the nearest one, what the run was given, and what
// people answered before. That they approved or did something is left out.
func (b *values) shown(s *tree.Step, k known, c context) []string {
	var out []string
	add := func(path string) {
		if path != "" && path != "null" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, v := range s.Show {
		if form := b.steps[v.Ref.Step]; form != nil && form.Kind == tree.Ask && len(form.Fields) > 0 && v.Ref.Field == "" {
			for _, name := range fieldNames(form.Fields) {
				path, _ := b.result(form.ID, name)
				add(path)
			}
		} else if !v.Open() {
			add(b.expression(v))
		}
	}
	for _, path := range c.facts {
		for _, src := range k {
			if src.show && strings.HasPrefix(path, src.root+".") {
				add(src.root)
			}
		}
	}
	for _, near := range slices.Backward(k) {
		if near.show {
			add(near.root)
			break
		}
	}
	for _, name := range b.inside {
		add(name)
	}
	if len(b.t.Inputs) > 0 {
		add("inputs")
	}
	for _, src := range k {
		switch asked := b.steps[src.step]; {
		case asked == nil || asked.Kind != tree.Ask:
		case len(src.fields) > 0:
			for _, name := range src.fields {
				add(dotted(src.root, name))
			}
		case !asked.Approves():
			add(src.root)
		}
	}
	return out
}

// gateName says in the picture who does what.
func gateName(s *tree.Step, who []string) string {
	if s.Kind == tree.Do {
		return english.ShortName(placeholder.ReplaceAllString(s.Text, "$1$2"))
	}
	if len(who) == 0 { // they are not known yet
		who = namesOf(s.Who)
	}
	names, verb := english.Join(who, "or"), "approve"
	if s.Quorum > 1 && s.Quorum == len(who) {
		names = english.Join(who, "and")
	}
	switch {
	case len(who) == 0:
		names, verb = "Somebody", "approves"
	case len([]rune(names)) > english.NameLength-10 && len(who) > 1:
		names = fmt.Sprintf("%s and %d more", english.Shorten(who[0], english.NameLength-10), len(who)-1)
	case len(who) == 1:
		names, verb = english.Shorten(names, english.NameLength-4), "approves"
	}
	if len(s.Choices) > 0 && !slices.Equal(s.Choices, flow.DefaultChoices()) {
		verb = map[bool]string{true: "chooses", false: "choose"}[len(who) < 2]
	}
	return names + " " + verb
}

// formOf makes the fields of a form, in their order. It is never nil, so that more can be added: what comes later stands behind them.
func formOf(fields []tree.Field) map[string]flow.FormField {
	form := map[string]flow.FormField{}
	for i, f := range fields {
		form[fieldName(f.Name)] = flow.FormField{Type: valueType(f.Type), Required: f.Required, Order: i + 1, Enum: enumOf(valueType(f.Type), f.Enum)}
	}
	return form
}

// enumOf are the texts that a field of a type may have.
func enumOf(typ string, texts []string) (out []any) {
	for _, text := range texts {
		if typ == "string" {
			out = append(out, text)
		}
	}
	return out
}

// valueType is the type of the format for a type of the tree. Words that speak of a file mean its text, or where it is.
func valueType(t string) string {
	if slices.Contains(flow.ValueTypes(), t) && t != flow.TypeFile {
		return t
	}
	return "string"
}

// fieldName makes a name of a field that expressions can read.
func fieldName(name string) string {
	if flow.IsIdentifier(name) {
		return name
	}
	low := english.Snake(name)
	if !flow.IsIdentifier(low) {
		low = strings.Trim("field_"+low, "_")
	}
	return low
}

func fieldNames(fields []tree.Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, fieldName(f.Name))
	}
	return out
}

func fieldWords(fields []tree.Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, strings.ReplaceAll(cmp.Or(f.Name, "answer"), "_", " "))
	}
	return out
}

// schemaType is the type of a JSON Schema for a type of the tree.
func schemaType(t string) string {
	if slices.Contains([]string{"number", "integer", "boolean", "object", "array"}, t) {
		return t
	}
	return "string"
}
