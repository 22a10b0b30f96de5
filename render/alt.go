package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"sluice/engine/flow"
	"sluice/render/text"
)

// altLimit is how many characters Slack takes as the alt text of an image.
const altLimit = 2000

// Alt is the picture in words: its nodes and edges, with what changed and with their states, in at most 2000 characters.
func (r *Renderer) Alt(q Request) string {
	q = r.Overview(q)
	var parts []string
	kind := "Draft flowchart"
	if q.Overlay != nil {
		kind = "Live flowchart"
		if q.Overlay.Dry {
			kind = "Flowchart of a dry run"
		}
		if q.Overlay.Header != Pending {
			kind += ", " + string(q.Overlay.Header)
		}
	}
	parts = append(parts, fmt.Sprintf("%s: %s.", kind, text.Plain(q.Plan.Title)))
	names, called := map[string]string{}, map[int]int{}
	for _, n := range q.Plan.Nodes {
		called[n.Number]++
	}
	for _, n := range q.Plan.Nodes {
		names[n.ID] = shortName(n, called[n.Number] == 1)
		parts = append(parts, altNode(n, q)+".")
	}
	for _, e := range q.Plan.Edges {
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
func shortName(n flow.PlanNode, alone bool) string {
	if n.Number > 0 && alone {
		return strconv.Itoa(n.Number)
	}
	if name := text.Plain(n.Name); name != "" {
		return name
	}
	return text.Plain(n.ID)
}

func altNode(n flow.PlanNode, q Request) string {
	s := text.Plain(n.Name)
	if s == "" {
		s = text.Plain(n.ID)
	}
	if n.Number > 0 {
		s = fmt.Sprintf("%d %s", n.Number, s)
	} else if in := q.insets[n.ID]; in.badge != "" {
		s = in.badge + " " + s
	}
	if !strings.EqualFold(text.Plain(n.Name), word(n.Type)) {
		s += " (" + word(n.Type) + ")"
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
		if note := text.Plain(st.Note); note != "" {
			s += ", " + note
		}
	}
	return s
}

func altEdge(e flow.PlanEdge, names map[string]string, q Request) string {
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
