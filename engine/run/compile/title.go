package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/engine/expr"
	"sluice/engine/history"
)

const Dots = "•••"

// Title renders the flow's run.title for a start; sensitive inputs are dots. It is empty when the flow has none or when the
// title reads nothing that is there.
func (p *Program) Title(start history.RunStarted, at time.Time) (string, error) {
	v, err := p.title.Render(&startScope{p: p, start: &start, hide: func(any) any { return Dots }}, expr.Options{Now: at})
	if err != nil {
		return "", fmt.Errorf("render run.title: %w", err)
	}
	return strings.TrimSpace(expr.Text(v)), nil
}

// Key renders the flow's run.key for a start; sensitive inputs are replaced by a fingerprint, so that equal values give equal keys.
func (p *Program) Key(start history.RunStarted, at time.Time) (string, error) {
	v, err := p.key.Render(&startScope{p: p, start: &start, hide: fingerprint}, expr.Options{Now: at})
	if err != nil {
		return "", fmt.Errorf("render run.key: %w", err)
	}
	return strings.TrimSpace(expr.Text(v)), nil
}

// startScope is what a run's title and key may read: all that is known before its first step.
type startScope struct {
	p     *Program
	start *history.RunStarted
	hide  func(any) any
}

// Get finds inputs, event and run.
func (s *startScope) Get(name string) (any, bool) {
	switch name {
	case "inputs", "input":
		inputs := maps.Clone(s.start.Inputs)
		for _, key := range slices.Collect(maps.Keys(inputs)) {
			if s.p.Sensitive[key] {
				inputs[key] = s.hide(inputs[key])
			}
		}
		return inputs, true
	case "event":
		return s.start.Event, true
	case "run":
		return map[string]any{"name": s.start.Name, "started_by": s.start.By}, true
	}
	return nil, false
}

// fingerprint replaces a sensitive value where equal values must stay equal.
func fingerprint(v any) any { return history.Digest(v)[:16] }
