package drafts

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Form asks what should be different in an approved flow. The change is discussed in the thread where the flow was drafted.
func (wd *Words) Form(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	f, d, err := wd.discussed(ctx, in, ref.Subject)
	if err != nil {
		return form.Form{}, err
	}
	body, _, err := draft.Decode(d)
	if err != nil {
		return form.Form{}, err
	}
	return form.Change(ref, "Change "+f.Name, fmt.Sprintf("Version %d of %s:\n%s", f.Head, f.Name, surface.StepWords(body.Steps))), nil
}

// Submit changes a flow by the words of its form, as words in its thread do.
func (wd *Words) Submit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	_, d, err := wd.discussed(ctx, in, ref.Subject)
	if err != nil {
		return err
	}
	asked := in
	in.Channel, in.Thread, in.Text = d.Channel, d.Thread, in.Form[form.FieldText]
	done, err := wd.Edit(ctx, in, true)
	if err == nil && !done {
		err = noChange(in.Text, nil)
	}
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		return besideWords(ue, err)
	}
	if err != nil || asked.Channel == d.Channel && asked.Thread == d.Thread {
		return err
	}
	return wd.Replies.After(ctx, asked, card.Textf("Your change of *%s* is in %s, in the thread of its draft.", ref.Subject, card.Channel(d.Channel)))
}

// Changing reads what stands behind "change": the flow, and what should be different in it. named says that a colon makes the flow certain.
func Changing(text string) (flow, words string, named bool) {
	m := changing.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return m[1], m[3], m[2] != ""
}

var changing = regexp.MustCompile(`(?is)^\s*(?:(?:the|my|our)\s+)?(?:(?:flow|workflow)\s+)?([\w-]+)(?:\s+(?:flow|workflow))?\s*(:?)\s*(.*)$`)

// Change handles "change refund: remove 3": another version of an approved flow, in the thread where the flow was drafted.
func (wd *Words) Change(ctx context.Context, in request.Incoming, c request.Command) error {
	name, words, _ := Changing(c.Rest)
	if name == "" || strings.TrimSpace(words) == "" {
		return &usererror.Error{Code: "bad_usage", Text: "Which flow, and what should be different?", Hint: "For example: `/flow change refund: remove 3`, or press Change on the card that `/flow show refund` gives."}
	}
	in.Form = map[string]string{form.FieldText: words}
	err := wd.Submit(ctx, in, form.Ref{Owner: form.OfChange, Subject: name})
	if wrong, ok := errors.AsType[*form.Problems](err); ok {
		return wrong.Err
	}
	return err
}

// besideWords puts a refusal beside the text field of a form.
func besideWords(ue *usererror.Error, err error) error {
	text := strings.NewReplacer("```", "", "`", "").Replace(strings.TrimSpace(ue.Text + " " + ue.Hint))
	return &form.Problems{Fields: map[string]string{form.FieldText: card.Shorten(text, problemMost)}, Err: err}
}

// problemMost is how many characters a problem beside a field has.
const problemMost = 1000

// discussed finds the draft from which the newest revision of a flow was made, for a person who may propose changes of it.
func (wd *Words) discussed(ctx context.Context, in request.Incoming, name string) (storage.Flow, storage.Draft, error) {
	f, err := wd.Access.Flow(ctx, in, name)
	if err != nil {
		return f, storage.Draft{}, err
	}
	d, ok, err := draft.OfVersion(ctx, wd.Store, f.Name, f.Head)
	if err != nil {
		return f, d, err
	}
	if !ok {
		return f, d, &usererror.Error{
			Code: "no_draft", Text: "This version was not made from a draft here, so words cannot change it.",
			Hint: "`/flow export " + f.Name + "` gives its file; change it there and drop it here, with @" + wd.Replies.Name + ".",
		}
	}
	return f, d, wd.Access.MayDraft(ctx, in, authority.Propose, d, nil)
}
