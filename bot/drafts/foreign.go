package drafts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/flow/agents"
	"sluice/engine/importer"
	"sluice/engine/importer/document"
	"sluice/engine/planner/change"
	"sluice/engine/planner/direct"
	"sluice/engine/planner/readback"
	"sluice/engine/usererror"
	"sluice/storage"
)

// editForeign changes a step of a draft that came from a file of another format, in the file itself: the rest of it stays as it is.
func (wd *Words) editForeign(ctx context.Context, in request.Incoming, d storage.Draft, body draft.Body, doc *flow.Flow) error {
	f, err := asRead(body, doc)
	if err != nil {
		return err
	}
	numbers := readback.Numbers(f)
	next, err := direct.Apply(f, numbers, in.Text)
	var why *change.Error
	switch {
	case errors.Is(err, change.ErrNone):
		return notRead(in.Text)
	case errors.As(err, &why):
		return &usererror.Error{Code: "no_change", Text: why.Text, Err: err}
	case err != nil:
		return err
	}
	if closed := editable(d); closed != nil {
		return closed
	}
	changed, err := importer.Changed(next.Flows...)
	if err != nil {
		return unwritable(f, numbers, err)
	}
	if wrong := changed.With(document.Names(doc)).Check(wd.plan.checks(ctx, in)).Errors(); len(wrong) > 0 {
		return &usererror.Error{Code: "no_change", Text: "With this change the flow would not be right, so nothing changed: " + wrong[0].Message + ".", Err: wrong[0]}
	}
	from := origin{prev: &d, body: draft.Body{Edit: next.Said, File: body.File, Undo: d.ID, Only: body.Only, Said: body.Said}}
	if body.Read != nil {
		from.body.Read = flow.Canonical(changed.Flow)
	}
	if d.Status == draft.Approved && body.Only == nil {
		from.prev, from.body.Undo = nil, ""
	}
	return wd.write.proposeWritten(ctx, in, document.With(changed.Flow, document.Names(doc)), from)
}

// asRead is the flow of a draft as its file has it, without what stands here for names of it.
func asRead(body draft.Body, doc *flow.Flow) (*flow.Flow, error) {
	if body.Read == nil {
		return agents.Without(doc), nil
	}
	f, err := flow.FromJSON(body.Read)
	if err != nil {
		return nil, err
	}
	return agents.Without(f), nil
}

// notRead says how steps of a flow from another program are changed.
func notRead(text string) *usererror.Error {
	return &usererror.Error{
		Code: "no_edit", Text: "I cannot read this as a change of the draft, so nothing changed: “" + card.Shorten(text, 200) + "”.",
		Hint: "The flow came from another program. Name one of its steps, for example:\n" +
			request.Fenced("step 2 should say Hello\nrename 2 to Check\nin step 2 change days to weeks\nset the model of 2 to a-model\nremove 2\nadd after 2: write a summary") +
			"\nFor all else, “Edit as file” on the draft's card gives the file; change it there and drop it into this thread.",
	}
}

// partWords say what a part of a step is.
var partWords = map[string]string{
	"who": "who answers", "deadline": "a deadline", "name": "a name", "instructions": "instructions", "description": "a description", "model": "a model", "routes": "where it goes on",
	"tools": "tools", "kind": "what it does", "message": "other words", "choices": "choices", "input": "what it is given", "params": "what it is given",
}

// unwritable says what the format of a flow cannot say.
func unwritable(f *flow.Flow, numbers map[string]string, err error) error {
	var refused *document.NotWritableError
	if !errors.As(err, &refused) {
		return err
	}
	format, _ := importer.ByProfile(f.Profile)
	reason := strings.TrimSuffix(refused.Reason, ".")
	if reason == "" {
		what := cmp.Or(partWords[refused.Part], "“"+refused.Part+"”")
		if number := numbers[refused.Step]; number != "" {
			what += " of step " + number
		} else if n := f.Node(refused.Step); n != nil {
			what += " of “" + n.DisplayName() + "”"
		}
		reason = fmt.Sprintf("%s has no place for %s, as this would need", format.Name, what)
	}
	return &usererror.Error{
		Code: "no_change", Err: err, Text: "Nothing changed: " + reason + ".",
		Hint: "“Edit as file” on the draft's card gives the file, to change it by hand; `sluice convert FILE --to native` makes a flow file of Sluice of it, which can say more.",
	}
}
