package surface

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/naming"
	"sluice/engine/try"
)

// trial writes sentences about what a flow would do: the first up to where it is certain, then one for each possible way after a question or a
// condition.
type trial struct {
	r      *try.Result
	labels map[string]string // of the picture's edges
	told   map[string]bool   // nodes that a sentence has named
	splits []string          // nodes with several possible ways out
	madeUp bool              // a sentence holds a value that the trial invented or does not know
}

func newTrial(r *try.Result, drawn chart.Chart) *trial {
	t := &trial{r: r, labels: map[string]string{}, told: map[string]bool{}}
	for _, e := range drawn.Edges {
		t.labels[e.ID] = e.Label
	}
	return t
}

// sentences says all of it.
func (t *trial) sentences() []card.Text {
	out := []card.Text{card.Textf("%s it would %s.", t.given(), t.chain(t.r.Flow.Entry))}
	for len(t.splits) > 0 {
		n := t.r.Flow.Node(t.splits[0])
		t.splits = t.splits[1:]
		for _, e := range t.open(n) {
			out = append(out, card.Textf("• %s: %s.", t.when(n, e), t.chain(e.To)))
		}
	}
	return out
}

// given lists the inputs of the run.
func (t *trial) given() string {
	var parts []string
	for _, in := range t.r.Inputs {
		if in.Source != try.Unknown && in.Text != "" {
			parts = append(parts, plainWords(in.Name)+" "+card.Shorten(in.Text, valueMost))
		}
	}
	if len(parts) == 0 {
		return "As it is,"
	}
	return "With " + naming.List(parts, "and")
}

// open lists the ways out of a node that may be taken when no step fails.
func (t *trial) open(n *flow.Node) []flow.Edge {
	return slices.DeleteFunc(n.Edges(), func(e flow.Edge) bool { return t.r.Edges[e.ID] < try.Possible })
}

// when gives the condition of a route behind a node.
func (t *trial) when(n *flow.Node, e flow.Edge) string {
	label, about := t.labels[e.ID], ""
	if n.Kind == flow.KindDecision && strings.HasSuffix(n.DisplayName(), "?") {
		about = n.DisplayName() + " "
	}
	switch {
	case e.Kind == flow.EdgeBranch:
		return "At the same time"
	case e.Kind == flow.EdgeBody:
		return "For each"
	case label == "" || label == "otherwise":
		return about + "Otherwise"
	case slices.ContainsFunc(t.r.Asks, func(a try.Ask) bool { return a.Node == n.ID }):
		return "If the answer is “" + label + "”"
	}
	return about + "If " + label
}

// chain describes the steps from a node on, up to a node with several possible ways out or one that a sentence has described already.
func (t *trial) chain(id string) string {
	var parts []string
	for {
		n := t.r.Flow.Node(id)
		if n == nil {
			break
		}
		if t.told[id] {
			parts = append(parts, "go on with “"+n.DisplayName()+"” as above")
			break
		}
		t.told[id] = true
		parts = append(parts, t.phrases(n)...)
		next := t.open(n)
		if len(next) != 1 {
			if len(next) > 1 {
				t.splits = append(t.splits, id)
			}
			break
		}
		id = next[0].To
	}
	if len(parts) == 0 {
		return "end"
	}
	return strings.Join(parts, ", then ")
}

// phrases say what a node would do or ask; none = it has no effect outside.
func (t *trial) phrases(n *flow.Node) (out []string) {
	for _, a := range t.r.Asks {
		if a.Node == n.ID {
			out = append(out, t.marked("ask "+try.People(a.Who)+" "+quoted(a.Message), a.Uncertain))
		}
	}
	for _, a := range t.r.Acts {
		if a.Node != n.ID {
			continue
		}
		words := t.act(n, a)
		if a.Times > 1 {
			words += fmt.Sprintf(" %d times", a.Times)
		}
		out = append(out, t.marked(words, a.Uncertain))
	}
	if n.Kind == flow.KindWait && len(out) == 0 {
		out = append(out, firstSmall(n.DisplayName()))
	}
	return out
}

func (t *trial) marked(words string, uncertain bool) string {
	if !uncertain {
		return words
	}
	t.madeUp = true
	return words + " (?)"
}

// act says one thing that would be done.
func (t *trial) act(n *flow.Node, a try.Act) string {
	var params map[string]any
	if json.Unmarshal(a.Params, &params) != nil {
		params = nil
	}
	text, _ := params["text"].(string)
	to, _ := params["channel"].(string)
	said, _ := params["message"].(string)
	switch {
	case n.Kind == flow.KindSay:
		return "say " + quoted(said) + " in the run's thread"
	case n.Kind == flow.KindTool && to != "" && text != "":
		return "write " + quoted(text) + " to " + to
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		v := "nothing"
		if params[name] != nil {
			v = fmt.Sprint(params[name])
		}
		said := slices.ContainsFunc(t.r.Inputs, func(u try.Used) bool { return u.Name == name && u.Text == v })
		if !said && v != "" && len(parts) < valuesMost {
			parts = append(parts, plainWords(name)+" "+card.Shorten(v, valueMost))
		}
	}
	words := firstSmall(n.DisplayName())
	if n.Kind == flow.KindAgent {
		words = "have an AI agent do “" + n.DisplayName() + "”"
	}
	if len(parts) > 0 {
		words += " with " + naming.List(parts, "and")
	}
	return words
}

// taken says which step an assumed value comes from, where that matters.
func (t *trial) taken() (out []card.Text) {
	for _, u := range t.r.Values {
		n := t.r.Flow.Node(u.Name)
		if n == nil || !t.reads(n) || len(out) == takenMost {
			continue
		}
		name := n.DisplayName()
		switch u.Source {
		case try.FromExample:
			out = append(out, card.Textf("“%s” was taken to give %s, which is made up.", name, values(u.Text)))
		case try.FromRun:
			out = append(out, card.Textf("“%s” was taken to give %s, as in %s.", name, values(u.Text), u.Run))
		case try.Unknown:
			out = append(out, card.Textf("What “%s” gives is not known.", name))
		}
	}
	return out
}

// reads reports whether a step only reads, so that the trial shows its result.
func (t *trial) reads(n *flow.Node) bool {
	return !slices.ContainsFunc(t.r.Acts, func(a try.Act) bool {
		return a.Node == n.ID && a.Effects != flow.EffectsRead && n.Kind == flow.KindTool
	})
}

// values writes a JSON object as names and values.
func values(text string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(text), &fields) != nil || len(fields) == 0 {
		return card.Shorten(text, valueMost)
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if v := fmt.Sprint(fields[name]); v != name && len(parts) < valuesMost { // a made-up text is the name of its field
			parts = append(parts, plainWords(name)+" "+card.Shorten(v, valueMost))
		}
	}
	if len(parts) == 0 {
		return "texts"
	}
	return naming.List(parts, "and")
}

// quoted is a text that would be sent.
func quoted(text string) string {
	return "“" + card.Shorten(strings.TrimSpace(text), tryWords) + "”"
}

const (
	valueMost  = 60 // characters of a value
	valuesMost = 5  // values of one step
	takenMost  = 4  // steps whose results are shown
)

func plainWords(name string) string { return strings.ReplaceAll(name, "_", " ") }

// firstSmall writes the first word with a small letter unless it is a name in capitals.
func firstSmall(s string) string {
	r := []rune(s)
	if len(r) < 2 || strings.ToUpper(string(r[1])) == string(r[1]) {
		return s
	}
	return strings.ToLower(string(r[0])) + string(r[1:])
}
