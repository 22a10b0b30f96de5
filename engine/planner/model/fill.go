package model

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// fill makes a tree from an answer. It drops everything that the words do not say.
type fill struct {
	*brief
	finder
	read     map[string]*tree.Step   // steps that were read, by their ids
	labels   map[string]string       // the model's name of a step -> its id
	kept     map[string]bool         // ids of steps of the base that stay
	changed  map[string]bool         // ids of steps of the base that are changed
	numbers  map[string]string       // number of a step of the base -> its id
	each     []string                // ids of the loops around the step that is read
	admitted []tree.Quote            // words that the model says it cannot express
	ends     map[string][]tree.Quote // by the id of a stop: what it quotes, also where another step has the same words
	limited  bool                    // the answer has a time limit
	noneLeft bool                    // all triggers of the base went
	depth    int                     // how deep the steps that are read stand inside others
}

func newFill(b *brief, author string) *fill {
	f := &fill{brief: b, finder: finder{t: &tree.Tree{}}, read: map[string]*tree.Step{}, labels: map[string]string{}, kept: map[string]bool{}, changed: map[string]bool{}, numbers: map[string]string{}, ends: map[string][]tree.Quote{}}
	if b.base != nil {
		for id, n := range b.base.Numbers() {
			f.numbers[n] = id
		}
		f.t = b.base.Clone()
		f.t.Steps, f.t.Objections = nil, nil
	}
	f.now = len(f.t.Texts)
	f.at.Text = f.now
	f.t.Texts = append(f.t.Texts, tree.Text{Words: b.words, Author: author})
	return f
}

// decode reads JSON, also when it stands between the marks of a code block, and refuses what the schema does not have.
func decode(text string, v any) error {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		inner = strings.TrimPrefix(inner, "json")
		text = strings.TrimSuffix(strings.TrimSpace(inner), "```")
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the object")
	}
	return nil
}

// declared reports whether the model has said that it cannot express words.
func (f *fill) declared(q tree.Quote) bool {
	return slices.ContainsFunc(f.admitted, q.Overlaps)
}

// tree takes over an answer, and holds it against the words.
func (f *fill) tree(w *wireTree) {
	f.gone(w.Gone)
	if q, ok := f.found(w.Name, "name"); ok {
		f.t.Name, f.t.At = f.t.Words(q), append(f.t.At, q)
	}
	for _, in := range w.Inputs {
		f.input(in)
	}
	kept := len(f.t.Triggers)
	for _, g := range w.Triggers {
		f.trigger(g)
	}
	if f.noneLeft && len(f.t.Triggers) > kept {
		f.t.Triggers = f.t.Triggers[kept:]
	}
	f.t.Steps = f.steps(w.Steps)
	if f.base != nil && slices.ContainsFunc(f.t.Steps, func(s tree.Step) bool { return s.No == 0 }) {
		f.t.Renumber()
	}
	if w.Limit != nil {
		limit(f, w.Limit)
	}
	f.t.At = append(f.t.At, f.quotes(w.Also, "text of also")...)
	for _, words := range w.Inexpressible {
		if q, ok := f.found(words, "text of not_expressible"); ok {
			f.admitted = append(f.admitted, q)
		}
	}
	for _, check := range checks {
		check(f)
	}
}

// gone takes away what concerns the whole of the base.
func (f *fill) gone(all []string) {
	for _, what := range all {
		kind, name, _ := strings.Cut(what, ":")
		n, err := strconv.Atoi(name)
		switch {
		case kind == "input" && f.t.Input(name) != nil:
			f.t.Inputs = slices.DeleteFunc(f.t.Inputs, func(in tree.Input) bool { return in.Name == name })
		case kind == "trigger" && err == nil && n > 0 && n <= len(f.t.Triggers):
			if f.t.Triggers = slices.Delete(f.t.Triggers, n-1, n); len(f.t.Triggers) == 0 {
				f.t.Triggers, f.noneLeft = []tree.Trigger{{By: true}}, true // so that the flow that is revised gives none either
			}
		case kind == "limit" && f.t.Deadline != nil:
			f.t.Deadline = nil
		default:
			f.problem("There is no %q that could go.", english.Shorten(what, 60))
		}
	}
}

var inputName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,40}$`)

// snake is a name for a value in the form that inputs have; "" = it is none.
func snake(name string) string {
	name = strings.ToLower(strings.Join(strings.Fields(name), "_"))
	if !inputName.MatchString(name) {
		return ""
	}
	return name
}

func (f *fill) input(w wireInput) {
	name := snake(w.Name)
	q, ok := f.quote(w.Quote, "quote of an input")
	if !ok || name == "" {
		f.problem("The input %q needs a quote, and a name in small letters, digits and _.", english.Shorten(w.Name, 60))
		return
	}
	in := tree.Input{Name: name, Type: w.Type, Optional: w.Optional, Enum: f.texts(w.Enum, "value of an input"), At: []tree.Quote{q}}
	if in.Type == "string" {
		in.Type = ""
	}
	if old := f.t.Input(name); old != nil {
		*old = in
		return
	}
	f.t.Inputs = append(f.t.Inputs, in)
}

func (f *fill) trigger(w wireTrigger) {
	q, ok := f.quote(w.Quote, "quote of a trigger")
	if !ok {
		f.problem("A trigger needs the words that ask for it as its quote.")
		return
	}
	g := tree.Trigger{Words: f.t.Words(q), By: w.Kind == "hand", At: []tree.Quote{q}}
	switch w.Kind {
	case "schedule":
		if g.Cron, ok = cron(f, w.Cron, w.Quote); !ok {
			return
		}
		g.Zone = zone(f, w.Zone, w.Quote)
	case "message":
		g.Match = `\S`
		if c, ok := f.found(w.Contains, "text of a message trigger"); ok {
			before := f.t.Texts[c.Text].Words[:c.From]
			inQuotes := strings.HasSuffix(before, `"`) || strings.HasSuffix(before, "“")
			if strings.Contains(strings.ToLower(f.t.Words(c)), " or ") && !inQuotes {
				f.problem("A message trigger has one text: give a trigger for each part of %q.", f.t.Words(c))
				return
			}
			g.Match = "(?i)" + regexp.QuoteMeta(f.t.Words(c))
			g.At = append(g.At, c)
		}
	case "reaction":
		e, ok := f.found(w.Emoji, "emoji of a trigger")
		if !ok {
			return
		}
		g.Emoji = strings.Trim(f.t.Words(e), ":")
		g.At = append(g.At, e)
	}
	if (w.Kind == "message" || w.Kind == "reaction") && w.Channel != "" {
		if n := f.name(wireName{w.Channel, w.Channel}, true); n != nil {
			g.Channel = n.Words
		}
	}
	f.t.Triggers = append(f.t.Triggers, g) // of a webhook the path is asked for
}

func limit(f *fill, w *wireLimit) {
	q, ok := f.quote(w.Quote, "quote of the time limit")
	l := tree.Limit{After: f.duration(w.After, w.Quote), Time: f.clock(w.Time, w.Quote), At: []tree.Quote{q}}
	if !ok || l.After == "" && l.Time == "" {
		f.problem("The time limit has no time: its words, and those of its steps, go to not_expressible.")
		return
	}
	l.Steps = f.steps(w.Steps)
	f.t.Deadline, f.limited = &l, true
}
