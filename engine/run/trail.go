package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// DroppedKey is the field of a kept body that holds the hashes of what was dropped.
const DroppedKey = "dropped"

// trail says what stays of a run's facts for good, by kind: the fields that say who decided what, about which question. All other
// fields hold values, or words that people wrote.
var trail = map[FactKind][]string{
	"run_started":      {"flow", "revision", "hash", "name", "by", "duplicate_of"},
	"gate_opened":      {"gate", "kind", "choices", "who", "quorum", "veto", "hash", "due"},
	"gate_reminded":    {"gate", "escalated"},
	"voted":            {"gate", "choice", "shown"},
	"gate_decided":     {"gate", "choice", "shown"},
	"limit_lifted":     {"limit"},
	"revision_changed": {"revision", "hash"},
	"run_ended":        {"status"},
	"run_reopened":     {"reason"},
	"run_forked":       {"from", "origin", "generation"},
	"child_started":    {"child", "flow", "attempt"},
	"run_paused":       {"scope"},
	"run_resumed":      {"scope"},
}

// consequences are the kinds that follow from a decision and hold none: they carry its actor, and go all the same.
var consequences = []FactKind{
	"token_made", "step_started", "call_intended", "call_finished", "step_finished", "step_failed", "route_taken", "token_forked",
	"items_listed", "items_opened", "item_started", "item_ended", "path_ended", "branch_failed", "branch_retried", "joined", "vars_set",
	"timer_set", "timer_gone", "timer_kept", "token_handed", "late_result", "limit_reached",
	"token_split", "judging_started", "judged", "token_deferred", "token_released", "block_opened", "round_started", "round_ended",
	"child_ended", "child_cancelled", "event_waited", "event_received", "output_kept",
}

// TrailKinds lists the kinds of which something may stay, in order of their names.
func TrailKinds() []FactKind {
	return slices.DeleteFunc(Kinds(), func(k FactKind) bool { return slices.Contains(consequences, k) })
}

// Trail gives what stays of a stored fact when its run is removed: the decision without the values. Each dropped field leaves the
// SHA-256 of its JSON under "dropped", so that somebody who has the value can show that it is the one. False: nothing stays.
//
// A kind that nobody has sorted yet stays, without any of its fields, when a person is behind it.
func Trail(kind FactKind, actor Actor, body []byte) (kept []byte, ok bool, err error) {
	fields, known := trail[kind]
	if !known && (actor.User == "" || slices.Contains(consequences, kind)) {
		return nil, false, nil
	}
	var stored map[string]json.RawMessage
	if err := json.Unmarshal(body, &stored); err != nil {
		return nil, false, fmt.Errorf("read a %s: %w", kind, err)
	}
	kept, err = json.Marshal(keepFields(stored, fields))
	return kept, true, err
}

func keepFields(stored map[string]json.RawMessage, fields []string) map[string]any {
	left, dropped := map[string]any{}, map[string]string{}
	for name, value := range stored {
		switch {
		case name == DroppedKey: // the fact was kept before: once is enough
			left[name] = value
		case slices.Contains(fields, name):
			left[name] = value
		default:
			dropped[name] = HashValue(value)
		}
	}
	if len(dropped) > 0 {
		left[DroppedKey] = dropped
	}
	return left
}

// HashValue is the hash that a dropped value leaves: of its JSON without spaces, in the order in which it was stored.
func HashValue(value json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, value) == nil {
		value = compact.Bytes()
	}
	sum := sha256.Sum256(value)
	return "sha256:" + hex.EncodeToString(sum[:])
}
