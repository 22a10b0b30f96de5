package history

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

// TrailKinds lists the kinds of which something may stay, in order of their names.
func TrailKinds() []FactKind {
	return slices.DeleteFunc(Kinds(), func(k FactKind) bool { return kinds[k].consequence })
}

// Trail gives what stays of a stored fact when its run is removed: the decision without the values. Each dropped field leaves the
// SHA-256 of its JSON under "dropped", so that somebody who has the value can show that it is the one. False: nothing stays.
//
// A kind that is neither stays, without any of its fields, when a person caused it.
func Trail(kind FactKind, actor Actor, body []byte) (kept []byte, ok bool, err error) {
	var audit []string
	consequence := false
	if k, known := kinds[kind]; known {
		audit, consequence = k.audit, k.consequence
	}
	if len(audit) == 0 && (actor.User == "" || consequence) {
		return nil, false, nil
	}
	var stored map[string]json.RawMessage
	if err := json.Unmarshal(body, &stored); err != nil {
		return nil, false, fmt.Errorf("read a %s: %w", kind, err)
	}
	kept, err = json.Marshal(keepFields(stored, audit))
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
			dropped[name] = hashValue(value)
		}
	}
	if len(dropped) > 0 {
		left[DroppedKey] = dropped
	}
	return left
}

// hashValue is the hash that a dropped value leaves: of its JSON without spaces, in the order in which it was stored.
func hashValue(value json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, value) == nil {
		value = compact.Bytes()
	}
	sum := sha256.Sum256(value)
	return "sha256:" + hex.EncodeToString(sum[:])
}
