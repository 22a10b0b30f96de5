package project

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/engine/try"
	"sluice/render"
)

// TryPicture is a flow's picture with the ways lit that a trial found open. What only a fault leads to stays faint.
func TryPicture(r *try.Result) *card.Picture {
	drawn := plan.Number(r.Flow.Plan(), plan.Lines(r.Flow))
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
			o.Nodes[shape] = status
		}
	}
	for id, mark := range r.Edges {
		if mark >= try.Possible {
			o.Taken[id] = render.Taken{Count: 1, Why: mark.String()}
		}
	}
	lightEnds(drawn, o, render.Possible)
	shown, _ := json.Marshal([]any{drawn, o}) // both are plain data
	sum := sha256.Sum256(shown)
	return &card.Picture{Plan: drawn, Overlay: o, Title: r.Flow.Name, Subtitle: waySubtitle(r), Key: "try:" + hex.EncodeToString(sum[:8])}
}

// waySubtitle counts the steps that are reached.
func waySubtitle(r *try.Result) string {
	certain := len(r.Reached(try.Certain))
	possible := len(r.Reached(try.Possible)) - certain
	words := fmt.Sprintf("%d of %d steps would run", certain, len(r.Flow.Nodes))
	if possible > 0 {
		words += fmt.Sprintf(", %d more are possible", possible)
	}
	return words
}

const (
	tryLines = 16  // steps that a card lists
	hintMost = 3   // values that an example of how to give them names
	tryWords = 170 // characters of what is said of one
)

// TryCard says what a flow would do: a picture with the ways lit, and a line for each step.
func TryCard(r *try.Result) card.Card {
	c := card.Card{
		Title: r.Flow.Name + ", dry run", Text: "Nothing was called, posted or asked.", Picture: TryPicture(r),
		Sections: []card.Section{{Title: "What it would do", Text: strings.Join(tryList(r), "\n")}},
	}
	for _, line := range r.Remarks() {
		c.Warnings = append(c.Warnings, card.Escape(shorten(line, tryWords)))
	}
	if inputs := tryInputs(r); inputs != "" {
		c.Context = append(c.Context, inputs)
	}
	if strings.Contains(c.Sections[0].Text, try.Doubt) {
		c.Context = append(c.Context, "? = with a value that was made up or is not known. Say what it is: `"+tryHint(r)+"`")
	}
	return c
}

// tryHint shows how to give what was made up: inputs and steps by name.
func tryHint(r *try.Result) string {
	var hint strings.Builder
	hint.WriteString("try")
	left := hintMost
	for _, u := range append(slices.Clone(r.Inputs), r.Values...) {
		if (u.Source == try.Unknown || u.Source == try.FromExample) && left > 0 {
			hint.WriteString(" " + u.Name + "=…")
			left--
		}
	}
	return hint.String()
}

// tryList has a line for each step that would run, and says which others there are.
func tryList(r *try.Result) []string {
	var lines, failing, unreached []string
	for i := range r.Flow.Nodes {
		n := &r.Flow.Nodes[i]
		name := card.Escape(nodeName(n))
		switch r.Nodes[n.ID] {
		case try.Exceptional:
			failing = append(failing, name)
		case try.NotReached:
			unreached = append(unreached, name)
		default:
			line := "• *" + name + "*"
			if r.Nodes[n.ID] == try.Possible {
				line += " (possible)"
			}
			if words := strings.Join(r.Words(n.ID), "; "); words != "" {
				line += ": " + card.Escape(shorten(words, tryWords))
			}
			lines = append(lines, line)
		}
	}
	if left := len(lines) - tryLines; left > 0 {
		lines = append(lines[:tryLines], fmt.Sprintf("… and %d more, in the picture", left))
	}
	if len(failing) > 0 {
		lines = append(lines, "Only when something goes wrong: "+strings.Join(failing, ", "))
	}
	if len(unreached) > 0 {
		lines = append(lines, "Not reached: "+strings.Join(unreached, ", "))
	}
	return lines
}

func tryInputs(r *try.Result) string {
	var parts []string
	for _, in := range r.Inputs {
		switch {
		case in.Source == try.Unknown:
			parts = append(parts, in.Name+" is not known")
		case in.Text != "":
			parts = append(parts, fmt.Sprintf("%s = %s (%s)", in.Name, shorten(in.Text, 60), in.Source))
		}
	}
	return card.Escape(strings.Join(parts, " · "))
}

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// lightEnds lights the drawn start and the ends that were reached.
func lightEnds(p flow.Plan, o *render.Overlay, as render.State) {
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
