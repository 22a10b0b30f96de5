package render

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"sluice/engine/flow/chart"
	"sluice/render/text"
)

const (
	altLimit   = 2000 // how many characters Slack takes as the alt text of an image
	altLetters = 160  // of one name or description in it: a long one leaves room for the others
)

// Alt is the picture in words: its nodes and edges, with what changed and with their states, in at most 2000 characters.
// Of a chart that is too large for a picture it is the title.
func (r *Renderer) Alt(q Request) string {
	if errors.Is(r.budget.admit(q), ErrBudget) {
		q.Chart.Nodes, q.Chart.Edges, q.Diff = nil, nil, nil
	}
	q = bounded(r.Overview(q), altLetters)
	var parts []string
	kind := "Draft flowchart"
	if q.Version > 0 {
		kind = fmt.Sprintf("Flowchart of version %d", q.Version)
	}
	if q.Overlay != nil {
		kind = "Live flowchart"
		if q.Overlay.Dry {
			kind = "Flowchart of a dry run"
		}
		if q.Overlay.Header != Pending {
			kind += ", " + cmp.Or(strings.ToLower(endings[q.Overlay.Header]), string(q.Overlay.Header))
		}
	}
	parts = append(parts, fmt.Sprintf("%s: %s.", kind, text.Plain(q.Chart.Title)))
	names, called := map[string]string{}, map[string]int{}
	for _, n := range q.Chart.Nodes {
		called[n.Number]++
	}
	for _, n := range q.Chart.Nodes {
		names[n.ID] = shortName(n, called[n.Number] == 1)
		parts = append(parts, altNode(n, q)+".")
	}
	for _, e := range q.Chart.Edges {
		parts = append(parts, altEdge(e, names, q)+".")
	}
	if d := q.Diff; d != nil {
		for _, n := range d.RemovedNodes {
			parts = append(parts, "Removed: "+text.Plain(n.Name)+".")
			names[n.ID] = text.Plain(n.Name)
		}
		for _, e := range d.RemovedEdges {
			if names[e.From] != "" && names[e.To] != "" {
				parts = append(parts, fmt.Sprintf("Removed: %s to %s.", names[e.From], names[e.To]))
			}
		}
	}
	return joinWithin(parts, altLimit)
}

// shortName is how an edge calls a node: by its number when no other node shares it, else by its name.
func shortName(n chart.Node, alone bool) string {
	if n.Number != "" && alone {
		return n.Number
	}
	if name := text.Plain(n.Name); name != "" {
		return name
	}
	return text.Head(n.ID, altLetters)
}

func altNode(n chart.Node, q Request) string {
	s := text.Plain(n.Name)
	if s == "" {
		s = text.Head(n.ID, altLetters)
	}
	if n.Number != "" {
		s = n.Number + " " + s
	} else if in := q.insets[n.ID]; in.badge != "" {
		s = in.badge + " " + s
	}
	if kind := word(kindOf(n)); !strings.EqualFold(text.Plain(n.Name), kind) {
		s += " (" + kind + ")"
	}
	if n.Open {
		s += ", " + openWords
	}
	if in := q.insets[n.ID]; in.badge != "" || in.away {
		s += ", " + text.Plain(n.Description)
	}
	if w := markWord(q.Diff.nodeMark(n.ID)); w != "" {
		s += ", " + w
	}
	if q.Overlay != nil {
		st := q.Overlay.Nodes[n.ID]
		if st.State != Pending {
			s += ": " + string(st.State)
		}
		if note := text.Plain(st.Note); note != "" && note != string(st.State) {
			s += ", " + note
		}
	}
	return s
}

func altEdge(e chart.Edge, names map[string]string, q Request) string {
	s := names[e.From] + " to " + names[e.To]
	if l := text.Plain(e.Label); l != "" {
		s += " if " + l
	}
	if e.Error {
		s += " on error"
	}
	if w := markWord(q.Diff.edgeMark(e.ID)); w != "" {
		s += ", " + w
	}
	if q.Overlay != nil {
		if t, ok := q.Overlay.Taken[e.ID]; ok {
			s += ", " + q.takenWords(t)
		}
	}
	return s
}

// joinWithin joins parts as long as they fit, and says how many it leaves out.
func joinWithin(parts []string, limit int) string {
	const tail = 24 // room for the words that end a shortened text
	var b strings.Builder
	length := 0
	for i, p := range parts {
		n := utf8.RuneCountInString(p) + 1
		rest := limit
		if i < len(parts)-1 {
			rest -= tail
		}
		if length+n > rest {
			if length == 0 { // one endless part
				return string([]rune(p)[:limit-1]) + "…"
			}
			fmt.Fprintf(&b, " … and %d more.", len(parts)-i)
			return b.String()
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p)
		length += n
	}
	return b.String()
}
