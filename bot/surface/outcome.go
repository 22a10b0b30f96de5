package surface

import (
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/engine/history"
	"sluice/engine/planner/tree"
	"sluice/engine/view"
	"sluice/storage"
)

// The words of a run's outcome, the same on cards and in lists.
var (
	outcomeMarks = map[history.Outcome]string{ // emojis
		history.OutcomeDone: "white_check_mark", history.OutcomeRejected: "no_entry", history.OutcomeFailed: "x", history.OutcomeStopped: "no_entry_sign", history.OutcomeTimedOut: "alarm_clock",
	}
	outcomeWords = map[history.Outcome]string{
		history.OutcomeDone: "Done", history.OutcomeRejected: "Rejected", history.OutcomeFailed: "Failed", history.OutcomeStopped: "Stopped", history.OutcomeTimedOut: "Timed out",
	}
)

// outcomeOf is the outcome of a run; empty while it is live. Rows of releases before outcomes have none: the status is read instead.
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

// flat writes a word in small letters, without spaces and underscores.
func flat(word string) string {
	return strings.NewReplacer("_", "", " ", "", "-", "").Replace(strings.ToLower(word))
}

// Failed reports whether a run has failed.
func Failed(r storage.Run) bool { return outcomeOf(r) == history.OutcomeFailed }

// Standing is the state or the outcome of a run in a word, with its mark before it.
func Standing(r storage.Run) (mark card.Text, word string) {
	if o := outcomeOf(r); o != "" {
		return card.Emoji(outcomeMarks[o]), outcomeWords[o]
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
func (p *progress) endLine() card.Text {
	v, o := p.View, outcomeOf(p.Run)
	line := card.Textf("%s *%s*", card.Emoji(outcomeMarks[o]), p.outcome())
	ending, actor := lastEnd(v)
	switch {
	case o == history.OutcomeDone:
		return card.Textf("%s in %s.", line, duration(v.Run.Ended.Sub(v.Run.Started)))
	case o == history.OutcomeStopped && v.Ended != nil:
		return card.Textf("%s%s.", line, withReason(by(actor), v.Ended.Reason))
	case p.plainNo():
		return card.Textf("%s: %s.", line, withReason(card.Textf("%s answered “%s”", card.User(ending.By.User), ending.Choice), ending.Note))
	case ending != nil:
		return card.Textf("%s%s.", line, p.decidedBy(ending))
	case o == history.OutcomeTimedOut && v.Ended != nil && v.Ended.Error != nil && v.Ended.Error.Type == history.ErrorGate:
		return card.Textf("%s: nobody answered “%s” in time.", line, stepName(v, v.Ended.Error.Node))
	case o == history.OutcomeFailed && v.Ended != nil && v.Ended.Error != nil && v.Ended.Error.Node != "":
		return card.Textf("%s at %s: %s.", line, p.place(v.Ended.Error.Node), strings.TrimRight(card.OneLine(card.Shorten(v.Ended.Error.Message, reasonMost)), ". "))
	case o == history.OutcomeFailed:
		return card.Textf("%s: a step went wrong.", line)
	}
	return card.Textf("%s.", line)
}

// outcome is the outcome of a run in a word. A run in which nothing was rejected, but a question was answered with no, has ended.
func (p *progress) outcome() string {
	if p.plainNo() {
		return "Ended"
	}
	return outcomeWords[outcomeOf(p.Run)]
}

// plainNo reports whether a person's no to a question, or a task that they cannot do, has ended a run.
func (p *progress) plainNo() bool {
	ending, _ := lastEnd(p.View)
	return ending != nil && outcomeOf(p.Run) == history.OutcomeRejected && ending.By.User != "" &&
		(strings.EqualFold(ending.Choice, "no") || slices.Contains(tree.PersonChoices(), ending.Choice))
}

// reasonMost is how much of the reason of a failure a line shows. The question about it has all of it.
const reasonMost = 200

// decidedBy names the people who decided about a run, with their notes.
func (p *progress) decidedBy(e *history.Ending) card.Text {
	v := p.View
	switch {
	case e.OwnTime(v.Flow):
		return card.Textf(": its own time was over at %s", stepName(v, e.Node))
	case e.Outcome == history.OutcomeTimedOut:
		return card.Textf(": nobody answered “%s” in time", stepName(v, e.Node))
	case e.Choice == "":
		return card.Textf(": the flow ended at %s", stepName(v, e.Node))
	case e.Run != "":
		return withReason(card.Textf("%s in %s", by(e.By), e.Run), e.Note)
	}
	return withReason(by(e.By), e.Note)
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

// withReason adds a person's note to their name.
func withReason(who card.Text, words string) card.Text {
	if words == "" {
		return who
	}
	return card.Textf("%s: “%s”", who, words)
}

// lastEnd gives the decision that ended a run, and the actor of its end.
func lastEnd(v *view.View) (*history.Ending, history.Actor) {
	for _, f := range slices.Backward(v.Facts) {
		if b, ok := f.Body.(*history.RunEnded); ok {
			return b.Ending, f.Actor
		}
	}
	return nil, history.Actor{}
}
