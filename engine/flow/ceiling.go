package flow

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Ceilings are the highest limits that an installation allows for any flow. Zero means that the installation sets no ceiling.
type Ceilings struct {
	Steps    int           // limits.steps
	Visits   int           // max_iterations
	Items    int           // limits.items
	Parallel int           // max_parallel of a foreach
	Branches int           // of one parallel node
	Depth    int           // limits.depth
	Nodes    int           // of a flow
	Turns    int           // of one answer of an agent
	Tokens   int           // of one answer of an agent
	USD      float64       // of one answer of an agent
	Attempts int           // of a retry
	Active   time.Duration // flow.timeout, and the timeouts of nodes and agents
	Document int           // bytes of a flow file
	Output   int           // bytes of what a step gives, as JSON
	Variable int           // bytes of one variable, as JSON
	Interval time.Duration // the shortest between two fires of a schedule
}

// ceiling is one ceiling: the setting that raises it, and the value that a flow asks for.
type ceiling struct {
	setting string
	most    float64
	show    func(float64) string
}

func (c ceiling) passed(asked float64) bool { return c.most > 0 && asked > c.most }

// clamp lowers the value of a flow to the ceiling. A flow without a value gets the given default.
func (c ceiling) clamp(asked, otherwise float64) float64 {
	if asked == 0 {
		asked = otherwise
	}
	if c.most > 0 && (asked > c.most || asked == 0) {
		return c.most
	}
	return asked
}

func count(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func length(n float64) string { return time.Duration(n).String() }

func size(n float64) string { return count(math.Ceil(n/1024)) + " KiB" }

func whole(setting string, most int) ceiling { return ceiling{setting, float64(most), count} }

// overCeiling reports a limit of a flow that is above the ceiling.
func (v *Checker) overCeiling(a At, what string, asked float64, c ceiling) {
	if c.passed(asked) {
		v.Error(a, "over-ceiling", fmt.Sprintf("'%s' is %s%s, and this installation allows %s", what, c.show(asked), a.On, c.show(c.most)),
			"lower it; an operator can raise "+c.setting)
	}
}

// Ceilings checks a flow against the ceilings of the installation.
func (v *Checker) Ceilings() {
	c, f := v.Checks.Ceilings, v.Flow
	v.overCeiling(At{Path: "limits.steps"}, "limits.steps", float64(f.Limits.Steps), whole("SLUICE_MAX_STEPS", c.Steps))
	v.overCeiling(At{Path: "limits.items"}, "limits.items", float64(f.Limits.Items), whole("SLUICE_MAX_ITEMS", c.Items))
	v.overCeiling(At{Path: "limits.depth"}, "limits.depth", float64(f.Limits.Depth), whole("SLUICE_MAX_DEPTH", c.Depth))
	v.overCeiling(At{Path: "flow.max_iterations"}, "max_iterations", float64(f.MaxVisits), whole("SLUICE_MAX_ITERATIONS", c.Visits))
	v.overCeiling(At{Path: "flow.nodes"}, "nodes", float64(len(f.Nodes)), whole("SLUICE_MAX_NODES", c.Nodes))
	v.overCeiling(At{Path: "name"}, "document size", float64(v.size()), ceiling{"SLUICE_MAX_DOCUMENT_KB", float64(c.Document), size})
	active := ceiling{"SLUICE_MAX_ACTIVE", float64(c.Active), length}
	v.overCeiling(At{Path: "flow.timeout"}, "timeout", float64(f.Timeout.Clock), active)
	for i := range f.Agents {
		l := f.Agents[i].Limits
		a := At{Path: fmt.Sprintf("agents[%d].limits", i), On: fmt.Sprintf(" on agent '%s'", f.Agents[i].ID)}
		v.overCeiling(a.In("turns"), "turns", float64(l.Turns), whole("SLUICE_MAX_TURNS", c.Turns))
		v.overCeiling(a.In("tokens"), "tokens", float64(l.Tokens), whole("SLUICE_MAX_TOKENS", c.Tokens))
		v.overCeiling(a.In("usd"), "usd", l.USD, ceiling{"SLUICE_MAX_USD", c.USD, count})
		v.overCeiling(a.In("timeout"), "timeout", float64(l.Timeout.Clock), active)
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		a := At{Path: fmt.Sprintf("flow.nodes[%d]", i), On: fmt.Sprintf(" on flow node '%s'", n.ID)}
		v.overCeiling(a.In("timeout"), "timeout", float64(n.Timeout.Clock), active)
		if n.Retry != nil {
			v.overCeiling(a.In("retry.max_attempts"), "max_attempts", float64(n.Retry.MaxAttempts), whole("SLUICE_MAX_ATTEMPTS", c.Attempts))
		}
		if s, ok := n.Spec.(limited); ok {
			s.checkCeilings(v, a, c)
		}
	}
}

// size is how many bytes the file has; of a flow without a file, its canonical form.
func (v *Checker) size() int {
	switch {
	case v.Checks.Ceilings.Document == 0:
		return 0
	case v.origin != nil:
		return v.origin.Size
	}
	return len(Canonical(v.Flow))
}

func jsonSize(v any) int {
	b, _ := json.Marshal(v) // a value that is no JSON is reported elsewhere
	return len(b)
}

// The limits when neither the flow nor the installation sets one.
const (
	StepsDefault = 100_000
	ItemsDefault = 10_000
	DepthDefault = 10
)

// Clamp gives a flow whose limits are within the ceilings. A flow that was approved under higher ceilings runs with the lower ones,
// and its on_limit applies.
func (c Ceilings) Clamp(f *Flow) *Flow {
	if c == (Ceilings{}) {
		return f
	}
	f = f.Clone()
	lower := func(n *int, most, otherwise int) { *n = int(whole("", most).clamp(float64(*n), float64(otherwise))) }
	within := func(n *int, most int) { // a flow without a value keeps none
		if *n > 0 {
			lower(n, most, 0)
		}
	}
	span := func(d *Duration) {
		if d.Clock > 0 && c.Active > 0 {
			d.Clock = min(d.Clock, c.Active)
		}
	}
	lower(&f.Limits.Steps, c.Steps, StepsDefault)
	lower(&f.Limits.Items, c.Items, ItemsDefault)
	lower(&f.Limits.Depth, c.Depth, DepthDefault)
	within(&f.MaxVisits, c.Visits)
	span(&f.Timeout)
	for i := range f.Agents {
		l := &f.Agents[i].Limits
		within(&l.Turns, c.Turns)
		within(&l.Tokens, c.Tokens)
		if c.USD > 0 && l.USD > 0 {
			l.USD = min(l.USD, c.USD)
		}
		span(&l.Timeout)
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		span(&n.Timeout)
		if n.Retry != nil {
			within(&n.Retry.MaxAttempts, c.Attempts)
		}
		if s, ok := n.Spec.(*ForeachSpec); ok {
			within(&s.MaxParallel, c.Parallel)
		}
	}
	return f
}
