package surface

import (
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/engine/history"
	"sluice/engine/view"
	"sluice/storage"
)

// The words of a run's outcome, the same on cards and in lists.
var (
	outcomeMarks = map[history.Outcome]card.Text{
		history.OutcomeDone: card.Textf(":white_check_mark:"), history.OutcomeRejected: card.Textf(":no_entry:"), history.OutcomeFailed: card.Textf(":x:"),
		history.OutcomeStopped: card.Textf(":no_entry_sign:"), history.OutcomeTimedOut: card.Textf(":alarm_clock:"),
	}
	outcomeWords = map[history.Outcome]string{
		history.OutcomeDone: "Done", history.OutcomeRejected: "Rejected", history.OutcomeFailed: "Failed", history.OutcomeStopped: "Stopped", history.OutcomeTimedOut: "Timed out",
	}
)

// outcomeOf is what a run has come to; empty while it is live. Rows of releases before outcomes have none: then their status tells.
func outcomeOf(r storage.Run) history.Outcome {
	if r.Outcome != "" {
		return history.Outcome(r.Outcome)
	}
	return history.OutcomeOf(history.Status(r.Status))
}

// OutcomeNamed finds the outcome that a word means, as people write it: "rejected", "timed out", "timed_out".
func OutcomeNamed(word string) (history.Outcome, bool) {
	for _, o := range history.Outcomes {
		if flat(word) == flat(string(o)) {
			return o, true
		}
	}
	return "", false
}

// flat is a word without case, spaces and underscores.
func flat(word string) string {
	return strings.NewReplacer("_", "", " ", "", "-", "").Replace(strings.ToLower(word))
}

// Standing says in a word how a run stands or ended, with its mark before it.
func Standing(r storage.Run) (mark card.Text, word string) {
	if o := outcomeOf(r); o != "" {
		return outcomeMarks[o], outcomeWords[o]
	}
	switch history.Status(r.Status) {
	case history.Paused:
		return card.Textf(":double_vertical_bar:"), "Paused"
	case history.Waiting:
		return card.Textf(":raised_hand:"), "Waiting"
	}
	return card.Textf(":hourglass_flowing_sand:"), "Running"
}

// endLine says how a run ended: by whom and why.
func endLine(v *view.View) card.Text {
	o := outcomeOf(v.Run)
	line := card.Textf("%s *%s*", outcomeMarks[o], outcomeWords[o])
	ending, actor := lastEnd(v)
	switch {
	case o == history.OutcomeDone:
		return card.Textf("%s in %s.", line, duration(v.Run.Ended.Sub(v.Run.Started)))
	case o == history.OutcomeStopped && v.Ended != nil:
		return card.Textf("%s%s%s.", line, by(actor), because(v.Ended.Reason))
	case ending != nil:
		return card.Textf("%s%s.", line, decidedBy(v, ending))
	case o == history.OutcomeTimedOut && v.Ended != nil && v.Ended.Error != nil && v.Ended.Error.Type == history.ErrorGate:
		return card.Textf("%s: nobody answered %s in time.", line, stepName(v, v.Ended.Error.Node))
	case o == history.OutcomeFailed:
		return card.Textf("%s: a step went wrong.", line)
	}
	return card.Textf("%s.", line)
}

// decidedBy says who decided about a run, and what they wrote.
func decidedBy(v *view.View, e *history.Ending) card.Text {
	switch {
	case e.OwnTime(v.Flow):
		return card.Textf(": its own time was over at %s", stepName(v, e.Node))
	case e.Outcome == history.OutcomeTimedOut:
		return card.Textf(": nobody answered %s in time", stepName(v, e.Node))
	case e.Choice == "":
		return card.Textf(": the flow ended at %s", stepName(v, e.Node))
	case e.Run != "":
		return card.Textf("%s in %s%s", by(e.By), e.Run, because(e.Note))
	}
	return card.Textf("%s%s", by(e.By), because(e.Note))
}

func by(a history.Actor) card.Text {
	switch {
	case a.User != "":
		return card.Textf(" by %s", card.User(a.User))
	case a.Name != "":
		return card.Textf(" by %s", a.Name)
	}
	return card.Textf("")
}

func because(words string) card.Text {
	if words == "" {
		return card.Textf("")
	}
	return card.Textf(": %s", words)
}

// lastEnd gives the decision that ended a run, and whose doing its end was.
func lastEnd(v *view.View) (*history.Ending, history.Actor) {
	for _, f := range slices.Backward(v.Facts) {
		if b, ok := f.Body.(*history.RunEnded); ok {
			return b.Ending, f.Actor
		}
	}
	return nil, history.Actor{}
}
