package render

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/render/canvas"
	"sluice/render/path"
	"sluice/render/text"
)

const (
	pad       = 14.0
	titleLine = 18.0
	narrowest = 360.0 // of a picture: Slack shows a narrower one larger, not sharper
	legendRow = 19.0
)

var (
	titleStyle = text.Style{Size: 15, Bold: true}
	smallStyle = text.Style{Size: 11}
)

// scene is one picture: a chart with a request's states, colours and words around it.
type scene struct {
	*drawing
	request Request
	scheme
	width, height float64
	origin        path.Point // of the chart
	legend        [][]entry
	legendColumn  float64
	pills         []pill // drawn so far
	pillsAt       grid[pill]
	title         []string
	badge         badge
}

// badge says whether this is a draft, an approved version or a run, and how the run has ended.
type badge struct {
	words  string
	state  State
	colour canvas.Colour
}

func newScene(c *drawing, r Request) *scene {
	s := &scene{drawing: c, request: r, scheme: r.Theme.scheme(), pillsAt: newGrid[pill]()}
	s.width = math.Ceil(max(c.w+2*pad, narrowest)) // whole pixels: no half-covered last row or column
	s.badge = r.badge()
	s.title = text.Wrap(r.Chart.Title, titleStyle, s.headRoom(), 2)
	s.layLegend()
	s.origin = path.Point{X: (s.width - c.w) / 2, Y: s.headHeight() + 20}
	s.height = math.Ceil(s.origin.Y + c.h + 22 + s.legendHeight())
	return s
}

// headHeight is that of the header, which has room for a title of two lines.
func (s *scene) headHeight() float64 { return 32 + titleLine*float64(max(1, len(s.title))) }

// headRoom is how wide a line of the title may be, beside the badge.
func (s *scene) headRoom() float64 { return s.width - 2*pad - s.badge.width() - 12 }

func (b badge) width() float64 { return text.Width(b.words, labelStyle) + 30 }

func (r Request) badge() badge {
	b := badge{words: "Draft / planning", colour: typeColours[flow.TypeDecision]}
	o := r.Overlay
	switch {
	case o == nil && r.Version > 0:
		return badge{words: fmt.Sprintf("Approved / version %d", r.Version), colour: green}
	case o == nil:
		return b
	}
	b = badge{"Flowchart / live", o.Header, green}
	if o.Dry {
		b.words, b.state = "Flowchart / dry run", Possible
	}
	if word := endings[b.state]; word != "" {
		b.words = word
	}
	if c, ok := stateColours[b.state]; ok {
		b.colour = c
	}
	return b
}

// draw draws from back to front: edges, nodes, labels. It fails when ctx ends.
func (s *scene) draw(ctx context.Context, cv canvas.Canvas) error {
	cv.Path(path.Rect(0, 0, s.width, s.height, 0), canvas.Ink{Fill: s.back})
	s.drawHeader(cv)
	cv.Begin(canvas.Group{Class: "chart", Offset: s.origin})
	for _, last := range []bool{false, true} { // the ways taken lie on the others, with which they may share a lane
		for i := range s.wires {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("draw the flowchart: %w", err)
			}
			if _, taken := s.taken(&s.wires[i]); taken == last {
				s.drawWire(cv, &s.wires[i])
			}
		}
	}
	for i := range s.boxes {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("draw the flowchart: %w", err)
		}
		s.drawBox(cv, &s.boxes[i])
	}
	for i := range s.wires {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("draw the flowchart: %w", err)
		}
		s.drawLabel(cv, &s.wires[i])
	}
	cv.End()
	s.drawLegend(cv)
	return nil
}

// drawHeader says what this is: title, a line of figures, and whether it is a draft or a run.
func (s *scene) drawHeader(cv canvas.Canvas) {
	height, b := s.headHeight(), s.badge
	cv.Begin(canvas.Group{Class: "header"})
	cv.Path(path.Rect(0, 0, s.width, height, 0), canvas.Ink{Fill: s.panel})
	cv.Path(path.Rect(0, height-1, s.width, 1, 0), canvas.Ink{Fill: s.rule})
	y := 23.0
	for _, l := range s.title {
		cv.Text(l, path.Point{X: pad, Y: y}, titleStyle, s.ink)
		y += titleLine
	}
	cv.Text(text.Fit(s.request.subtitle(), smallStyle, s.width-2*pad), path.Point{X: pad, Y: height - 11.5}, smallStyle, s.muted)
	w := b.width()
	x := s.width - pad - w
	cv.Path(path.Rect(x, 7, w, 21, 10.5), canvas.Ink{Fill: b.colour.Alpha(.16).Over(s.panel), Stroke: b.colour, Width: 1})
	dot := path.Point{X: x + 12.5, Y: 17.5}
	if stateColours[b.state].A > 0 {
		s.stateMark(cv, dot, b.state, 6, s.panel)
	} else {
		cv.Path(path.Circle(dot, 3.2), canvas.Ink{Fill: b.colour})
	}
	cv.Text(b.words, path.Point{X: x + 22, Y: 21.5}, labelStyle, s.ink)
	cv.End()
}

// endings are the words for a run that is over.
var endings = map[State]string{
	Complete: "Done", Rejected: "Rejected", Error: "Failed", Cancelled: "Stopped", TimedOut: "Timed out",
}

// subtitle is the request's, or a count of what the picture shows.
func (r Request) subtitle() string {
	if r.Subtitle != "" {
		return r.Subtitle
	}
	steps := stepsOf(r.Chart)
	parts := []string{plural(len(steps), "step")}
	if r.dry() {
		n := 0
		for _, step := range steps {
			if r.stateOf(step) == Possible {
				n++
			}
		}
		parts[0] = fmt.Sprintf("%d of %s would run", n, plural(len(steps), "step"))
	} else if r.Overlay != nil {
		n := map[State]int{}
		for _, step := range steps {
			n[r.stateOf(step)]++
		}
		parts[0] = fmt.Sprintf("%d of %s complete", n[Complete], plural(len(steps), "step"))
		for _, c := range []struct {
			state State
			words string
		}{{Running, "running"}, {Waiting, "waiting"}, {Error, "failed"}, {Rejected, "rejected"}, {TimedOut, "timed out"}, {ByHand, "skipped by hand"}, {Skipped, "skipped"}, {Cancelled, "cancelled"}} {
			if n[c.state] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n[c.state], c.words))
			}
		}
	}
	if d := r.Diff; d != nil {
		for _, c := range []struct {
			count int
			words string
		}{
			{len(d.Added) + len(d.AddedEdges), "added"},
			{len(d.RemovedNodes) + len(d.RemovedEdges), "removed"},
			{len(d.Changed) + len(d.ChangedEdges), "changed"},
		} {
			if c.count > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", c.count, c.words))
			}
		}
	}
	return strings.Join(parts, " · ")
}

// stepsOf are the steps as people count them: the nodes of one number are one, and drawn starts and ends are none. Where no node has a
// number each of them is one.
func stepsOf(p chart.Chart) [][]chart.Node {
	var steps [][]chart.Node
	at := map[string]int{}
	for _, n := range p.Nodes {
		i, there := at[n.Number]
		switch {
		case n.Number == "":
		case there:
			steps[i] = append(steps[i], n)
		default:
			at[n.Number] = len(steps)
			steps = append(steps, []chart.Node{n})
		}
	}
	if len(steps) > 0 {
		return steps
	}
	for _, n := range p.Nodes {
		steps = append(steps, []chart.Node{n})
	}
	return steps
}

// stateOf is the state of a step: of those of its nodes, the one that says most.
func (r Request) stateOf(step []chart.Node) State {
	for _, state := range []State{Running, Waiting, Error, Rejected, TimedOut, ByHand, Possible, Complete, Cancelled, Skipped} {
		if slices.ContainsFunc(step, func(n chart.Node) bool { return r.Overlay.Nodes[n.ID].State == state }) {
			return state
		}
	}
	return Pending
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
