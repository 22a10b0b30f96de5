package try

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
)

// UnknownMark is put behind what holds a value that was made up or is not known.
const UnknownMark = " ?"

func uncertain(yes bool) string {
	if yes {
		return UnknownMark
	}
	return ""
}

// Words says what a step would do, whom it would ask, and what it was taken to give.
func (r *Result) Words(node string) []string {
	var words []string
	for _, a := range r.Acts {
		if a.Node == node {
			words = append(words, a.words())
		}
	}
	for _, a := range r.Asks {
		if a.Node == node {
			words = append(words, a.words())
		}
	}
	for _, u := range r.Values {
		if u.Name == node && u.Source != FromFlow {
			words = append(words, u.words())
		}
	}
	return words
}

func (a Act) words() string {
	words := a.What
	if a.Effects != "" && a.Effects != flow.EffectsRead {
		words += " (" + string(a.Effects) + ")"
	}
	if len(a.Params) > 0 {
		words += " " + string(a.Params)
	}
	if a.Times > 1 {
		words += fmt.Sprintf(", %d times", a.Times)
	}
	return words + uncertain(a.Uncertain)
}

func (a Ask) words() string {
	words := fmt.Sprintf("asks %s: %s", People(a.Who), a.Message)
	if len(a.Choices) > 0 {
		words += " [" + strings.Join(a.Choices, ", ") + "]"
	}
	return words + uncertain(a.Uncertain)
}

func (u Used) words() string {
	switch u.Source {
	case Unknown:
		return "gives something unknown"
	case FromRun:
		return fmt.Sprintf("gives %s (%s)", u.Text, u.Run)
	}
	return fmt.Sprintf("gives %s (%s)", u.Text, u.Source)
}

// Remarks says what is wrong with the flow, and what the trial could not find out.
func (r *Result) Remarks() []string {
	var all []string
	for _, l := range r.Limits {
		all = append(all, fmt.Sprintf("%s: the limit %s is reached: %s", l.Node, l.Limit, l.Action))
	}
	for _, p := range r.Problems {
		all = append(all, p.words())
	}
	if len(r.Bounds) > 0 {
		words := make([]string, len(r.Bounds))
		for i, b := range r.Bounds {
			words[i] = string(b)
		}
		all = append(all, fmt.Sprintf("Not every way was walked to its end (%s): what may follow counts as possible.", strings.Join(words, ", ")))
	}
	return all
}

// failureWords says how a step would fail.
func failureWords(e history.NodeError) string {
	if e.Type == history.ErrorGate {
		return "without an answer in time the run would stop here, because no route names 'timeout'"
	}
	return e.Error()
}

func (p Problem) words() string {
	if p.Node == "" {
		return p.Text
	}
	return p.Node + ": " + p.Text
}

// People names who is asked: groups and users, else the members of the channel.
func People(w *flow.Who) string {
	if w == nil || len(w.Groups)+len(w.Users) == 0 {
		return "somebody of the channel"
	}
	return strings.Join(append(slices.Clone(w.Groups), w.Users...), ", ")
}

// Sample reads a value that a person typed: as JSON when it is JSON, else as the text that it is.
func Sample(text string) any {
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil || d.More() {
		return text
	}
	return v
}
