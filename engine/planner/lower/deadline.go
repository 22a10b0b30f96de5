package lower

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// deadline takes over the time limit for people, a time of day in a zone. A text that is no duration is noted as a problem.
func (b *noting) deadline(d *tree.Deadline, zone string) *flow.Deadline {
	if d == nil {
		return nil
	}
	at := untilOf(d.After, zone)
	out := &flow.Deadline{Until: at, Remind: b.duration(d.Remind), RemindOnce: d.RemindOnce}
	if at == "" {
		out.After = b.duration(d.After)
	}
	if d.EscalateTo != nil {
		to, after := strings.Join(strings.Fields(d.EscalateTo.Is), "-"), b.duration(d.EscalateAfter)
		if after.IsZero() { // nobody says when else: the deadline is when somebody else is asked
			after, out.After = out.After, flow.Duration{}
		}
		switch {
		case strings.TrimPrefix(to, "@") == "" || after.IsZero():
			b.note("cannot", "It is not said who is asked besides, or after how long.")
		case after.Longer(out.After):
			b.note("cannot", fmt.Sprintf("%s is asked after the deadline, when nobody can answer any more.", to))
		default:
			out.Escalate = &flow.Escalate{After: after, To: to}
		}
	}
	if !out.Ends() && out.Remind.IsZero() && out.Escalate == nil {
		return nil
	}
	return out
}

// expires reports whether a time comes after which nobody can answer any more. Where nobody says when somebody else is asked, the deadline is
// when they are.
func expires(d *tree.Deadline) bool {
	return d != nil && (untilOf(d.After, "") != "" || !duration(d.After).IsZero()) && (d.EscalateTo == nil || d.EscalateAfter != "")
}

// untilOf gives the time until which people have; "" = they have a length of time, or none.
func untilOf(after, zone string) string {
	at, ok := strings.CutPrefix(after, tree.Until)
	if !ok {
		return ""
	}
	return until(at, zone)
}

// duration reads a duration of the flow format; zero and a note when it is none.
func (b *noting) duration(text string) flow.Duration {
	d := duration(text)
	if d.IsZero() && text != "" {
		b.note("cannot", english.Quoted(text)+" is no length of time.")
	}
	return d
}

func duration(text string) flow.Duration {
	d, err := flow.ParseDuration(text)
	if err != nil {
		return flow.Duration{}
	}
	return d
}
