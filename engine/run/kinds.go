package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lift turns the stored body of one version of a kind into the next version's.
type lift func(body map[string]json.RawMessage) map[string]json.RawMessage

// kind is one kind of fact: how its body is made, and how bodies of older releases are lifted to today's.
// The version that is written is one more than the number of lifts; lifts[0] lifts version 1.
type kind struct {
	empty func() Body
	lifts []lift
}

// kinds lists every kind of fact that was ever written. An entry never goes away.
var kinds = map[FactKind]kind{
	"run_started":      {empty: func() Body { return new(RunStarted) }},
	"token_made":       {empty: func() Body { return new(TokenMade) }},
	"step_started":     {empty: func() Body { return new(StepStarted) }},
	"call_intended":    {empty: func() Body { return new(CallIntended) }},
	"call_finished":    {empty: func() Body { return new(CallFinished) }},
	"step_finished":    {empty: func() Body { return new(StepFinished) }},
	"step_failed":      {empty: func() Body { return new(StepFailed) }},
	"route_taken":      {empty: func() Body { return new(RouteTaken) }},
	"token_split":      {empty: func() Body { return new(TokenSplit) }},
	"judging_started":  {empty: func() Body { return new(JudgingStarted) }},
	"judged":           {empty: func() Body { return new(Judged) }},
	"token_deferred":   {empty: func() Body { return new(TokenDeferred) }},
	"token_released":   {empty: func() Body { return new(TokenReleased) }},
	"token_forked":     {empty: func() Body { return new(TokenForked) }},
	"items_listed":     {empty: func() Body { return new(ItemsListed) }},
	"items_opened":     {empty: func() Body { return new(ItemsOpened) }},
	"item_started":     {empty: func() Body { return new(ItemStarted) }},
	"item_ended":       {empty: func() Body { return new(ItemEnded) }},
	"block_opened":     {empty: func() Body { return new(BlockOpened) }},
	"round_started":    {empty: func() Body { return new(RoundStarted) }},
	"round_ended":      {empty: func() Body { return new(RoundEnded) }},
	"path_ended":       {empty: func() Body { return new(PathEnded) }},
	"branch_failed":    {empty: func() Body { return new(BranchFailed) }},
	"branch_retried":   {empty: func() Body { return new(BranchRetried) }},
	"joined":           {empty: func() Body { return new(Joined) }},
	"vars_set":         {empty: func() Body { return new(VarsSet) }},
	"gate_opened":      {empty: func() Body { return new(GateOpened) }},
	"gate_reminded":    {empty: func() Body { return new(GateReminded) }},
	"voted":            {empty: func() Body { return new(Voted) }},
	"gate_decided":     {empty: func() Body { return new(GateDecided) }},
	"timer_set":        {empty: func() Body { return new(TimerSet) }},
	"timer_gone":       {empty: func() Body { return new(TimerGone) }},
	"child_started":    {empty: func() Body { return new(ChildStarted) }},
	"child_ended":      {empty: func() Body { return new(ChildEnded) }},
	"child_cancelled":  {empty: func() Body { return new(ChildCancelled) }},
	"event_waited":     {empty: func() Body { return new(EventWaited) }},
	"event_received":   {empty: func() Body { return new(EventReceived) }},
	"token_handed":     {empty: func() Body { return new(TokenHanded) }},
	"late_result":      {empty: func() Body { return new(LateResult) }},
	"limit_reached":    {empty: func() Body { return new(LimitReached) }},
	"limit_lifted":     {empty: func() Body { return new(LimitLifted) }},
	"revision_changed": {empty: func() Body { return new(RevisionChanged) }},
	"run_ended":        {empty: func() Body { return new(RunEnded) }},
	"run_reopened":     {empty: func() Body { return new(RunReopened) }},
	"run_paused":       {empty: func() Body { return new(RunPaused) }},
	"run_resumed":      {empty: func() Body { return new(RunResumed) }},
	"run_forked":       {empty: func() Body { return new(RunForked) }},
	"output_kept":      {empty: func() Body { return new(OutputKept) }},
	"timer_kept":       {empty: func() Body { return new(TimerKept) }},
}

// version is the one that this release writes.
func (k kind) version() int { return len(k.lifts) + 1 }

// FactKind names the kind of each body.
func (*RunStarted) FactKind() FactKind { return "run_started" }

// FactKind names the kind.
func (*TokenMade) FactKind() FactKind { return "token_made" }

// FactKind names the kind.
func (*StepStarted) FactKind() FactKind { return "step_started" }

// FactKind names the kind.
func (*CallIntended) FactKind() FactKind { return "call_intended" }

// FactKind names the kind.
func (*CallFinished) FactKind() FactKind { return "call_finished" }

// FactKind names the kind.
func (*StepFinished) FactKind() FactKind { return "step_finished" }

// FactKind names the kind.
func (*StepFailed) FactKind() FactKind { return "step_failed" }

// FactKind names the kind.
func (*RouteTaken) FactKind() FactKind { return "route_taken" }

// FactKind names the kind.
func (*TokenForked) FactKind() FactKind { return "token_forked" }

// FactKind names the kind.
func (*ItemsListed) FactKind() FactKind { return "items_listed" }

// FactKind names the kind.
func (*ItemsOpened) FactKind() FactKind { return "items_opened" }

// FactKind names the kind.
func (*ItemStarted) FactKind() FactKind { return "item_started" }

// FactKind names the kind.
func (*ItemEnded) FactKind() FactKind { return KindItemEnded }

// FactKind names the kind.
func (*PathEnded) FactKind() FactKind { return "path_ended" }

// FactKind names the kind.
func (*BranchFailed) FactKind() FactKind { return "branch_failed" }

// FactKind names the kind.
func (*BranchRetried) FactKind() FactKind { return "branch_retried" }

// FactKind names the kind.
func (*Joined) FactKind() FactKind { return "joined" }

// FactKind names the kind.
func (*VarsSet) FactKind() FactKind { return "vars_set" }

// FactKind names the kind.
func (*GateOpened) FactKind() FactKind { return "gate_opened" }

// FactKind names the kind.
func (*GateReminded) FactKind() FactKind { return "gate_reminded" }

// FactKind names the kind.
func (*Voted) FactKind() FactKind { return "voted" }

// FactKind names the kind.
func (*GateDecided) FactKind() FactKind { return "gate_decided" }

// FactKind names the kind.
func (*TimerSet) FactKind() FactKind { return "timer_set" }

// FactKind names the kind.
func (*TimerGone) FactKind() FactKind { return "timer_gone" }

// FactKind names the kind.
func (*ChildStarted) FactKind() FactKind { return "child_started" }

// FactKind names the kind.
func (*ChildEnded) FactKind() FactKind { return "child_ended" }

// FactKind names the kind.
func (*ChildCancelled) FactKind() FactKind { return "child_cancelled" }

// FactKind names the kind.
func (*EventWaited) FactKind() FactKind { return "event_waited" }

// FactKind names the kind.
func (*EventReceived) FactKind() FactKind { return "event_received" }

// FactKind names the kind.
func (*TokenHanded) FactKind() FactKind { return "token_handed" }

// FactKind names the kind.
func (*LateResult) FactKind() FactKind { return "late_result" }

// FactKind names the kind.
func (*LimitReached) FactKind() FactKind { return "limit_reached" }

// FactKind names the kind.
func (*LimitLifted) FactKind() FactKind { return "limit_lifted" }

// FactKind names the kind.
func (*RevisionChanged) FactKind() FactKind { return "revision_changed" }

// FactKind names the kind.
func (*RunEnded) FactKind() FactKind { return "run_ended" }

// FactKind names the kind.
func (*RunReopened) FactKind() FactKind { return "run_reopened" }

// Encode gives a fact's actor and body as JSON for storage; the other fields are columns.
func Encode(f Fact) (actor, body []byte, err error) {
	if actor, err = json.Marshal(f.Actor); err != nil {
		return nil, nil, fmt.Errorf("encode the actor of fact %d: %w", f.Seq, err)
	}
	if body, err = json.Marshal(f.Body); err != nil {
		return nil, nil, fmt.Errorf("encode the body of fact %d (%s): %w", f.Seq, f.Kind, err)
	}
	return actor, body, nil
}

// DecodeFact completes a fact whose columns are given with its stored actor and body. A body of an older release is lifted;
// one of a newer release is refused, because an older program must not guess.
func DecodeFact(head Fact, actor, body []byte) (Fact, error) {
	k, ok := kinds[head.Kind]
	if !ok || head.Version > k.version() {
		return head, fmt.Errorf("fact %d is a %s of version %d, written by a newer release: update this program", head.Seq, head.Kind, head.Version)
	}
	if len(actor) > 0 {
		if err := json.Unmarshal(actor, &head.Actor); err != nil {
			return head, fmt.Errorf("decode the actor of fact %d: %w", head.Seq, err)
		}
	}
	body, err := k.lift(head.Version, body)
	if err != nil {
		return head, fmt.Errorf("lift fact %d (%s): %w", head.Seq, head.Kind, err)
	}
	head.Body, head.Version = k.empty(), k.version()
	if err := unmarshal(body, head.Body); err != nil {
		return head, fmt.Errorf("decode fact %d (%s): %w", head.Seq, head.Kind, err)
	}
	return head, nil
}

// unmarshal keeps the digits of numbers in free values.
func unmarshal(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

// lift brings the body of an older version up to today's.
func (k kind) lift(version int, body []byte) ([]byte, error) {
	if version >= k.version() {
		return body, nil
	}
	if version < 1 {
		return nil, fmt.Errorf("version %d was never written", version)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, err
	}
	for _, up := range k.lifts[version-1:] {
		fields = up(fields)
	}
	return json.Marshal(fields)
}

// OutputOf gives the output of a step that a fact holds, and false when it holds none. The output of a foreach is not in a
// fact, see ItemsOf.
func OutputOf(f Fact) (Output, bool) {
	b, ok := f.Body.(*StepFinished)
	if !ok || b.From != 0 || b.Items != nil {
		return Output{}, false
	}
	return b.Output, true
}

// ReadOf gives what a fact holds for Reads: the output of a step, the item of a foreach or a loop, a part of their list, or large
// variables.
func ReadOf(f Fact) (Output, bool) {
	switch b := f.Body.(type) {
	case *ItemsListed:
		return b.output(), true
	case *ItemStarted:
		return b.output(), true
	case *Joined:
		if b.Output != nil {
			return *b.Output, true
		}
	case *OutputKept:
		return b.Output, true
	case *RoundStarted:
		return b.output(), b.Item != nil
	case *VarsSet:
		if len(b.Large) > 0 {
			return b.output(), true
		}
	}
	return OutputOf(f)
}

// EncodeState gives the stored form of a state. Equal states give equal bytes.
func EncodeState(s *State) ([]byte, error) { return json.Marshal(s) }

// DecodeState reads the stored form of a state. One of a newer release is refused, and so is one with a field that this release does not
// know: while processes are replaced one by one, an older one that moved the run would store the state without it.
func DecodeState(stored []byte) (*State, error) {
	var s State
	d := json.NewDecoder(bytes.NewReader(stored))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		if strings.Contains(err.Error(), "unknown field") { // encoding/json has no type for it
			err = fmt.Errorf("it was written by a newer release: update this program: %w", err)
		}
		return nil, fmt.Errorf("decode a run's state: %w", err)
	}
	if s.Format > StateFormat {
		return nil, fmt.Errorf("the run's state has format %d, written by a newer release: update this program", s.Format)
	}
	return &s, nil
}

// Kinds lists every kind of fact, in order of their names.
func Kinds() []FactKind { return slices.Sorted(maps.Keys(kinds)) }
