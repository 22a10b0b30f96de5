package operate

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/coerce"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/trigger"
	"sluice/storage"
)

const (
	twiceWithin = 2 * time.Minute // a second click within this time is asked about
	twiceSeen   = 20              // of the newest runs of a flow are looked at
)

// pressedBefore finds a run with the same inputs that the person has started by a button or a form just now, or that is not over. A flow
// whose runs have a key finds it by that.
func (st *Starts) pressedBefore(ctx context.Context, in request.Incoming, f storage.Flow, with started) (r storage.Run, found bool, err error) {
	if in.Kind != request.KindClick && in.Kind != request.KindSubmit {
		return r, false, nil
	}
	doc, err := st.head(ctx, f)
	if err != nil || doc.Run.Key != "" && doc.Run.OnDuplicate != flow.DuplicateAllow {
		return r, false, err
	}
	inputs, err := coerce.Inputs(doc, with.inputs)
	if err != nil {
		return r, false, nil // the start reports the error
	}
	wanted, err := json.Marshal(inputs)
	if err != nil {
		return r, false, err
	}
	rows, err := st.Store.Runs(ctx, storage.RunQuery{Flow: f.Name, Top: true, Limit: twiceSeen})
	if err != nil {
		return r, false, err
	}
	for _, r := range rows {
		lives := !history.Status(r.Status).Final()
		if !lives && (r.By != in.User || st.Replies.Engine.Now().Sub(r.Started) > twiceWithin) {
			continue
		}
		start, err := st.Engine.StartOf(ctx, r.ID)
		if err != nil {
			return r, false, err
		}
		had, err := json.Marshal(start.Inputs)
		if err != nil || !slices.Equal(had, wanted) || trigger.ReadsMessage(doc) && said(start.Event) != said(with.event) {
			continue
		}
		if sees, err := request.Allowed(st.Access.MayRun(ctx, in, authority.ReadRun, r)); err != nil || sees {
			return r, sees, err
		}
	}
	return r, false, nil
}

// startAnother asks whether a person means a second run beside one with the same inputs.
func startAnother(r storage.Run) card.Card {
	return card.Card{
		Text: card.Textf("Nothing was started yet: *%s* has the same inputs, was asked for by %s, %s, and %s. Start another run?",
			r.Title, surface.Person(r.By), card.Date(r.Started), isNow(r)),
		Buttons: []card.Button{
			{Action: "run.anyway", Label: "Start another run", Value: r.ID, Style: card.Primary},
			{Action: "run.show", Label: "Show " + r.Name, Value: r.Name},
		},
	}
}

// said is the message of what started a run.
func said(event map[string]any) any {
	payload, _ := event["payload"].(map[string]any)
	return payload["message"]
}
