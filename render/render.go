package render

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"

	"sluice/engine/flow/chart"
	"sluice/render/canvas"
	"sluice/render/text"
)

// Options are the settings of a Renderer; the zero value is fine.
type Options struct {
	// Charts is how many laid-out charts are kept, 256 when zero. One of 15 nodes takes about 120 KiB.
	Charts int
	// Patience is how long a new chart waits for a good layout before it gets a plain one, 10 s when zero. A layout takes
	// some milliseconds, on a busy machine a second.
	Patience time.Duration
	// Budget is what one picture may cost.
	Budget Budget
}

// Renderer makes pictures and keeps the layouts of the charts it saw last, so that a change of states is drawn without
// laying the chart out again. It is safe for concurrent use.
type Renderer struct {
	charts   *cache
	patience time.Duration
	budget   Budget
	flight   singleflight.Group
}

// New makes a Renderer.
func New(o Options) *Renderer {
	if o.Charts <= 0 {
		o.Charts = 256
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	if o.Budget.Time <= 0 { // the layout is a part of it
		o.Budget.Time = max(defaultBudget.Time, 3*o.Patience)
	}
	return &Renderer{charts: newCache(o.Charts), patience: o.Patience, budget: o.Budget.filled()}
}

// PNG draws a picture with a palette, of a large chart its overview. It fails when the chart has no nodes or contradicts
// itself, with a [BudgetError] when the picture does not keep to its budget, and when ctx ends.
func (r *Renderer) PNG(ctx context.Context, q Request) ([]byte, error) {
	return r.budget.within(ctx, func(ctx context.Context) ([]byte, error) {
		s, err := r.scene(ctx, q)
		if err != nil {
			return nil, err
		}
		cv := canvas.NewRaster(s.width, s.height, r.budget.scale(q.Scale, s.width, s.height), s.panel)
		if err := s.draw(ctx, cv); err != nil {
			return nil, err
		}
		png, err := cv.PNG()
		if err != nil {
			return nil, err
		}
		return r.budget.finished(png)
	})
}

// SVG draws a self-contained document with tooltips. It fails as PNG does.
func (r *Renderer) SVG(ctx context.Context, q Request) ([]byte, error) {
	return r.budget.within(ctx, func(ctx context.Context) ([]byte, error) {
		s, err := r.scene(ctx, q)
		if err != nil {
			return nil, err
		}
		cv := canvas.NewSVG(s.width, s.height, text.Plain(s.request.Chart.Title), r.Alt(q))
		if err := s.draw(ctx, cv); err != nil {
			return nil, err
		}
		return r.budget.finished(cv.Bytes())
	})
}

func (r *Renderer) scene(ctx context.Context, q Request) (*scene, error) {
	if err := r.budget.admit(q); err != nil {
		return nil, fmt.Errorf("draw the flowchart: %w", err)
	}
	q = bounded(r.Overview(q), r.budget.Text)
	c, err := r.chart(ctx, q.Chart, q.Diff)
	if err != nil {
		return nil, fmt.Errorf("lay out the flowchart: %w", err)
	}
	return newScene(c, q), nil
}

// chart gives the chart's layout, kept or new. Callers that ask for the same chart at once share one layout.
func (r *Renderer) chart(ctx context.Context, p chart.Chart, d *Diff) (*drawing, error) {
	key, err := keyOf(p, d)
	if err != nil {
		return nil, err
	}
	if c, ok := r.charts.get(key); ok {
		return c, nil
	}
	done := r.flight.DoChan(key, func() (any, error) {
		c, err := compose(context.WithoutCancel(ctx), p, d, r.patience) // another caller may be waiting for it
		if err != nil {
			return nil, err
		}
		if !c.makeshift {
			r.charts.put(key, c)
		}
		return c, nil
	})
	select {
	case got := <-done:
		if got.Err != nil {
			return nil, got.Err
		}
		return got.Val.(*drawing), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// keyOf is the hash of everything that a layout depends on.
func keyOf(p chart.Chart, d *Diff) (string, error) {
	content, err := json.Marshal(struct {
		Nodes []chart.Node
		Edges []chart.Edge
		Diff  *Diff
	}{p.Nodes, p.Edges, d})
	if err != nil {
		return "", fmt.Errorf("hash the chart: %w", err)
	}
	sum := sha256.Sum256(content)
	return string(sum[:]), nil
}
