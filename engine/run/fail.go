package run

import (
	"fmt"
	"slices"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// fail decides what an error of a token's node leads to: another attempt, an error route, the end of its branch, or the stop
// of the run with a question to a person. A once act that may have taken effect is never repeated without that question.
func (m *machine) fail(id int, e history.NodeError) {
	e.Message = clipped(e.Message)
	m.stopTimeout(m.Token(id))
	t := m.Token(id)
	n := m.Node(t)
	attempt := max(t.Attempt, 1)
	mayHaveActed := e.Unknown && t.Phase == history.PhaseStarted && t.Risk() == flow.EffectsOnce
	if n != nil && !mayHaveActed && n.Retries(attempt, e) {
		m.emit(t, &history.StepFailed{Error: e, Attempt: attempt, Next: history.NextRetry})
		m.setTimer(t, history.Timer{Kind: history.TimerRetry, Token: id, Due: m.Now.Add(compile.Backoff(n.Retry, attempt))})
		return
	}
	if n != nil && takeErrorRoute(m, n, t, attempt, e) {
		return
	}
	if pause, waits := waitsForService(&e, attempt, m.Now.Sub(t.Started)); waits && n != nil && !mayHaveActed && t.Phase == history.PhaseStarted {
		m.emit(t, &history.StepFailed{Error: e, Attempt: attempt, Next: history.NextRetry})
		m.setTimer(t, history.Timer{Kind: history.TimerRetry, Token: id, Due: m.Now.Add(pause)})
		return
	}
	if mayHaveActed {
		openUnknown(m, t, fmt.Sprintf("%s failed: %s. Whether it took effect all the same is not known.", m.actWords(t), e.Message), &e)
		return
	}
	if !nodeAtLimit(m, t, attempt, e) {
		m.stop(t, e)
	}
}

// A step whose service is unavailable is tried again, whatever its node says about retries, for so long since it first started.
const (
	awayFirst = 15 * time.Second
	awayPause = 5 * time.Minute
	awayMost  = 2 * time.Hour
)

// waitsForService gives the pause before a step whose service is unavailable is tried again. A person is asked instead when that has gone on
// for too long, or when the service asks for a longer pause.
func waitsForService(e *history.NodeError, attempt int, since time.Duration) (pause time.Duration, ok bool) {
	pause = max(min(awayFirst<<min(attempt-1, 10), awayPause), e.After)
	return pause, e.Away && !e.Permanent && since+pause <= awayMost
}

// stop handles an error that no route has caught: it ends the token's branch, or stops the run until a person says what to do.
func (m *machine) stop(t history.Token, e history.NodeError) {
	attempt := max(t.Attempt, 1)
	if t.Frame != 0 {
		m.emit(t, &history.StepFailed{Error: e, Attempt: attempt, Next: history.NextBranch})
		beside := m.within(t.Frame, t.Branch)
		m.clear(slices.DeleteFunc(beside, func(o history.Token) bool { return o.ID == t.ID }), nil, history.ChoiceSuperseded)
		m.emit(t, &history.BranchFailed{Frame: t.Frame, Branch: t.Branch, Error: e})
		m.join(t.Frame)
		return
	}
	m.emit(t, &history.StepFailed{Error: e, Attempt: attempt, Next: history.NextStop})
	openFailure(m, m.Token(t.ID), e)
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

// takeErrorRoute takes the first error route that matches.
func takeErrorRoute(m *machine, n *compile.Node, t history.Token, attempt int, e history.NodeError) bool {
	for _, r := range n.Caught {
		hit := r.Pattern != nil && (r.Pattern.MatchString(e.Type) || r.Pattern.MatchString(e.Message))
		if !hit && !r.ErrorRoute.Default {
			continue
		}
		why := fmt.Sprintf("%s matches /%s/", e.Type, r.Match)
		if !hit {
			why = e.Type
		}
		m.emit(t, &history.StepFailed{Error: e, Attempt: attempt, Next: history.NextRoute})
		m.closeFrame(t.ID, joinFailed)
		m.follow(t.ID, r.Edge, r.To, why, nil)
		return true
	}
	return false
}

func failMissingNode(m *machine, t history.Token) {
	m.fail(t.ID, history.NodeError{Node: t.Node, Type: history.ErrorExpression, Message: fmt.Sprintf("the flow has no node %q any more", t.Node), Permanent: true})
}
