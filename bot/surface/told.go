package surface

import (
	"context"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/engine/history"
	"sluice/engine/view"
	"sluice/storage"
)

// inPerson reports whether a person asked for a run: by a command, a mention or a button, and not by a message that triggers runs.
func inPerson(by history.Actor, b *history.RunStarted) bool {
	asked := []history.Via{history.ViaCommand, history.ViaButton, history.ViaModal, history.ViaHome}
	return by.User != "" && (slices.Contains(asked, by.Via) || b.Event["type"] == "mention")
}

// Told is the direct message that tells a requester the end of a run which they started from another channel; false when they started it in
// the run's own channel. There its last message names them (EndCard), so that they are told once.
func Told(r storage.Run, f history.Fact, b *history.RunStarted) (storage.Surface, bool) {
	payload, _ := b.Event["payload"].(map[string]any)
	channel, _ := payload["channel"].(string)
	if !inPerson(f.Actor, b) || channel == r.Channel {
		return storage.Surface{}, false
	}
	s := storage.Surface{ID: "told-" + r.ID, Kind: KindTold, Ref: MarkRef(r.ID), User: f.Actor.User, Created: f.At}
	if strings.HasPrefix(channel, "D") {
		s.Thread, _ = payload["thread"].(string)
	}
	return s, true
}

// ToldCard says to the requester how their run ended, why, and by whom.
func (cs *Cards) ToldCard(ctx context.Context, run string) (card.Card, error) {
	p, err := cs.progress(ctx, run)
	if err != nil {
		return card.Card{}, err
	}
	v := p.View
	return card.Card{
		Text:    card.Textf("%s *%s*", p.line(), v.Run.Title),
		Context: []card.Text{card.Textf("You asked for %s. It ran in %s.", v.Run.Name, card.Channel(v.Run.Channel))},
	}, nil
}

// requesterOf is the person who started a run by hand, in its own channel; "" = no person did.
func requesterOf(v *view.View) string {
	i := slices.IndexFunc(v.Facts, func(f history.Fact) bool { return f.Kind == history.KindOf(v.Start) })
	if i < 0 || !inPerson(v.Facts[i].Actor, v.Start) {
		return ""
	}
	if _, elsewhere := Told(v.Run, v.Facts[i], v.Start); elsewhere {
		return ""
	}
	return v.Facts[i].Actor.User
}
