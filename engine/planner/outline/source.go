package outline

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// source is a text of the tree. Its methods read what means the same wherever it stands: values, conditions, times, lists.
type source struct {
	text int
	src  string
	seen func(*Form) // told of each form that fits; nil outside of tests
}

// words are the words of tokens as they stand in the text.
func (r source) words(toks []phrase.Token) string {
	if len(toks) == 0 {
		return ""
	}
	return r.src[toks[0].From:toks[len(toks)-1].To]
}

// plain is words without quotes around them.
func (r source) plain(toks []phrase.Token) string {
	if len(toks) == 1 && toks[0].Kind == phrase.Quoted {
		return toks[0].Text
	}
	return r.words(toks)
}

func (r source) quote(toks []phrase.Token) tree.Quote {
	if len(toks) == 0 {
		return tree.Quote{}
	}
	return tree.Quote{Text: r.text, From: toks[0].From, To: toks[len(toks)-1].To}
}

// quotes is quote as a list without signs at the ends; nil for no words.
func (r source) quotes(toks []phrase.Token) []tree.Quote {
	if q := r.quote(phrase.Trim(toks)); !q.Empty() {
		return []tree.Quote{q}
	}
	return nil
}

// note says that a form was read.
func (r source) note(f *Form) {
	if r.seen != nil {
		r.seen(f)
	}
}

// choices reads answers: "approve, ask for changes or reject".
func (r source) choices(toks []phrase.Token) (out []string) {
	for _, part := range phrase.Alternatives(toks, true) {
		out = append(out, r.plain(part))
	}
	return out
}

// acts reads answers that are verbs: "approves, asks for a change or rejects the request". What the last one is about is the text.
func (r source) acts(s *tree.Step, toks []phrase.Token) (out []string) {
	parts := phrase.Alternatives(toks, true)
	last := parts[len(parts)-1]
	if i := slices.IndexFunc(last, func(t phrase.Token) bool { return phrase.Determiners[t.Low] }); i == 1 {
		s.Text, s.Said = r.words(last[i:]), r.quote(last[i:])
		parts[len(parts)-1] = last[:i]
	}
	for _, p := range parts {
		verb, rest := p[0].Low, r.words(p[1:])
		if base := strings.TrimSuffix(verb, "s"); phrase.Verbs[base] || phrase.Answers[base] != "" {
			verb = base
		}
		if base := strings.TrimSuffix(verb, "ie") + "y"; phrase.Answers[base] != "" {
			verb = base
		}
		out = append(out, strings.TrimSpace(verb+" "+rest))
	}
	return out
}

// fields reads the fields of a form: "the date and a reason".
func (r source) fields(toks []phrase.Token) (out []tree.Field) {
	for _, part := range phrase.Alternatives(toks, false) {
		in, ok := r.input(part)
		if !ok {
			in = tree.Input{Name: english.Snake(r.words(part))}
		}
		if in.Type == "file" {
			in.Type = ""
		}
		if in.Name != "" {
			out = append(out, tree.Field{Name: in.Name, Type: in.Type, Required: !in.Optional, At: r.quote(part)})
		}
	}
	return out
}

// typed are nouns that say what type a value has.
var typed = map[string]string{
	"date": "date", "day": "date", "dates": "date", "amount": "number", "number": "", "price": "number", "total": "number", "quantity": "number", "count": "integer",
	"days": "number", "weeks": "number", "months": "number", "years": "number", "hours": "number", "people": "number", "guests": "number", "nights": "number",
	"%": "number", "percent": "number", "percentage": "number", "cost": "number", "budget": "number", "sum": "number",
	"file": "file", "document": "file", "image": "file", "photo": "file", "picture": "file", "pdf": "file", "screenshot": "file", "attachment": "file",
}

// input reads one of them: "a start date", "the paper file (variable paper)", "optionally a reason".
func (r source) input(toks []phrase.Token) (tree.Input, bool) {
	in := tree.Input{At: r.quotes(toks)}
	toks = phrase.Trim(toks)
	for len(toks) > 0 && (phrase.Determiners[toks[0].Low] || toks[0].Low == "optionally" || toks[0].Low == "optional" || toks[0].Low == "and") {
		in.Optional = in.Optional || strings.HasPrefix(toks[0].Low, "optional")
		toks = toks[1:]
	}
	named := toks
	article := len(in.At) > 0 && len(toks) > 0 && toks[0].From > in.At[0].From // "the open tickets" is no step
	for i := range toks {
		if toks[i].Low != "(" {
			continue
		}
		switch inside := toks[i+1:]; {
		case phrase.Begins(inside, "variable") && len(inside) > 2 && inside[2].Low == ")":
			in.Name = english.Snake(inside[1].Text)
		case phrase.Begins(inside, "optional", ")"):
			in.Optional = true
		default:
			return in, false
		}
		if i+len(toks[i:]) > i+4 {
			return in, false
		}
		named = toks[:i]
		break
	}
	const longest = 12 // words of a name
	if len(named) == 0 || len(named) > longest {
		return in, false
	}
	for _, t := range named {
		if t.Kind != phrase.Word && t.Kind != phrase.Slot && t.Kind != phrase.Quoted && t.Low != "'" && t.Low != "%" && (t.Low != "/" || !t.Glued) || phrase.StartsStep(named) && !article && in.Name == "" {
			return in, false
		}
		if typ, ok := typed[t.Low]; ok {
			in.Type = typ
		}
	}
	in.About = r.words(named)
	if in.Name == "" {
		in.Name = english.Snake(r.plain(named))
	}
	return in, in.Name != ""
}
