package render

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"

	"sluice/engine/flow"
	"sluice/render/canvas"
	"sluice/render/text"
)

// Options are the settings of a Renderer; the zero value is fine.
type Options struct {
	// Charts is how many laid-out plans are kept, 256 when zero. One of 15 nodes takes about 120 KiB.
	Charts int
	// Patience is how long a new plan waits for a good layout before it gets a plain one, 10 s when zero. A layout takes
	// some milliseconds, on a busy machine a second.
	Patience time.Duration
}

// Renderer makes pictures and keeps the layouts of the plans it saw last, so that a change of states is drawn without
// laying the plan out again. It is safe for concurrent use.
type Renderer struct {
	charts   *cache
	patience time.Duration
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
	return &Renderer{charts: newCache(o.Charts), patience: o.Patience}
}

// PNG draws a picture with a palette, of a large plan its overview. It fails when the plan has no nodes or contradicts
// itself, and when ctx ends.
func (r *Renderer) PNG(ctx context.Context, q Request) ([]byte, error) {
	s, err := r.scene(ctx, q)
	if err != nil {
		return nil, err
	}
	scale := q.Scale
	if scale <= 0 {
		scale = 2
	}
	cv := canvas.NewRaster(s.width, s.height, scale, s.panel)
	if err := s.draw(ctx, cv); err != nil {
		return nil, err
	}
	return cv.PNG()
}

// SVG draws a self-contained document with tooltips. It fails as PNG does.
func (r *Renderer) SVG(ctx context.Context, q Request) ([]byte, error) {
	s, err := r.scene(ctx, q)
	if err != nil {
		return nil, err
	}
	cv := canvas.NewSVG(s.width, s.height, text.Plain(q.Plan.Title), r.Alt(q))
	if err := s.draw(ctx, cv); err != nil {
		return nil, err
	}
	return cv.Bytes(), nil
}

func (r *Renderer) scene(ctx context.Context, q Request) (*scene, error) {
	if err := check(q.Plan); err != nil {
		return nil, fmt.Errorf("draw the flowchart: %w", err)
	}
	q = r.Overview(q)
	c, err := r.chart(ctx, q.Plan, q.Diff)
	if err != nil {
		return nil, fmt.Errorf("lay out the flowchart: %w", err)
	}
	return newScene(c, q), nil
}

// chart is the plan's layout, kept or new. Callers that ask for the same plan at once share one layout.
func (r *Renderer) chart(ctx context.Context, p flow.Plan, d *Diff) (*chart, error) {
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
		return got.Val.(*chart), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// keyOf is the hash of everything that a layout depends on.
func keyOf(p flow.Plan, d *Diff) (string, error) {
	content, err := json.Marshal(struct {
		Nodes []flow.PlanNode
		Edges []flow.PlanEdge
		Diff  *Diff
	}{p.Nodes, p.Edges, d})
	if err != nil {
		return "", fmt.Errorf("hash the plan: %w", err)
	}
	sum := sha256.Sum256(content)
	return string(sum[:]), nil
}
