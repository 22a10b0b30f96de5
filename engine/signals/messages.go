package signals

import (
	"context"
	"encoding/json"
	"fmt"

	"sluice/engine/history"
	"sluice/engine/outbox"
	"sluice/engine/run"
	"sluice/storage"
)

// messageOver is the signal that says what became of a message.
type messageOver struct {
	Message string             `json:"message"`
	Step    int                `json:"step"`
	Token   int                `json:"token"`
	Epoch   int                `json:"epoch"`
	Channel string             `json:"channel,omitempty"`
	TS      string             `json:"ts,omitempty"`
	Output  history.Output     `json:"output"`
	Error   *history.NodeError `json:"error,omitempty"`
}

// MessageOver tells the run whose step waits for a message what became of it: posted has a TS, or nerr says why it will never have one. It may
// be told more than once.
func (s *Signals) MessageOver(ctx context.Context, posted storage.Surface, b outbox.Body, nerr *history.NodeError) error {
	if b.Step == 0 {
		return nil
	}
	over := messageOver{Message: posted.ID, Step: b.Step, Token: b.Token, Epoch: b.Epoch, Channel: posted.Channel, TS: posted.TS, Error: nerr}
	if nerr == nil {
		over.Output = history.Output{Text: b.Text}
		if b.Result {
			over.Output = postedOutput(b.To, posted)
		}
	}
	body, err := json.Marshal(over)
	if err == nil {
		err = s.Store.Write(ctx, &storage.Batch{
			Signals: []storage.Timer{{ID: "over/" + posted.ID, Run: b.Run, Kind: signalMessageOver, Due: s.Now(), Body: body}},
		})
	}
	if err != nil {
		return fmt.Errorf("tell of the message %s: %w", posted.ID, err)
	}
	s.Wake()
	return nil
}

func postedOutput(to string, s storage.Surface) history.Output {
	data, _ := json.Marshal(map[string]any{"channel": s.Channel, "ts": s.TS})
	return history.Output{Text: "posted to " + to, Data: data}
}

// deliverMessage tells a run what became of the message that its step waits for.
func (s *Signals) deliverMessage(ctx context.Context, t storage.Timer) error {
	var l messageOver
	if err := json.Unmarshal(t.Body, &l); err != nil {
		return err
	}
	_, err := s.Runner.Transition(ctx, t.Run, run.Delivered{
		At: s.Now(), Message: l.Message, Token: l.Token, Step: l.Step, Epoch: l.Epoch, Channel: l.Channel, TS: l.TS, Output: l.Output, Error: l.Error,
	}, answered(t))
	return err
}
