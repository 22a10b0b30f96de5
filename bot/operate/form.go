package operate

import (
	"context"
	"errors"

	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/people"
	"sluice/engine/usererror"
)

// Form asks for the inputs of a flow. A person who may not start it is told so before they enter anything.
func (st *Starts) Form(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	f, err := st.Access.Flow(ctx, in, ref.Subject)
	if err == nil {
		err = st.Access.May(ctx, in, authority.Start, people.AboutFlow(f))
	}
	if err != nil {
		return form.Form{}, err
	}
	rev, err := st.Store.Revision(ctx, f.Name, f.Head)
	if err != nil {
		return form.Form{}, err
	}
	doc, err := flow.FromJSON(rev.Body)
	if err != nil {
		return form.Form{}, err
	}
	return form.Inputs(doc, nil), nil
}

// Submit starts a flow with what somebody entered.
func (st *Starts) Submit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	inputs := map[string]any{}
	for name, v := range in.Form {
		if v != "" {
			inputs[name] = v
		}
	}
	err := st.startFlow(ctx, in, ref.Subject, inputs, "")
	if ue, ok := errors.AsType[*usererror.Error](err); ok && len(ue.Fields) > 0 && len(ue.Fields) == len(ue.Problems) {
		return &form.Problems{Fields: ue.Fields, Err: err}
	}
	return err
}
