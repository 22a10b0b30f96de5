package operate

import (
	"context"
	"errors"

	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/trigger"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Form asks for the inputs of a flow. A person who may not start it is refused before they enter anything.
func (st *Starts) Form(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	f, err := st.startable(ctx, in, ref.Subject)
	if err != nil {
		return form.Form{}, err
	}
	doc, err := st.head(ctx, f)
	if err != nil {
		return form.Form{}, err
	}
	return runForm(doc), nil
}

// runForm asks for the inputs of a run by hand, and for the message of a flow that reads the one which starts it.
func runForm(doc *flow.Flow) form.Form {
	out := form.Inputs(doc, nil)
	if trigger.ReadsMessage(doc) {
		out.Fields = append(out.Fields, form.Field{
			Name: trigger.MessageInput, Label: "Message", Hint: "What somebody writes to start it: this run has these words instead.", Kind: form.Long, Required: true,
		})
	}
	return out
}

// head reads the newest revision of a flow.
func (p *Ports) head(ctx context.Context, f storage.Flow) (*flow.Flow, error) {
	return draft.Saved(ctx, p.Store, f.Name, f.Head)
}

// Submit starts a flow with what somebody entered.
func (st *Starts) Submit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	f, err := st.startable(ctx, in, ref.Subject)
	if err != nil {
		return err
	}
	doc, err := st.head(ctx, f)
	if err != nil {
		return err
	}
	err = st.startWith(ctx, in, f, doc, in.Form, "")
	if ue, ok := errors.AsType[*usererror.Error](err); ok && len(ue.Fields) > 0 && len(ue.Fields) == len(ue.Problems) {
		return &form.Problems{Fields: ue.Fields, Err: err}
	}
	return err
}
