package drafts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/planner"
	"sluice/engine/usererror"
	"sluice/storage"
)

// gone is the option of an answer that the question does not have any more.
const gone = "gone"

// inWords marks the field in which a question is answered in one's own words.
const inWords = " in words"

// Form asks the questions of a draft.
func (qs *Questions) Form(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	d, body, err := qs.toAnswer(ctx, in, ref.Subject)
	if err != nil {
		return form.Form{}, err
	}
	if d.Status != draft.Open || len(body.Questions) == 0 {
		return form.Form{}, answeredAlready()
	}
	return form.Form{Ref: ref, Title: "Questions", Submit: "Answer", Text: "What you leave empty stays open.", Fields: allFields(body)}, nil
}

// questionsMost is how many questions a form asks at a time: a modal has 100 blocks.
const questionsMost = 40

// fieldsOf asks one question: a choice among all that can be pressed or chosen, and words where those are taken.
func fieldsOf(q planner.Question) []form.Field {
	var fields []form.Field
	if ways := waysOf(q); len(ways) > 0 {
		choice := form.Field{Name: q.ID, Label: q.Text, Kind: form.Choice}
		for _, w := range ways {
			choice.Options = append(choice.Options, w.label)
		}
		fields = append(fields, choice)
	}
	if _, typed := typedOption(q); typed {
		words := form.Field{Name: q.ID + inWords, Label: q.Text, Kind: form.Text}
		if len(fields) > 0 && q.Free {
			words.Label = "Or in your own words"
		} else if len(fields) > 0 {
			words.Label, words.Hint = "Or somebody else", "A name with @, or a channel with #."
		}
		fields = append(fields, words)
	}
	return fields
}

// way is an answer to choose: an option, with its value where it needs one.
type way struct{ label, option, value string }

// waysMost is how many a select can hold.
const waysMost = 100

func waysOf(q planner.Question) []way {
	var out []way
	add := func(w way) {
		if len(out) < waysMost && !slices.ContainsFunc(out, func(o way) bool { return o.label == w.label }) {
			out = append(out, w)
		}
	}
	for _, o := range q.Options {
		if o.Needs == "" {
			add(way{label: o.Label, option: o.ID})
		}
	}
	for _, o := range q.Options {
		for _, v := range o.Values {
			add(way{label: fmt.Sprintf("%s: %s", strings.TrimRight(o.Label, ".…?"), v.Label), option: o.ID, value: v.Value})
		}
	}
	return out
}

// typedOption is the option that typed words answer: one that needs a name or a text, else the words themselves.
func typedOption(q planner.Question) (id string, ok bool) {
	if q.Free {
		return "", true
	}
	for _, o := range q.Options {
		if o.Needs == "name" || o.Needs == "text" {
			return o.ID, true
		}
	}
	return "", false
}

// Submit takes the answers to a draft's questions, each as if it was pressed on the card. If one is refused none is taken, and the form says
// why.
func (qs *Questions) Submit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	d, body, err := qs.toAnswer(ctx, in, ref.Subject)
	if err != nil {
		return err
	}
	if d.Status != draft.Open || body.Tree == nil {
		return answeredAlready()
	}
	next, wrong, given, did := body.Tree, map[string]string{}, 0, ""
	for _, q := range body.Questions {
		option, value, field := chosenOf(q, in.Form)
		if field == "" {
			continue
		}
		if option == gone {
			wrong[field] = "This cannot be chosen any more. Choose again."
			continue
		}
		in.Chosen = value
		t, err := qs.answered(ctx, in, next, d.Flow, q.ID, option)
		why, refused := errors.AsType[*usererror.Error](err)
		switch {
		case refused && why.Code == "answer_stale" && given > 0: // another answer has removed the question
		case refused:
			wrong[field] = why.Text
		case err != nil:
			return err
		default:
			next, given, did = t, given+1, answerWords(body, q.ID, option, value)
		}
	}
	if len(wrong) > 0 {
		return form.Wrong("bad_answer", allFields(body), wrong)
	}
	entered := slices.ContainsFunc(slices.Collect(maps.Values(in.Form)), func(v string) bool { return strings.TrimSpace(v) != "" })
	if given == 0 && entered {
		return answeredAlready()
	}
	if given == 0 {
		return &usererror.Error{Code: "nothing_given", Text: "Nothing was entered, so all questions stay open.", Hint: "*Answer…* on the card opens them again."}
	}
	if given > 1 {
		did = fmt.Sprintf("the answers to %d questions", given)
	}
	return qs.update(ctx, in, d, body, next, did)
}

func allFields(body draft.Body) (out []form.Field) {
	for _, q := range body.Questions[:min(len(body.Questions), questionsMost)] {
		out = append(out, fieldsOf(q)...)
	}
	return out
}

// chosenOf is the answer to a question among what somebody entered, and the field that has it; "" = it is not answered.
func chosenOf(q planner.Question, entered map[string]string) (option, value, field string) {
	if words := strings.TrimSpace(entered[q.ID+inWords]); words != "" {
		option, _ = typedOption(q)
		return option, words, q.ID + inWords
	}
	label := entered[q.ID]
	if label == "" {
		return "", "", ""
	}
	for _, w := range waysOf(q) {
		if w.label == label {
			return w.option, w.value, q.ID
		}
	}
	return gone, "", q.ID
}

// toAnswer loads a draft for somebody who may answer its questions.
func (qs *Questions) toAnswer(ctx context.Context, in request.Incoming, id string) (storage.Draft, draft.Body, error) {
	d, err := qs.Store.Draft(ctx, id)
	if err != nil {
		return d, draft.Body{}, request.HideMissing(err)
	}
	body, _, err := draft.Decode(d)
	if err == nil {
		err = qs.Access.MayDraft(ctx, in, authority.Propose, d, body.Authors)
	}
	return d, body, err
}

func answeredAlready() error {
	return &usererror.Error{Code: "stale_question", Text: "This question has been answered already.", Hint: "The newest card in this thread shows how."}
}
