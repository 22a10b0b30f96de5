package run

import (
	"fmt"
	"math"
	"slices"
	"time"

	"sluice/engine/flow"
)

// fail decides what an error of a token's node leads to: another attempt, an error route, the end of its branch, or the stop
// of the run with a question to a person. A once act that may have taken effect is never repeated without that question.
func (m *machine) fail(id int, e NodeError) {
	e.Message = clipped(e.Message)
	m.stopTimeout(m.tok(id))
	t := m.tok(id)
	n := m.node(t)
	attempt := max(t.Attempt, 1)
	doubt := e.Unknown && t.Phase == PhaseStarted && t.risk() == flow.EffectsOnce
	if n != nil && !doubt && n.retries(attempt, e) {
		m.emit(t, &StepFailed{Error: e, Attempt: attempt, Next: NextRetry})
		m.setTimer(t, Timer{Kind: TimerRetry, Token: id, Due: m.now.Add(backoff(n.Retry, attempt))})
		return
	}
	if n != nil && m.errorRoute(n, t, attempt, e) {
		return
	}
	if doubt {
		m.openUnknown(t, fmt.Sprintf("%s failed: %s. Whether it took effect all the same is not known.", m.what(t), e.Message), &e)
		return
	}
	if !m.nodeLimit(t, attempt, e) {
		m.stop(t, e)
	}
}

// stop ends what an error that nothing caught leaves: the branch, or the run until a person says what to do.
func (m *machine) stop(t Token, e NodeError) {
	attempt := max(t.Attempt, 1)
	if t.Frame != 0 {
		m.emit(t, &StepFailed{Error: e, Attempt: attempt, Next: NextBranch})
		beside := m.within(t.Frame, t.Branch)
		m.clear(slices.DeleteFunc(beside, func(o Token) bool { return o.ID == t.ID }), nil, ChoiceSuperseded)
		m.emit(t, &BranchFailed{Frame: t.Frame, Branch: t.Branch, Error: e})
		m.join(t.Frame)
		return
	}
	m.emit(t, &StepFailed{Error: e, Attempt: attempt, Next: NextStop})
	m.openFailure(m.tok(t.ID), e)
}

// messageMost bounds an error's message in characters: it stays in the state, and some services answer with a page.
const messageMost = 2000

func clipped(message string) string {
	if len(message) <= messageMost {
		return message
	}
	if r := []rune(message); len(r) > messageMost {
		return string(r[:messageMost]) + "…"
	}
	return message
}

// errorRoute takes the first error route that matches.
func (m *machine) errorRoute(n *node, t Token, attempt int, e NodeError) bool {
	for _, r := range n.errors {
		hit := r.re != nil && (r.re.MatchString(e.Type) || r.re.MatchString(e.Message))
		if !hit && !r.ErrorRoute.Default {
			continue
		}
		why := fmt.Sprintf("%s matches /%s/", e.Type, r.Match)
		if !hit {
			why = e.Type
		}
		m.emit(t, &StepFailed{Error: e, Attempt: attempt, Next: NextRoute})
		m.closeFork(t.ID, joinFailed)
		m.follow(t.ID, r.edge, r.To, why, nil)
		return true
	}
	return false
}

// retries reports whether another attempt follows by itself.
func (n *node) retries(attempt int, e NodeError) bool {
	if n.Retry == nil || e.Permanent || attempt >= n.Retry.MaxAttempts {
		return false
	}
	return n.retry == nil || n.retry.MatchString(e.Type) || n.retry.MatchString(e.Message)
}

const (
	backoffFirst      = 500 * time.Millisecond
	backoffMultiplier = 2
	backoffMost       = 30 * time.Second
)

// backoff is the pause after a failed attempt, counted from 1.
func backoff(r *flow.Retry, attempt int) time.Duration {
	first, most, multiplier := backoffFirst, backoffMost, float64(backoffMultiplier)
	if r.BackoffMS > 0 {
		first = time.Duration(r.BackoffMS) * time.Millisecond
	}
	if r.MaxBackoffMS > 0 {
		most = time.Duration(r.MaxBackoffMS) * time.Millisecond
	}
	if r.Multiplier > 0 {
		multiplier = r.Multiplier
	}
	pause := float64(first) * math.Pow(multiplier, float64(attempt-1))
	return time.Duration(min(pause, float64(most)))
}
