package operate

import (
	"context"
	"strings"

	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/engine/usererror"
	"sluice/storage"
)

// AnywayForm asks why another run is started for the same thing.
func (st *Starts) AnywayForm(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	_, r, err := st.repeatable(ctx, in, ref)
	if err != nil {
		return form.Form{}, err
	}
	return reasonForm(ref, r.Name+" has run for the same thing. What it did may happen a second time. Your name and your reason are recorded."), nil
}

// AnywaySubmit starts a run with the inputs of another one, for a reason.
func (st *Starts) AnywaySubmit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	f, r, err := st.repeatable(ctx, in, ref)
	if err != nil {
		return err
	}
	reason, err := reasonOf(in)
	if err != nil {
		return err
	}
	return st.startAgain(ctx, in, f, r, "beside "+r.Name+": "+reason)
}

// Anyway repeats a run with the same inputs, after a person has confirmed it.
func (st *Starts) Anyway(ctx context.Context, in request.Incoming) error {
	f, r, err := st.repeatable(ctx, in, form.Ref{Subject: in.Value})
	if err != nil {
		return err
	}
	return st.startAgain(ctx, in, f, r, "confirmed beside "+r.Name)
}

// startAgain starts a run with what another one was given.
func (st *Starts) startAgain(ctx context.Context, in request.Incoming, f storage.Flow, r storage.Run, anyway string) error {
	start, err := st.Engine.StartOf(ctx, r.ID)
	if err != nil {
		return err
	}
	return st.startFlow(ctx, in, f, started{start.Inputs, start.Event, anyway})
}

func (st *Starts) repeatable(ctx context.Context, in request.Incoming, ref form.Ref) (f storage.Flow, r storage.Run, err error) {
	in.Value = ref.Subject
	if r, err = st.Access.ClickedRun(ctx, in); err == nil {
		f, err = st.startable(ctx, in, r.Flow)
	}
	return f, r, err
}

// AheadForm asks why a queued run does not wait.
func (st *Starts) AheadForm(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	if _, err := st.queued(ctx, in, ref); err != nil {
		return form.Form{}, err
	}
	return reasonForm(ref, "An earlier run for the same thing is not over. Both would go on side by side. Your name and your reason are recorded."), nil
}

// AheadSubmit lets a queued run go on, for a reason.
func (st *Starts) AheadSubmit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	r, err := st.queued(ctx, in, ref)
	if err != nil {
		return err
	}
	reason, err := reasonOf(in)
	if err != nil {
		return err
	}
	left, err := st.Engine.RunAnyway(ctx, r.ID, in.Actor(), reason, in.Inbox)
	if err != nil {
		return err
	}
	return st.resumed(ctx, in, r, left)
}

// queued is a run that its sender may operate.
func (st *Starts) queued(ctx context.Context, in request.Incoming, ref form.Ref) (storage.Run, error) {
	in.Value = ref.Subject
	r, err := st.Access.ClickedRun(ctx, in)
	if err == nil {
		err = st.operates(ctx, in, r)
	}
	return r, err
}

func reasonForm(ref form.Ref, text string) form.Form {
	reason := form.Field{Name: form.FieldNote, Label: "Why", Hint: "It is kept with the run.", Kind: form.Long, Required: true}
	return form.Form{Ref: ref, Title: "Run anyway", Submit: "Run anyway", Text: text, Fields: []form.Field{reason}}
}

func reasonOf(in request.Incoming) (string, error) {
	if reason := strings.TrimSpace(in.Form[form.FieldNote]); reason != "" {
		return reason, nil
	}
	none := &usererror.Error{Code: "no_reason", Text: "Nothing was started: a reason is needed."}
	return "", &form.Problems{Fields: map[string]string{form.FieldNote: "A reason is needed."}, Err: none}
}
