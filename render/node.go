package render

import (
	"math"
	"net/url"
	"strings"

	"sluice/render/canvas"
	"sluice/render/path"
	"sluice/render/shape"
	"sluice/render/text"
)

// glow is a halo made of wide faint strokes: filters differ between SVG viewers, strokes do not.
var glow = []struct{ width, alpha float64 }{{16, .05}, {12.5, .07}, {9.5, .10}, {7, .15}}

var badgeStyle = text.Style{Size: 11, Bold: true}

// openWords stand in a step that needs an answer before the flow can be approved.
const openWords = "needs an answer"

// look is how a node's state and comparison show on it.
type look struct {
	status       NodeStatus
	mark         string // of the comparison
	ring         canvas.Colour
	glows        bool
	fill, stroke canvas.Colour
	name, desc   canvas.Colour
	dash         []float64
}

func (s *scene) lookOf(b *box) look {
	colour := typeColours[b.node.Type]
	l := look{
		mark: s.request.Diff.nodeMark(b.node.ID),
		fill: colour.Alpha(s.tint).Over(s.back), stroke: colour,
		name: s.ink, desc: s.muted,
	}
	if b.node.Open {
		l.dash = []float64{5, 3.5}
	}
	if s.request.insets[b.node.ID].away {
		l.faint(s)
		l.dash = []float64{2, 3}
	}
	if b.ghost {
		l.mark = markRemoved
		l.fill, l.stroke, l.name, l.dash = s.back, s.line, s.muted, []float64{4, 3}
		return l
	}
	switch l.mark {
	case markAdded:
		l.ring = green
	case markChanged:
		l.ring = amber
	}
	if s.request.Overlay == nil {
		return l
	}
	l.status = s.request.Overlay.Nodes[b.node.ID]
	if s.request.Overlay.Dry && l.status.State == Pending {
		l.faint(s)
	}
	switch l.status.State {
	case Running, Complete, Error, Waiting, Rejected, TimedOut, ByHand:
		l.ring, l.glows = stateColours[l.status.State], true
	case Possible:
		l.ring = stateColours[Possible]
	case Skipped, Cancelled:
		l.faint(s)
	}
	return l
}

// faint takes a node back: nothing happens there.
func (l *look) faint(s *scene) {
	l.fill, l.stroke = s.panel, grey.Alpha(.75).Over(s.back)
	l.name, l.desc = s.muted, s.muted.Alpha(.8).Over(s.back)
}

// drawBox draws a node: halo and ring of its state, shape, words, then the number and the marks on its corners.
func (s *scene) drawBox(cv canvas.Canvas, b *box) {
	l := s.lookOf(b)
	cv.Begin(canvas.Group{Class: classOf(b, l), ID: b.node.ID, Tooltip: s.nodeTooltip(b, l), Link: safeLink(b.node.Link)})
	if len(s.request.insets[b.node.ID].names) > 1 { // a second sheet below the first
		below := shape.Box{Centre: b.Centre.Add(path.Point{X: 4, Y: 4}), W: b.W, H: b.H}
		sheet, _ := shape.Outline(b.node.Type, below)
		cv.Path(sheet, canvas.Ink{Fill: l.fill, Stroke: l.stroke, Width: 1.4, Dash: l.dash})
	}
	if l.glows {
		for _, g := range glow {
			cv.Path(b.border, canvas.Ink{Stroke: l.ring.Alpha(g.alpha), Width: g.width})
		}
	}
	if l.ring.A > 0 { // a band outside the shape's own stroke, apart from it
		cv.Path(b.border, canvas.Ink{Stroke: l.ring, Width: 5.2})
		cv.Path(b.border, canvas.Ink{Stroke: s.back, Width: 2.4})
	}
	cv.Path(b.border, canvas.Ink{Fill: l.fill, Stroke: l.stroke, Width: 1.4, Dash: l.dash})
	for _, p := range b.inner {
		cv.Path(p, canvas.Ink{Stroke: l.stroke, Width: 1.2})
	}
	if b.node.Type == shape.Person {
		s.drawPerson(cv, b, l)
	}
	s.drawWords(cv, b, l)
	if badge := s.badgeOf(b); badge != "" {
		s.drawNumber(cv, b, l, badge)
	}
	s.drawMarks(cv, b, l)
	cv.End()
}

// drawPerson fills the strip of a person's card and sets the figure in it.
func (s *scene) drawPerson(cv canvas.Canvas, b *box, l look) {
	cv.Path(shape.Strip(b.Box), canvas.Ink{Fill: l.stroke})
	head, shoulders := shape.Figure(path.Point{X: b.Left() + shape.Band/2 + .5, Y: b.Centre.Y}, 15)
	cv.Path(head, canvas.Ink{Fill: white})
	cv.Path(shoulders, canvas.Ink{Fill: white})
}

// drawWords sets the name, and below it the description or what stands in its place.
func (s *scene) drawWords(cv canvas.Canvas, b *box, l look) {
	centred := func(words string, y float64, st text.Style, c canvas.Colour) {
		w := text.Width(words, st)
		at := path.Point{X: b.middle() - w/2, Y: b.Centre.Y + y}
		cv.Text(words, at, st, c)
		if b.ghost {
			strike := at.Add(path.Point{X: -2, Y: -st.Size * .33})
			cv.Path(path.Polyline(strike, strike.Add(path.Point{X: w + 4})), canvas.Ink{Stroke: c, Width: 1.1})
		}
	}
	for _, n := range b.name {
		centred(n.words, n.y, b.style, l.name)
	}
	for _, r := range lowerRows(b, l) {
		colour := l.desc
		if r.style.Bold {
			colour = l.name
		}
		centred(r.words, r.y, r.style, colour)
	}
	if t := b.tag; t.words != "" {
		at, half := path.Point{X: b.middle(), Y: b.Centre.Y + t.y - 4}, pillWidth(t.words)/2
		cv.Path(path.Rect(at.X-half, at.Y-pillHeight/2, 2*half, pillHeight, pillHeight/2), canvas.Ink{Fill: amber.Alpha(.22).Over(s.back), Stroke: amber, Width: 1})
		centred(t.words, t.y, labelStyle, s.ink)
	}
}

// setLine is a line with its style.
type setLine struct {
	line
	style text.Style
}

// lowerRows are the lines below the name: the description, or first a note on the state and then what it leaves room for.
func lowerRows(b *box, l look) []setLine {
	note := text.Clean(l.status.Note)
	room := math.Inf(1)
	for _, d := range b.desc {
		room = min(room, d.room)
	}
	var notes []string
	if note != "" && len(b.desc) > 0 {
		notes = text.Wrap(note, noteStyle, room, len(b.desc))
	}
	var out []setLine
	for i, d := range b.desc {
		st := descStyle
		switch {
		case i < len(notes):
			d.words, st = notes[i], noteStyle
		case note != "":
			d.words = text.Fit(descOf(b), st, d.room)
		}
		out = append(out, setLine{d, st})
	}
	return out
}

func descOf(b *box) string {
	if d := text.Clean(b.node.Description); d != "" {
		return d
	}
	return word(b.node.Type)
}

// badgeOf is the number of a node, or the numbers of those that the shape stands for.
func (s *scene) badgeOf(b *box) string {
	if badge := s.request.insets[b.node.ID].badge; badge != "" || b.ghost {
		return badge
	}
	return b.node.Number
}

// drawNumber puts the number by which people call the node on its top left corner.
func (s *scene) drawNumber(cv canvas.Canvas, b *box, l look, digits string) {
	const r = 9.0
	w := text.Width(digits, badgeStyle)
	half := max(r, w/2+5)
	c := b.corner(-1, -1)
	cv.Path(path.Rect(c.X-half, c.Y-r, 2*half, 2*r, r), canvas.Ink{Fill: s.back, Stroke: l.stroke, Width: 1.3})
	cv.Text(digits, path.Point{X: c.X - w/2, Y: c.Y + 3.9}, badgeStyle, l.name)
}

// drawMarks puts the state on the top right corner, and what changed there or, beside a state, on the bottom right.
func (s *scene) drawMarks(cv canvas.Canvas, b *box, l look) {
	at := b.corner(1, -1)
	if l.status.State != Pending {
		s.stateMark(cv, at, l.status.State, 7.2, s.back)
		at = b.corner(1, 1)
	}
	if l.mark != "" {
		s.diffMark(cv, at, l.mark, 7.2, s.back)
	}
}

func classOf(b *box, l look) string {
	class := "node " + string(b.node.Type)
	if b.node.Stub {
		class += " stub"
	}
	if b.node.Open {
		class += " open"
	}
	if l.status.State != Pending {
		class += " " + string(l.status.State)
	}
	if w := markWord(l.mark); w != "" {
		class += " " + w
	}
	return class
}

func (s *scene) nodeTooltip(b *box, l look) string {
	tip := text.Plain(b.node.Name)
	if b.node.Number != "" && !b.ghost {
		tip = b.node.Number + ". " + tip
	}
	tip += " (" + word(b.node.Type) + ")"
	if d := text.Plain(b.node.Description); d != "" {
		tip += "\n" + d
	}
	if b.node.Open {
		tip += "\n" + openWords
	}
	for _, name := range s.request.insets[b.node.ID].names {
		tip += "\n" + name
	}
	tip = withList(tip, "Tools", b.node.Tools)
	tip = withList(tip, "Criteria", b.node.Criteria)
	if l.status.State != Pending {
		tip += "\nStatus: " + string(l.status.State)
	}
	if n := text.Plain(l.status.Note); n != "" {
		tip += "\n" + n
	}
	if w := markWord(l.mark); w != "" {
		tip += "\nIn this revision: " + w
	}
	return tip
}

func withList(tip, what string, items []string) string {
	words := make([]string, 0, len(items))
	for _, item := range items {
		if w := text.Plain(item); w != "" {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return tip
	}
	return tip + "\n" + what + ": " + strings.Join(words, ", ")
}

// safeLink is an address that a picture may lead to: a page, a mail, a place in Slack or on the page itself. Anything else,
// a script above all, is left out.
func safeLink(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	switch u.Scheme {
	case "https", "http", "mailto", "slack":
		return link
	case "":
		if u.Host == "" && (strings.HasPrefix(link, "/") || strings.HasPrefix(link, "#")) {
			return link
		}
	}
	return ""
}
