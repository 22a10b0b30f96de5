package surface

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/flow/listing"
	"sluice/engine/planner/readback"
	"sluice/engine/try"
	"sluice/render"
)

// TryPicture is a flow's picture with the routes highlighted that a trial found possible. Routes that only a fault leads to stay faint. numbers are those of
// the steps by node; nil = they are counted.
func TryPicture(r *try.Result, numbers map[string]string) *card.Picture {
	if len(numbers) == 0 {
		numbers = readback.Numbers(r.Flow)
	}
	drawn := readback.Chart(r.Flow, numbers)
	o := &render.Overlay{Dry: true, Header: render.Possible, Nodes: map[string]render.NodeStatus{}, Taken: map[string]render.Taken{}}
	for id, mark := range r.Nodes {
		if mark < try.Possible {
			continue
		}
		status := render.NodeStatus{State: render.Possible}
		if mark == try.Possible {
			status.Note = "possible"
		}
		for _, shape := range drawn.Map[id] {
			if o.Nodes[shape].Note != "" || o.Nodes[shape].State == "" { // what is certain stays so
				o.Nodes[shape] = status
			}
		}
	}
	for id, mark := range r.Edges {
		for _, shape := range drawn.Taken(id) {
			if mark >= try.Possible && o.Taken[shape].Count == 0 {
				o.Taken[shape] = render.Taken{Count: 1, Why: mark.String()}
			}
		}
	}
	lightEnds(drawn, o, render.Possible)
	shown, _ := json.Marshal([]any{drawn, o}) // both are plain data
	sum := sha256.Sum256(shown)
	return &card.Picture{Chart: drawn, Overlay: o, Title: flow.Words(r.Flow.Name), Subtitle: waySubtitle(r, numbers), Key: "try:" + hex.EncodeToString(sum[:8])}
}

// waySubtitle counts the steps that are reached.
func waySubtitle(r *try.Result, numbers map[string]string) string {
	certain := len(stepsOf(r.Reached(try.Certain), numbers))
	possible := len(stepsOf(r.Reached(try.Possible), numbers)) - certain
	words := fmt.Sprintf("%d of %d steps would run", certain, len(stepsOf(idsOf(r.Flow), numbers)))
	if possible > 0 {
		words += ", " + plural(possible, "more is possible", "more are possible")
	}
	return words
}

const (
	tryLines = 16  // sentences that a card has
	hintMost = 3   // values that an example of how to give them names
	tryWords = 170 // characters of a text that would be sent
)

// TryCard shows the result of a dry run: a picture with the possible routes highlighted, and sentences about the steps on each route.
func TryCard(r *try.Result, numbers map[string]string) card.Card {
	c := card.Card{Title: flow.Words(r.Flow.Name) + ", tried", Text: card.Textf("Nothing was called, posted or asked."), Picture: TryPicture(r, numbers)}
	t := newTrial(r, c.Picture.Chart)
	lines := t.sentences()
	if left := len(lines) - tryLines; left > 0 {
		lines = append(lines[:tryLines], card.Textf("… and %d more ways, in the picture", left))
	}
	c.Sections = []card.Section{{Text: card.Join("\n", lines...)}}
	for _, line := range r.Remarks() {
		c.Warnings = append(c.Warnings, card.Plain(card.Shorten(line, tryWords)))
	}
	if taken := t.taken(); len(taken) > 0 {
		c.Context = append(c.Context, card.Join(" ", taken...))
	}
	if t.madeUp {
		c.Context = append(c.Context, card.Textf("(?) holds a value that is made up or not known. %s", tryHint(r)))
	}
	if aside := notWalked(r); !aside.Empty() {
		c.Context = append(c.Context, aside)
	}
	return c
}

// AskToTry asks for the inputs of a dry run. words begin a reply that gives it.
func AskToTry(f *flow.Flow, value, words string) card.Card {
	c := card.Card{Title: flow.Words(f.Name) + ": try it", Text: card.Textf("Nothing will be called, posted or asked. What should the trial be given?")}
	label := "Try without values"
	var lines []card.Text
	for _, in := range f.Inputs {
		if !in.Required || in.Default != nil {
			continue
		}
		sample := "…"
		if in.Example != nil && !in.Sensitive {
			sample, label = listing.Sample(in.Example), "Try with made-up values"
		}
		if words += " " + in.Name + "=" + sample; strings.Contains(sample, " ") {
			words = strings.TrimSuffix(words, sample) + strconv.Quote(sample)
		}
		lines = append(lines, inputLine(in))
	}
	c.Sections = []card.Section{{Text: card.Join("\n", lines...)}, {Title: "Reply in this thread with the values", Text: card.Block(words)}}
	c.Buttons = []card.Button{{Action: "draft.try:any", Label: label, Value: value}}
	return c
}

// inputLine asks for one input.
func inputLine(in flow.Input) card.Text {
	line := card.Textf("• What is the *%s*?", plainWords(in.Name))
	var about []string
	if in.Description != "" && !strings.EqualFold(in.Description, plainWords(in.Name)) {
		about = append(about, strings.TrimRight(in.Description, ". "))
	}
	switch {
	case len(in.Enum) > 0:
		var all []string
		for _, e := range in.Enum {
			all = append(all, fmt.Sprint(e))
		}
		about = append(about, "one of "+strings.Join(all, ", "))
	case in.Type != "" && in.Type != "string":
		about = append(about, map[string]string{"number": "a number", "integer": "a whole number", "boolean": "true or false", "date": "a date", "array": "a list: values separated by commas"}[in.Type])
	}
	if about = slices.DeleteFunc(about, func(s string) bool { return s == "" }); len(about) == 0 {
		return line
	}
	return card.Textf("%s (%s)", line, strings.Join(about, "; "))
}

// tryHint shows how to replace values that the trial invented: inputs and steps by name.
func tryHint(r *try.Result) card.Text {
	var hint strings.Builder
	left := hintMost
	for _, u := range append(slices.Clone(r.Inputs), r.Values...) {
		if writes := slices.ContainsFunc(r.Acts, func(a try.Act) bool { return a.Node == u.Name && a.Effects != flow.EffectsRead }); writes {
			continue
		}
		if (u.Source == try.Unknown || u.Source == try.FromExample) && left > 0 {
			hint.WriteString(" " + u.Name + "=…")
			left--
		}
	}
	if left == hintMost {
		return card.Text{}
	}
	return card.Textf("To say what it is, reply for example `try%s`", hint.String())
}

// notWalked names the steps that the dry run did not reach, and the steps that only a fault leads to.
func notWalked(r *try.Result) card.Text {
	var failing, unreached []string
	for i := range r.Flow.Nodes {
		n := &r.Flow.Nodes[i]
		switch {
		case n.Kind == flow.KindTerminal:
		case r.Nodes[n.ID] == try.Exceptional:
			failing = append(failing, n.DisplayName())
		case r.Nodes[n.ID] == try.NotReached:
			unreached = append(unreached, n.DisplayName())
		}
	}
	var parts []card.Text
	if len(unreached) > 0 {
		parts = append(parts, card.Textf("It would not come to: %s.", strings.Join(unreached, ", ")))
	}
	if len(failing) > 0 {
		parts = append(parts, card.Textf("Only when something goes wrong: %s.", strings.Join(failing, ", ")))
	}
	return card.Join(" ", parts...)
}

// lightEnds lights the drawn start and the ends that were reached.
func lightEnds(p chart.Chart, o *render.Overlay, as render.State) {
	known := map[string]bool{}
	for _, shapes := range p.Map {
		for _, s := range shapes {
			known[s] = true
		}
	}
	for _, e := range p.Edges {
		if o.Taken[e.ID].Count == 0 {
			continue
		}
		for _, end := range []string{e.From, e.To} {
			if !known[end] {
				o.Nodes[end] = render.NodeStatus{State: as}
			}
		}
	}
}
