package limits

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/runner"
)

// Ceilings are the limits that no flow may exceed.
type Ceilings struct {
	MaxSteps      Whole `name:"max-steps" env:"SLUICE_MAX_STEPS" default:"100000" help:"Steps that a flow may allow one of its runs (limits.steps)."`
	MaxIterations Whole `name:"max-iterations" env:"SLUICE_MAX_ITERATIONS" default:"100000" help:"Node visits that a flow may allow a run, an item or a round (max_iterations)."`
	MaxItems      Whole `name:"max-items" env:"SLUICE_MAX_ITEMS" default:"10000" help:"Items that a flow may allow a foreach (limits.items)."`
	MaxParallel   Whole `name:"max-parallel" env:"SLUICE_MAX_PARALLEL" default:"100" help:"Items of a foreach that may be open at once (max_parallel)."`
	MaxBranches   Whole `name:"max-branches" env:"SLUICE_MAX_BRANCHES" default:"200" help:"Branches of a parallel node."`
	MaxDepth      Whole `name:"max-depth" env:"SLUICE_MAX_DEPTH" default:"10" help:"Runs that a run started by a subflow node may lie within (limits.depth)."`
	MaxNodes      Whole `name:"max-nodes" env:"SLUICE_MAX_NODES" default:"2000" help:"Nodes of a flow, 2000 at most."`
	MaxTurns      Whole `name:"max-turns" env:"SLUICE_MAX_TURNS" default:"100" help:"Turns that a flow may allow an agent."`
	MaxTokens     Whole `name:"max-tokens" env:"SLUICE_MAX_TOKENS" default:"2000000" help:"Tokens that a flow may allow an agent."`
	MaxUSD        Whole `name:"max-usd" env:"SLUICE_MAX_USD" default:"100" help:"US dollars that a flow may allow an agent for one answer."`
	MaxAttempts   Whole `name:"max-attempts" env:"SLUICE_MAX_ATTEMPTS" default:"100" help:"Attempts of a retry, 100 at most."`
	MaxActive     Span  `name:"max-active" env:"SLUICE_MAX_ACTIVE" default:"168h" help:"Active time that a flow may allow a run, a node or an agent (timeout)."`
	MaxDocument   Whole `name:"max-document-kb" env:"SLUICE_MAX_DOCUMENT_KB" default:"1024" help:"Size of a flow file in KiB, 1024 at most."`
	MaxOutput     Whole `name:"max-output-kb" env:"SLUICE_MAX_OUTPUT_KB" default:"1024" help:"What one step may give, in KiB."`
	MaxVariable   Whole `name:"max-variable-kb" env:"SLUICE_MAX_VARIABLE_KB" default:"1024" help:"What one variable of a run may take, in KiB. All of them take 64 KiB of a run's state; larger ones are kept apart."`
	MinInterval   Span  `name:"min-schedule-interval" env:"SLUICE_MIN_SCHEDULE_INTERVAL" default:"1m" help:"The shortest time between two fires of a schedule."`
}

// Pacing is how fast the runs of a serving process go, and how many start.
type Pacing struct {
	StepsPerSecond  Whole `name:"steps-per-second" env:"SLUICE_STEPS_PER_SECOND" default:"100" help:"Steps a second of a run that goes on without waiting, once it has made its burst. 0 = as many as it can."`
	StepsBurst      Whole `name:"steps-burst" env:"SLUICE_STEPS_BURST" default:"2000" help:"Steps that a run may make as fast as it can."`
	StartsPerMinute Whole `name:"max-starts-per-minute" env:"SLUICE_MAX_STARTS_PER_MINUTE" default:"1000" help:"Runs of one flow that may start within a minute, in each process. 0 = any number."`
	LiveRuns        Whole `name:"max-live-runs" env:"SLUICE_MAX_LIVE_RUNS" default:"1000" help:"Live runs that one person may have started. 0 = any number."`
}

// Bound is a setting that counts.
type Bound struct {
	Name, variable string
	Value, least   Whole
}

// wrong lists the settings that are too low.
func wrong(all []Bound) (low []string) {
	for _, b := range all {
		if b.Value < b.least {
			low = append(low, fmt.Sprintf("%s must be a number, at least %d", b.variable, b.least))
		}
	}
	return low
}

// Each lists the settings that count, in the order in which they are shown.
func (c *Ceilings) Each() []Bound {
	return []Bound{
		{"max-steps", "SLUICE_MAX_STEPS", c.MaxSteps, 1},
		{"max-iterations", "SLUICE_MAX_ITERATIONS", c.MaxIterations, 1},
		{"max-items", "SLUICE_MAX_ITEMS", c.MaxItems, 1},
		{"max-parallel", "SLUICE_MAX_PARALLEL", c.MaxParallel, 1},
		{"max-branches", "SLUICE_MAX_BRANCHES", c.MaxBranches, 1},
		{"max-depth", "SLUICE_MAX_DEPTH", c.MaxDepth, 1},
		{"max-nodes", "SLUICE_MAX_NODES", c.MaxNodes, 1},
		{"max-turns", "SLUICE_MAX_TURNS", c.MaxTurns, 1},
		{"max-tokens", "SLUICE_MAX_TOKENS", c.MaxTokens, 1},
		{"max-usd", "SLUICE_MAX_USD", c.MaxUSD, 1},
		{"max-attempts", "SLUICE_MAX_ATTEMPTS", c.MaxAttempts, 1},
		{"max-document-kb", "SLUICE_MAX_DOCUMENT_KB", c.MaxDocument, 1},
		{"max-output-kb", "SLUICE_MAX_OUTPUT_KB", c.MaxOutput, 1},
		{"max-variable-kb", "SLUICE_MAX_VARIABLE_KB", c.MaxVariable, 1},
	}
}

// Each lists the settings that count, in the order in which they are shown.
func (p *Pacing) Each() []Bound {
	return []Bound{
		{"steps-per-second", "SLUICE_STEPS_PER_SECOND", p.StepsPerSecond, 0},
		{"steps-burst", "SLUICE_STEPS_BURST", p.StepsBurst, 1},
		{"max-starts-per-minute", "SLUICE_MAX_STARTS_PER_MINUTE", p.StartsPerMinute, 0},
		{"max-live-runs", "SLUICE_MAX_LIVE_RUNS", p.LiveRuns, 0},
	}
}

// TooLow lists the settings that are too low.
func (c *Ceilings) TooLow() []string {
	all := wrong(c.Each())
	if c.MaxActive <= 0 {
		all = append(all, "SLUICE_MAX_ACTIVE must be longer than nothing; write for example 168h")
	}
	if c.MinInterval <= 0 {
		all = append(all, "SLUICE_MIN_SCHEDULE_INTERVAL must be longer than nothing; write for example 1m")
	}
	return all
}

// OfFlows are the ceilings that a flow is held against.
func (c *Ceilings) OfFlows() flow.Ceilings {
	return flow.Ceilings{
		Steps: int(c.MaxSteps), Visits: int(c.MaxIterations), Items: int(c.MaxItems), Parallel: int(c.MaxParallel), Branches: int(c.MaxBranches), Depth: int(c.MaxDepth),
		Nodes: int(c.MaxNodes), Turns: int(c.MaxTurns), Tokens: int(c.MaxTokens), USD: float64(c.MaxUSD), Attempts: int(c.MaxAttempts), Active: time.Duration(c.MaxActive),
		Document: int(c.MaxDocument) << 10, Output: int(c.MaxOutput) << 10, Variable: int(c.MaxVariable) << 10, Interval: time.Duration(c.MinInterval),
	}
}

// TooLow lists the settings that are too low.
func (p *Pacing) TooLow() []string { return wrong(p.Each()) }

// Pace is how fast a run goes.
func (p *Pacing) Pace() runner.Pace {
	return runner.Pace{PerSecond: int(p.StepsPerSecond), Burst: int(p.StepsBurst)}
}

// Whole is a setting that counts. What is no number reads as unreadable, for problems to say so.
type Whole int

// UnmarshalText never fails.
func (n *Whole) UnmarshalText(text []byte) error {
	i, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		i = unreadable
	}
	*n = Whole(i)
	return nil
}

// Span is a setting that is a length of time, in the same way.
type Span time.Duration

// UnmarshalText never fails.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil {
		d = unreadable
	}
	*s = Span(d)
	return nil
}

const unreadable = -1
