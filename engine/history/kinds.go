package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// lift turns the stored body of one version of a kind into the next version's.
type lift func(body map[string]json.RawMessage) map[string]json.RawMessage

// kind is the record of one kind of fact. The method apply of a body changes the state.
type kind struct {
	name  FactKind
	empty func() Body
	// lifts turn bodies of older releases into today's: lifts[0] takes version 1 to version 2. The version that is written is one more
	// than their number.
	lifts []lift
	// audit names the fields that stay when the run is removed: the decision, its question and the person. All other fields hold values,
	// or words that people wrote.
	audit []string
	// consequence says that the fact follows from a decision and holds none: nothing of it stays, although it has the decision's actor.
	consequence bool
}

// table lists every kind of fact that was ever written. An entry never goes away, and its name is stored.
var table = []kind{
	{name: "run_started", empty: body[RunStarted], audit: []string{"flow", "revision", "hash", "name", "by", "duplicate_of"}},
	{name: "token_made", empty: body[TokenMade], consequence: true},
	{name: "step_started", empty: body[StepStarted], consequence: true},
	{name: "call_intended", empty: body[CallIntended], consequence: true},
	{name: "call_finished", empty: body[CallFinished], consequence: true},
	{name: "step_finished", empty: body[StepFinished], consequence: true},
	{name: "step_failed", empty: body[StepFailed], consequence: true},
	{name: "route_taken", empty: body[RouteTaken], consequence: true},
	{name: "token_split", empty: body[TokenSplit], consequence: true},
	{name: "judging_started", empty: body[JudgingStarted], consequence: true},
	{name: "judged", empty: body[Judged], consequence: true},
	{name: "token_deferred", empty: body[TokenDeferred], consequence: true},
	{name: "token_released", empty: body[TokenReleased], consequence: true},
	{name: "token_forked", empty: body[FrameOpened], consequence: true},
	{name: "items_listed", empty: body[ItemsListed], consequence: true},
	{name: "items_opened", empty: body[ItemsOpened], consequence: true},
	{name: "item_started", empty: body[ItemStarted], consequence: true},
	{name: "item_ended", empty: body[ItemEnded], consequence: true},
	{name: "block_opened", empty: body[BlockOpened], consequence: true},
	{name: "round_started", empty: body[RoundStarted], consequence: true},
	{name: "round_ended", empty: body[RoundEnded], consequence: true},
	{name: "path_ended", empty: body[PathEnded], consequence: true},
	{name: "branch_failed", empty: body[BranchFailed], consequence: true},
	{name: "branch_retried", empty: body[BranchRetried], consequence: true},
	{name: "joined", empty: body[Joined], consequence: true},
	{name: "vars_set", empty: body[VarsSet], consequence: true},
	{name: "gate_opened", empty: body[GateOpened], audit: openedTrail},
	{name: "gate_reminded", empty: body[GateReminded], audit: []string{"gate", "escalated", "asked"}},
	{name: "call_edited", empty: body[CallEdited], audit: []string{"gate", "hash", "shown"}},
	{name: "voted", empty: body[Voted], audit: []string{"gate", "choice", "shown"}},
	{name: "gate_decided", empty: body[GateDecided], audit: []string{"gate", "choice", "shown", "ends"}},
	{name: "words_kept", empty: body[WordsKept], audit: []string{}},
	{name: "timer_set", empty: body[TimerSet], consequence: true},
	{name: "timer_gone", empty: body[TimerGone], consequence: true},
	{name: "child_started", empty: body[ChildStarted], audit: []string{"child", "flow", "attempt"}},
	{name: "child_ended", empty: body[ChildEnded], consequence: true},
	{name: "child_cancelled", empty: body[ChildCancelled], consequence: true},
	{name: "event_waited", empty: body[EventWaited], consequence: true},
	{name: "event_received", empty: body[EventReceived], consequence: true},
	{name: "message_queued", empty: body[MessageQueued]},
	{name: "message_over", empty: body[MessageOver]},
	{name: "message_withdrawn", empty: body[MessageWithdrawn]},
	{name: "token_handed", empty: body[TokenHanded], consequence: true},
	{name: "late_result", empty: body[LateResult], consequence: true},
	{name: "limit_reached", empty: body[LimitReached], consequence: true},
	{name: "limit_lifted", empty: body[LimitLifted], audit: []string{"limit"}},
	{name: "revision_changed", empty: body[RevisionChanged], audit: []string{"revision", "hash"}},
	{name: "run_ended", empty: body[RunEnded], lifts: []lift{liftOutcome}, audit: []string{"status", "outcome"}},
	{name: "run_reopened", empty: body[RunReopened], audit: []string{"reason"}},
	{name: "run_paused", empty: body[RunPaused], audit: []string{"scope"}},
	{name: "run_resumed", empty: body[RunResumed], audit: []string{"scope"}},
	{name: "run_forked", empty: body[RunForked], audit: []string{"from", "origin", "generation"}},
	{name: "output_kept", empty: body[OutputKept], consequence: true},
	{name: "timer_kept", empty: body[TimerKept], consequence: true},
}

// body makes an empty body of a type.
func body[T any, P interface {
	*T
	Body
}]() Body {
	return P(new(T))
}

// kinds finds a record by its name, and names finds the name by the type of the body.
var kinds, names = index(table)

func index(all []kind) (map[FactKind]*kind, map[reflect.Type]FactKind) {
	byName, byType := make(map[FactKind]*kind, len(all)), make(map[reflect.Type]FactKind, len(all))
	for i := range all {
		k := &all[i]
		byName[k.name], byType[reflect.TypeOf(k.empty())] = k, k.name
	}
	return byName, byType
}

// KindOf names the kind of a body, which may be nil: its type tells.
func KindOf(b Body) FactKind { return names[reflect.TypeOf(b)] }

// Version is the one that this release writes.
func (k FactKind) Version() int { return kinds[k].version() }

// version is the one that this release writes.
func (k *kind) version() int { return len(k.lifts) + 1 }

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
func (k *kind) lift(version int, body []byte) ([]byte, error) {
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

// ReadOf gives what a fact holds for Reads: the output of a step, the item of a foreach or a loop, a part of their list, large
// variables, or a person's words.
func ReadOf(f Fact) (Output, bool) {
	switch b := f.Body.(type) {
	case *ItemsListed:
		return b.Read(), true
	case *ItemStarted:
		return b.Read(), true
	case *Joined:
		if b.Output != nil {
			return *b.Output, true
		}
	case *OutputKept:
		return b.Output, true
	case *GateDecided:
		return Output{Text: b.Text}, b.Text != ""
	case *WordsKept:
		return Output{Text: b.Text}, true
	case *RoundStarted:
		return b.Read(), b.Item != nil
	case *VarsSet:
		if len(b.Large) > 0 {
			return b.Read(), true
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
	if s.Format > stateFormat {
		return nil, fmt.Errorf("the run's state has format %d, written by a newer release: update this program", s.Format)
	}
	return &s, nil
}

// Kinds lists every kind of fact, in order of their names.
func Kinds() []FactKind { return slices.Sorted(maps.Keys(kinds)) }
