package surface

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"sluice/bot/card"
	"sluice/engine/history"
	"sluice/storage"
)

// markBody is the body of a surface of kind KindMark or KindDrafted.
type markBody struct {
	TS    string `json:"ts"`              // of the message that started the run, or that a draft was to be made of
	Emoji string `json:"emoji,omitempty"` // of KindDrafted
}

// MarkRef names what the mark of a run shows: its outcome alone, so that its other changes do not concern it.
func MarkRef(run string) string { return "mark:" + run }

// Mark is the emoji on the message that started a run; false when no message did.
func Mark(run string, b *history.RunStarted, at time.Time) (storage.Surface, bool) {
	payload, _ := b.Event["payload"].(map[string]any)
	channel, _ := payload["channel"].(string)
	ts, _ := payload["ts"].(string)
	if channel == "" || ts == "" {
		return storage.Surface{}, false
	}
	body, _ := json.Marshal(markBody{TS: ts})
	return storage.Surface{ID: "mark-" + run, Kind: KindMark, Ref: MarkRef(run), Channel: channel, Body: body, Created: at}, true
}

// HeardMark is the reaction to a message whose request is in progress.
const HeardMark = "eyes"

// Emojis on a message that a draft was to be made of.
const (
	DraftedMark = "white_check_mark" // there is a draft of it
	NoDraftMark = "x"
)

// Drafted is the emoji on a message of which a draft was to be made, in the place of HeardMark.
func Drafted(channel, ts, emoji string, at time.Time) storage.Surface {
	body, _ := json.Marshal(markBody{ts, emoji})
	return storage.Surface{ID: "drafted-" + channel + "-" + ts, Kind: KindDrafted, Channel: channel, Body: body, Created: at}
}

// DraftedCard is the reaction to a message that a draft was to be made of.
func (*Cards) DraftedCard(_ context.Context, s storage.Surface) (card.Card, error) {
	var b markBody
	if err := json.Unmarshal(s.Body, &b); err != nil {
		return card.Card{}, fmt.Errorf("read a mark: %w", err)
	}
	return card.Card{Mark: &card.Mark{TS: b.TS, Emoji: b.Emoji, Before: HeardMark}}, nil
}

// MarkCard is the reaction to the message that started a run: it shows the run's outcome.
func (cs *Cards) MarkCard(ctx context.Context, s storage.Surface) (card.Card, error) {
	var b markBody
	if err := json.Unmarshal(s.Body, &b); err != nil {
		return card.Card{}, fmt.Errorf("read a mark: %w", err)
	}
	r, err := cs.Engine.Store().Run(ctx, RefID(s.Ref))
	if err != nil {
		return card.Card{}, err
	}
	m := card.Mark{TS: b.TS, Emoji: HeardMark}
	if o := outcomeOf(r); o != "" {
		m.Emoji = outcomeMarks[o]
	}
	return card.Card{Mark: &m}, nil
}
