package render

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"sluice/render/canvas"
)

// Budget is what one picture may cost. A zero field stands for that of [defaultBudget].
//
// What a picture shows is bounded besides: a chart of more than 60 nodes or 90 edges is drawn as an overview of a few dozen
// shapes, and a label has at most two lines. Nodes and edges of a chart therefore bound the work of finding that overview.
type Budget struct {
	Nodes  int           // of a chart, with those that a comparison adds
	Edges  int           // of a chart, with those that a comparison adds
	Text   int           // letters of one text, such as a description in a tooltip; a longer one ends in an ellipsis
	Pixels int           // of a PNG; a larger one is drawn at a smaller scale
	Bytes  int           // of a finished picture
	Time   time.Duration // from the request to the finished picture; by default at least three times the patience for the layout
}

// defaultBudget has room for every flow that is valid, but for one of thousands of routes between each two nodes.
var defaultBudget = Budget{Nodes: 10_000, Edges: 40_000, Text: 2000, Pixels: canvas.MaxPixels, Bytes: 8 << 20, Time: 30 * time.Second}

// filled is the budget with the defaults in place of zeros.
func (b Budget) filled() Budget {
	d := defaultBudget
	for _, field := range []struct {
		of *int
		or int
	}{{&b.Nodes, d.Nodes}, {&b.Edges, d.Edges}, {&b.Text, d.Text}, {&b.Pixels, d.Pixels}, {&b.Bytes, d.Bytes}} {
		if *field.of <= 0 {
			*field.of = field.or
		}
	}
	if b.Time <= 0 {
		b.Time = d.Time
	}
	return b
}

// ErrBudget is what every [BudgetError] is.
var ErrBudget = errors.New("the flowchart is too large for a picture")

// BudgetError says which part of the budget a picture does not keep to. It stays the same when the request is repeated,
// except for the time.
type BudgetError struct {
	// Limit is the name of the part: nodes, edges, bytes or time.
	Limit string
	// Got and Most are in units of the part; Got is 0 for the time.
	Got, Most int
	took      time.Duration
}

// Error says what is too large, and for what.
func (e *BudgetError) Error() string {
	if e.Limit == "time" {
		return fmt.Sprintf("the flowchart took longer to draw than %s", e.took)
	}
	return fmt.Sprintf("the flowchart has %d %s, and a picture may have %d", e.Got, e.Limit, e.Most)
}

// Is reports that every such error is an [ErrBudget].
func (e *BudgetError) Is(target error) bool { return target == ErrBudget }

// admit checks a chart before any other work is spent on it.
func (b Budget) admit(q Request) error {
	nodes, edges := q.size()
	if nodes > b.Nodes {
		return &BudgetError{Limit: "nodes", Got: nodes, Most: b.Nodes}
	}
	if edges > b.Edges {
		return &BudgetError{Limit: "edges", Got: edges, Most: b.Edges}
	}
	return check(q.Chart)
}

// scale is the wanted scale of a PNG of w by h CSS pixels, or the largest that the budget has room for.
func (b Budget) scale(wanted, w, h float64) float64 {
	if !(wanted > 0) { // not a number is none either
		wanted = 2
	}
	return min(wanted, math.Sqrt(float64(b.Pixels)/(w*h)))
}

// finished checks a picture's bytes.
func (b Budget) finished(picture []byte) ([]byte, error) {
	if len(picture) > b.Bytes {
		return nil, &BudgetError{Limit: "bytes", Got: len(picture), Most: b.Bytes}
	}
	return picture, nil
}

// within makes a picture in the budget's time.
func (b Budget) within(ctx context.Context, make func(context.Context) ([]byte, error)) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, b.Time)
	defer cancel()
	picture, err := make(limited)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, fmt.Errorf("draw the flowchart: %w", &BudgetError{Limit: "time", took: b.Time})
	}
	return picture, err
}

// size is how many nodes and edges a request has, with those that a comparison adds.
func (r Request) size() (nodes, edges int) {
	nodes, edges = len(r.Chart.Nodes), len(r.Chart.Edges)
	if r.Diff != nil {
		nodes, edges = nodes+len(r.Diff.RemovedNodes), edges+len(r.Diff.RemovedEdges)
	}
	return nodes, edges
}
