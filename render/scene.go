package render

import (
	"context"
	"fmt"
	"math"
	"strings"

	"sluice/engine/flow"
	"sluice/render/canvas"
	"sluice/render/path"
	"sluice/render/text"
)

const (
	pad        = 22.0
	headHeight = 50.0
	narrowest  = 360.0 // of a picture: Slack shows a narrower one larger, not sharper
	legendRow  = 19.0
)

var (
	titleStyle = text.Style{Size: 15, Bold: true}
	smallStyle = text.Style{Size: 10}
)

// scene is one picture: a chart with a request's states, colours and words around it.
type scene struct {
	*chart
	request Request
	scheme
	width, height float64
	origin        path.Point // of the chart
	legend        [][]entry
	legendColumn  float64
	pills         []pill // drawn so far
	pillsAt       grid[pill]
}

func newScene(c *chart, r Request) *scene {
	s := &scene{chart: c, request: r, scheme: r.Theme.scheme(), pillsAt: newGrid[pill]()}
	s.width = math.Ceil(max(c.w+2*pad, narrowest)) // whole pixels: no half-covered last row or column
	s.layLegend()
	s.origin = path.Point{X: (s.width - c.w) / 2, Y: headHeight + 20}
	s.height = math.Ceil(s.origin.Y + c.h + 22 + s.legendHeight())
	return s
}

// draw draws from back to front: edges, nodes, labels. It fails when ctx ends.
func (s *scene) draw(ctx context.Context, cv canvas.Canvas) error {
	cv.Path(path.Rect(0, 0, s.width, s.height, 0), canvas.Ink{Fill: s.back})
	s.drawHeader(cv)
	cv.Begin(canvas.Group{Class: "chart", Offset: s.origin})
	for i := range s.wires {
		s.drawWire(cv, &s.wires[i])
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
	badge, colour := "Draft / planning", typeColours[flow.TypeDecision]
	var state State
	if o := s.request.Overlay; o != nil {
		badge, state, colour = "Flowchart / live", o.Header, green
		if o.Dry {
			badge, state = "Flowchart / dry run", Possible
		}
		if c, ok := stateColours[state]; ok {
			colour = c
		}
	}
	cv.Begin(canvas.Group{Class: "header"})
	cv.Path(path.Rect(0, 0, s.width, headHeight, 0), canvas.Ink{Fill: s.panel})
	cv.Path(path.Rect(0, headHeight-1, s.width, 1, 0), canvas.Ink{Fill: s.rule})
	w := text.Width(badge, labelStyle) + 30
	room := s.width - 2*pad - w - 14
	cv.Text(text.Fit(s.request.Plan.Title, titleStyle, room), path.Point{X: pad, Y: 23}, titleStyle, s.ink)
	cv.Text(text.Fit(s.request.subtitle(), smallStyle, room), path.Point{X: pad, Y: 38.5}, smallStyle, s.muted)
	x := s.width - pad - w
	cv.Path(path.Rect(x, headHeight/2-11, w, 21, 10.5), canvas.Ink{Fill: colour.Alpha(.16).Over(s.panel), Stroke: colour, Width: 1})
	dot := path.Point{X: x + 12.5, Y: headHeight/2 - .5}
	if stateColours[state].A > 0 {
		s.stateMark(cv, dot, state, 6, s.panel)
	} else {
		cv.Path(path.Circle(dot, 3.2), canvas.Ink{Fill: colour})
	}
	cv.Text(badge, path.Point{X: x + 22, Y: headHeight/2 + 3}, labelStyle, s.ink)
	cv.End()
}

// subtitle is the request's, or a count of what the picture shows.
func (r Request) subtitle() string {
	if r.Subtitle != "" {
		return r.Subtitle
	}
	steps := stepsOf(r.Plan)
	parts := []string{plural(len(steps), "step")}
	if r.dry() {
		n := 0
		for _, step := range steps {
			if r.Overlay.Nodes[step.ID].State == Possible {
				n++
			}
		}
		parts[0] = fmt.Sprintf("%d of %s would run", n, plural(len(steps), "step"))
	} else if r.Overlay != nil {
		n := map[State]int{}
		for _, step := range steps {
			n[r.Overlay.Nodes[step.ID].State]++
		}
		parts[0] = fmt.Sprintf("%d of %s complete", n[Complete], plural(len(steps), "step"))
		for _, c := range []struct {
			state State
			words string
		}{{Running, "running"}, {Waiting, "waiting"}, {Error, "failed"}, {Skipped, "skipped"}, {Cancelled, "cancelled"}} {
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

// stepsOf are the numbered nodes, or all of them where none has a number: drawn starts and ends are no steps.
func stepsOf(p flow.Plan) []flow.PlanNode {
	var steps []flow.PlanNode
	for _, n := range p.Nodes {
		if n.Number > 0 {
			steps = append(steps, n)
		}
	}
	if len(steps) == 0 {
		return p.Nodes
	}
	return steps
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
