package operate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/engine/coerce"
	"sluice/engine/flow"
	"sluice/engine/schedule"
	"sluice/engine/usererror"
)

// Form asks when a flow starts by itself, and with which inputs. A person who may not start it is told so before they enter anything.
func (hs *Holds) Form(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	f, err := hs.startable(ctx, in, ref.Subject)
	if err != nil {
		return form.Form{}, err
	}
	doc, err := hs.head(ctx, f)
	if err != nil {
		return form.Form{}, err
	}
	return form.Schedule(doc), nil
}

// Submit shows when a schedule would start runs, and saves it when it is sent once more: a schedule is saved only as it was shown.
func (hs *Holds) Submit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	f, err := hs.startable(ctx, in, ref.Subject)
	if err != nil {
		return err
	}
	doc, err := hs.head(ctx, f)
	if err != nil {
		return err
	}
	asked := form.Schedule(doc)
	zone, err := hs.zone(ctx, in)
	if err != nil {
		return err
	}
	t, err := hs.Engine.ReadSchedule(in.Form[form.FieldWhen], zone)
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		return &form.Problems{Fields: map[string]string{form.FieldWhen: strings.ReplaceAll(strings.TrimSpace(ue.Text+" "+ue.Hint), "`", "")}, Err: err}
	}
	if err != nil {
		return err
	}
	inputs, err := hs.scheduled(ctx, in, doc, asked)
	if err != nil {
		return err
	}
	if ref.Shown != timesHash(t) {
		return preview(asked, t, zone, asked.Understood(inputs))
	}
	return hs.add(ctx, in, f, proposed{Flow: f.Name, Cron: t.Cron, Zone: t.Zone, First: t.First, Inputs: inputs}, "")
}

// scheduled reads the inputs of the runs. What is wrong stands beside its field.
func (hs *Holds) scheduled(ctx context.Context, in request.Incoming, doc *flow.Flow, asked form.Form) (map[string]any, error) {
	inputs, err := hs.Access.Inputs(ctx, in, asked.Fields, in.Form)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(inputs, func(name string, v any) bool { return v == "" || name == form.FieldWhen })
	_, err = coerce.Inputs(doc, inputs)
	if ue, ok := errors.AsType[*usererror.Error](err); ok && len(ue.Fields) > 0 && len(ue.Fields) == len(ue.Problems) {
		return nil, &form.Problems{Fields: ue.Fields, Err: err}
	}
	return inputs, err
}

// preview is the form with the next times in the person's zone. understood says how their words were read.
func preview(asked form.Form, t schedule.Timetable, zone string, understood []string) error {
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "" {
		zone = t.Zone
		if loc, err = time.LoadLocation(zone); err != nil {
			loc = time.UTC
		}
	}
	var next []string
	for _, at := range t.Fires {
		next = append(next, "• "+at.In(loc).Format("Monday, 2 January 2006, 15:04 MST"))
	}
	asked.Ref.Shown, asked.Submit = timesHash(t), "Save the schedule"
	if len(understood) > 0 {
		next = append(next, "It would be given "+strings.Join(understood, ", ")+".")
	}
	asked.Text = fmt.Sprintf("It would start by itself %s (%s). The next times, in your zone (%s):\n%s\nNothing is saved yet.", t.Words, zoneName(t.Zone), zone, strings.Join(next, "\n"))
	return &form.Problems{Next: &asked, Err: &usererror.Error{Code: "schedule_unseen", Text: asked.Text, Hint: "Open the form again and send it twice to save it."}}
}

// timesHash names the times that somebody has seen.
func timesHash(t schedule.Timetable) string {
	first := int64(0)
	if !t.First.IsZero() {
		first = t.First.Unix()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%d", t.Cron, t.Zone, first))
	return hex.EncodeToString(sum[:8])
}
