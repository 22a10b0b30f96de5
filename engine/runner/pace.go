package runner

import (
	"context"
	"sync"
	"time"

	"sluice/engine/dispatch"
)

// Pace bounds how fast one run makes steps, so that a run that loops without waiting leaves the processor and the database to others. The zero
// Pace sets no bound.
type Pace struct {
	PerSecond int // steps a second, once Burst is used up
	Burst     int // steps that a run may make as fast as it can
}

// pacesMost is how many runs are remembered before those that have their whole burst are forgotten.
const pacesMost = 1000

// paces remembers how many steps each run may make at once.
type paces struct {
	Pace
	mu   sync.Mutex
	runs map[string]*paced
}

// paced is a run with the steps that it had made when it was last looked at.
type paced struct {
	steps int
	left  float64 // steps that it may make now; less than none = it has to wait
	at    time.Time
}

// wait says how long a run that has made so many steps has to wait before it makes another.
func (p *paces) wait(id string, steps int, now time.Time) time.Duration {
	if p.PerSecond <= 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.runs[id]
	if r == nil {
		p.forget(now)
		r = &paced{steps: steps, left: float64(p.Burst), at: now}
		if p.runs == nil {
			p.runs = map[string]*paced{}
		}
		p.runs[id] = r
	}
	r.left = min(float64(p.Burst), r.left+now.Sub(r.at).Seconds()*float64(p.PerSecond)) - float64(max(steps-r.steps, 0))
	r.steps, r.at = steps, now
	if r.left >= 0 {
		return 0
	}
	return time.Duration(-r.left / float64(p.PerSecond) * float64(time.Second))
}

// forget drops runs that have their whole burst again.
func (p *paces) forget(now time.Time) {
	if len(p.runs) < pacesMost {
		return
	}
	for id, r := range p.runs {
		if r.left+now.Sub(r.at).Seconds()*float64(p.PerSecond) >= float64(p.Burst) {
			delete(p.runs, id)
		}
	}
}

// restMost is how long a worker waits with a token that it holds.
const restMost = time.Second

// early delays an item that no worker holds yet, if its run has to wait, and reports whether it did. The lease stays: the sweep may look at
// it before then, and asks here again.
func (x *Runner) early(l *live, it dispatch.Item) bool {
	wait := x.paces.wait(it.Run, l.steps(), time.Now())
	if wait <= 0 {
		return false
	}
	time.AfterFunc(wait, func() { x.cfg.Dispatcher.Enqueue(it) })
	return true
}

// rest makes a worker wait that holds a token of a run that is too fast. It reports whether the worker has waited: its turn is over then.
func (x *Runner) rest(ctx context.Context, l *live, id string) bool {
	if wait := min(x.paces.wait(id, l.steps(), time.Now()), restMost); wait > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		return true
	}
	return false
}
