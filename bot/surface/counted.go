package surface

import (
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/engine/flow/approval"
	"sluice/engine/planner/readback"
	"sluice/storage"
)

// counted lists what a draft may do when it is the first of its flow, else what it newly allows and what else counts. It says whether the
// lists are cut.
func counted(d storage.Draft, b draft.Body) (sections []card.Section, cut bool) {
	for _, l := range countedLists(d, b) {
		text, more := bullets(l.lines)
		sections, cut = append(sections, card.Section{Title: l.title, Text: text}), cut || more
	}
	return sections, cut
}

// list is one list of what counts.
type list struct {
	title string
	lines []string
}

func countedLists(d storage.Draft, b draft.Body) []list {
	allows, changes := list{title: "What it newly allows", lines: b.Newly}, list{title: "What changes in a flow that can write"}
	if d.Base == 0 { // all of it is new
		allows.title, allows.lines = "What it may do", slices.Clone(b.May)
		for _, line := range b.Newly { // the steps say already what starts the flow
			if !slices.Contains(b.May, line) && !slices.ContainsFunc(b.Steps, func(l readback.Line) bool { return l.Text == line }) {
				allows.lines = append(allows.lines, line)
			}
		}
	}
	for _, a := range b.Allows {
		switch {
		case a.Kind == approval.AllowsChange || a.Kind == approval.AllowsDependency:
			changes.lines = addOnce(changes.lines, changeWords(b, a))
		case b.Newly == nil: // a draft of an earlier release
			allows.lines = append(allows.lines, a.Words)
		}
	}
	return slices.DeleteFunc([]list{allows, changes}, func(l list) bool { return len(l.lines) == 0 })
}

// changeWords says what changes. A step that is new is told as in the list of the steps, with the nodes that share its sentence.
func changeWords(b draft.Body, a approval.Allowance) string {
	if !a.New {
		return a.Words
	}
	is := func(l readback.Line) bool { return l.Node == a.Node }
	if !slices.ContainsFunc(b.Steps, is) {
		is = func(l readback.Line) bool { return l.Number != "" && l.Number == b.Numbers[a.Node] }
	}
	i := slices.IndexFunc(b.Steps, is)
	if i < 0 {
		return a.Words
	}
	l, verb := b.Steps[i], "does now"
	if slices.ContainsFunc(b.Allows, func(a approval.Allowance) bool { return a.New && a.Node == l.Node }) {
		verb = "is new"
	}
	return strings.TrimSuffix("step "+l.Number, " ") + " " + verb + ": " + l.Text
}

func addOnce(lines []string, line string) []string {
	if slices.Contains(lines, line) {
		return lines
	}
	return append(lines, line)
}

// countedRoom is how many characters a list of what counts may take on a card: with both lists in full there is room for the rest.
const countedRoom = 2500

// allChanges is the label of the button that gives the whole list of what counts.
const allChanges = "All changes"

// bullets lists as many lines as fit, and says how many others there are and where.
func bullets(lines []string) (text card.Text, cut bool) {
	var out []card.Text
	room := countedRoom
	for i, l := range lines {
		line := card.Textf("• %s", said(l))
		if room -= line.Length() + 1; room < 0 {
			return card.Join("\n", append(out, card.Textf("• and %d more: *%s* gives the whole list.", len(lines)-i, allChanges))...), true
		}
		out = append(out, line)
	}
	return card.Join("\n", out...), false
}
