package run

import (
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// nodeKinds has a record for each kind that package compile supports.
var nodeKinds = map[flow.Kind]nodeKind{
	flow.KindEntry:    {enter: of(enterEntry)},
	flow.KindTerminal: {enter: of(enterTerminal)},
	flow.KindDecision: {enter: of(enterDecision)},
	flow.KindSet:      {enter: enterSet},
	flow.KindCompute:  {enter: enterCompute},
	flow.KindParallel: {enter: of(enterParallel)},
	flow.KindForeach:  {enter: of(enterForeach)},
	flow.KindLoop:     {enter: of(enterLoop)},
	flow.KindSequence: {enter: of(enterSequence)},
	flow.KindApproval: {enter: of(enterApproval)},
	flow.KindAsk:      {enter: of(enterAsk)},
	flow.KindWait:     {enter: of(enterWait)},
	flow.KindSubflow:  {enter: of(enterSubflow)},
	flow.KindOpaque:   {enter: of(enterOpaque)},
	flow.KindTool:     {enter: enterActing, effects: toolEffects},
	flow.KindSay:      {enter: enterActing, effects: always(flow.EffectsIdempotent), render: renderSay},  // posted under its key
	flow.KindEmit:     {enter: enterActing, effects: always(flow.EffectsIdempotent), render: renderEmit}, // stored under its key
	// The risk of a step with acts of its own is that of those.
	flow.KindAgent:    {enter: enterActing, effects: always(flow.EffectsRead)},
	flow.KindLLM:      {enter: enterActing, effects: always(flow.EffectsRead)},
	flow.KindToolexec: {enter: of(enterToolexec), effects: always(flow.EffectsRead)},
}

// of gives a function the specification of its kind.
func of[S flow.Spec](enter func(*machine, *compile.Node, history.Token, S)) func(*machine, *compile.Node, history.Token) {
	return func(m *machine, n *compile.Node, t history.Token) { enter(m, n, t, n.Spec.(S)) }
}

func always(e flow.Effects) func(*machine, *compile.Node) flow.Effects {
	return func(*machine, *compile.Node) flow.Effects { return e }
}
