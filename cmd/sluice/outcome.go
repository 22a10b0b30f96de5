package main

import (
	"cmp"
	"context"
	"encoding/json"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/view"
)

// exitCodes are the exit codes of `sluice run`.
var exitCodes = map[history.Outcome]int{
	history.OutcomeDone: 0, history.OutcomeFailed: exitFailed, history.OutcomeStopped: exitStopped, history.OutcomeRejected: exitRejected, history.OutcomeTimedOut: exitTimedOut,
}

// exitHelp says so in the help.
const exitHelp = "Exit codes: 0 done, 1 failed, 2 the file or the command line is wrong, 3 stopped by a person, 4 rejected, 5 timed out."

var outcomeWords = map[history.Outcome]string{
	history.OutcomeDone: "done", history.OutcomeFailed: "failed", history.OutcomeStopped: "stopped", history.OutcomeRejected: "rejected", history.OutcomeTimedOut: "timed out",
}

// verdict prints the outcome and turns it into an exit code.
func (t *terminal) verdict(asJSON bool) error {
	v, err := t.engine.View(context.Background(), t.run)
	if err != nil {
		return err
	}
	outcome := t.outcome(v)
	if asJSON {
		if err := t.printJSON(v, outcome); err != nil {
			return err
		}
	}
	if code := exitCodes[outcome]; code != 0 {
		return &exitError{code: code}
	}
	return nil
}

// outcome is the outcome of the run. One that stood at a failure when nobody was there to say what to do about it has failed, or
// timed out: that the terminal ended it then is not somebody's decision.
func (t *terminal) outcome(v *view.View) history.Outcome {
	if !t.unattended {
		return v.Ended.Outcome
	}
	before := v.Ended.Outcome
	for _, f := range v.Facts {
		switch b := f.Body.(type) {
		case *history.RunEnded:
			if b.Status == history.Failed {
				before = b.Outcome
			}
		case *history.RunReopened:
			before = v.Ended.Outcome
		}
	}
	return before
}

// endWords describe the end of a run: the person who ended it, and the reason.
func endWords(b *history.RunEnded, actor history.Actor, f *flow.Flow) string {
	words, e := outcomeWords[b.Outcome], b.Ending
	by := func(a history.Actor) {
		if who := cmp.Or(a.Name, a.User); who != "" {
			words += " by " + who
		}
	}
	because := func(reason string) string {
		if reason != "" {
			words += ": " + reason
		}
		return words
	}
	switch {
	case b.Outcome == history.OutcomeStopped:
		by(actor)
		return because(b.Reason)
	case e != nil && e.Choice != "":
		by(e.By)
		words += " (" + e.Node + ": " + e.Choice + ")"
		return because(e.Note)
	case e != nil && e.OwnTime(f):
		return because("its own time was over at " + e.Node)
	case e != nil && e.Outcome == history.OutcomeTimedOut:
		return because("nobody answered " + e.Node + " in time")
	case e != nil:
		return because("the flow ended at " + e.Node)
	case b.Error != nil:
		return because(b.Error.Node + ": " + b.Error.Message)
	}
	return because(b.Reason)
}

func (t *terminal) printJSON(v *view.View, outcome history.Outcome) error {
	nodes := map[string]any{}
	for id, n := range v.Nodes {
		row := map[string]any{"state": n.State, "visits": n.Visits}
		if x := v.Latest(id); x.Choice != "" {
			row["choice"] = x.Choice
		} else if x.Error != nil {
			row["error"] = x.Error
		}
		nodes[id] = row
	}
	edges := map[string]int{}
	for id, e := range v.Edges {
		edges[id] = e.Count
	}
	e := json.NewEncoder(t.std.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{
		"run": v.Run.Name, "title": v.Run.Title, "status": v.Run.Status, "outcome": outcome, "steps": v.Run.Steps, "output": v.Result, "nodes": nodes, "edges": edges,
	})
}
