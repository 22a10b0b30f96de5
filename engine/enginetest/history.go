package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"sluice/engine/history"
)

// line is one fact of a stored history, as JSON on one line.
type line struct {
	Seq     int64            `json:"seq"`
	Kind    history.FactKind `json:"kind"`
	Version int              `json:"v"`
	At      time.Time        `json:"at"`
	Actor   json.RawMessage  `json:"actor,omitempty"`
	Token   int              `json:"token,omitempty"`
	Node    string           `json:"node,omitempty"`
	Step    int              `json:"step,omitempty"`
	Body    json.RawMessage  `json:"body"`
}

// WriteHistory gives the stored form of facts, one a line.
func WriteHistory(facts []history.Fact) ([]byte, error) {
	var b bytes.Buffer
	for _, f := range facts {
		actor, body, err := history.Encode(f)
		if err != nil {
			return nil, err
		}
		l, err := json.Marshal(line{f.Seq, f.Kind, f.Version, f.At, actor, f.Token, f.Node, f.Step, body})
		if err != nil {
			return nil, err
		}
		b.Write(l)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// ReadHistory reads what WriteHistory wrote, in this release or an earlier one.
func ReadHistory(stored []byte) ([]history.Fact, error) {
	var facts []history.Fact
	for i, raw := range bytes.Split(bytes.TrimSpace(stored), []byte("\n")) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		f, err := history.DecodeFact(history.Fact{
			Seq: l.Seq, Kind: l.Kind, Version: l.Version, At: l.At, Token: l.Token, Node: l.Node, Step: l.Step,
		}, l.Actor, l.Body)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		facts = append(facts, f)
	}
	return facts, nil
}
