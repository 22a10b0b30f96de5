package bot

import (
	"encoding/json"
	"fmt"

	"sluice/storage"

	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/gate"
)

// otherRows are the ways that are neither: words, files.
var otherRows = map[string]door{
	"words":      {in: typed("no such word"), may: ours},
	"a greeting": {in: typed("hello"), may: ours},
	"an outline": {in: typed("1. get the order\n2. tell #general"), may: ours},
	"a mention": {in: func(*doors, string) request.Incoming {
		return request.Incoming{Kind: request.KindMention, Text: "run ask"}
	}, may: readers},
	"a private word": {in: func(*doors, string) request.Incoming {
		return request.Incoming{Kind: request.KindMention, Text: "run ask", Channel: "D1", Direct: true}
	}, may: readers},
	"an old button":          {in: press("no.such", "x"), may: ours},
	"the form of a run":      {in: press(surface.OpenForm, "form of a run"), may: readers},
	"the form of a new flow": {in: press(surface.OpenForm, "form of a new flow"), may: ours},
	"words in a form":        {in: submit("form of a new flow", map[string]string{form.FieldText: "1. get the order"}), may: ours},
	"a message": {in: func(*doors, string) request.Incoming {
		return request.Incoming{Kind: request.KindShortcut, Text: "1. get the order", TS: "8.1"}
	}, may: ours},
	"the form of a question": {in: press(surface.OpenForm, "form of a question"), may: deciders, sees: runs, guests: true},
	"the form of a schedule": {in: press(surface.OpenForm, "form of a schedule"), may: readers},
	"a schedule in a form":   {in: submit("form of a schedule", map[string]string{form.FieldWhen: "no such time"}), may: readers},
	"the form of a change":   {in: press(surface.OpenForm, "form of a change"), may: readers},
	"a change in a form":     {in: submit("form of a change", map[string]string{form.FieldText: "no such change"}), may: readers},
	"the form of an edit":    {in: press(surface.OpenForm, "form of an edit"), may: []string{"asker", "owner", "admin"}, sees: runs},
	"an edit in a form":      {in: submit("form of an edit", map[string]string{form.FieldText: "no such change"}), may: []string{"asker", "owner", "admin"}, sees: runs},
	"the form of moves":      {in: press(surface.OpenForm, "form of moves"), may: operators[1:], sees: readers},
	"runs in a form":         {in: submit("form of moves", map[string]string{form.FieldRuns: "no-such-run"}), may: operators[1:], sees: readers},
	"inputs in a form":       {in: submit("form of a run", map[string]string{}), may: readers},
	"somebody else is asked": {in: submit("form of a colleague", map[string]string{form.FieldPerson: "nobody"}), may: deciders, sees: runs, guests: true},
	"arguments in a form":    {in: submit("form of a call", map[string]string{"amount": "1"}), may: deciders, sees: runs, guests: true},
	"an answer in a form":    {in: submit("form of a question", map[string]string{form.FieldChoice: "no such choice"}), may: deciders, sees: runs, guests: true},
	"the form of a draft":    {in: press(surface.OpenForm, "form of a draft"), may: readers},
	"the form of needs":      {in: press(surface.OpenForm, "form of needs"), may: readers},
	"what stands for names":  {in: submit("form of needs", map[string]string{"tool:no.such": "shop.refund"}), may: readers},
	"answers to a draft":     {in: submit("form of a draft", map[string]string{"clause.0.0": "Leave it out"}), may: readers},
	"why another run":        {in: press(surface.OpenForm, "form of anyway"), may: readers},
	"a reason in a form":     {in: submit("form of anyway", map[string]string{form.FieldNote: " "}), may: readers},
	"why a run is ahead":     {in: press(surface.OpenForm, "form of ahead"), may: operators, sees: runs},
	"a reason to be ahead":   {in: submit("form of ahead", map[string]string{form.FieldNote: " "}), may: operators, sees: runs},
	"a file": {in: func(*doors, string) request.Incoming {
		return request.Incoming{Kind: request.KindMention, Files: []request.File{{ID: "F1", Name: "flow.yaml"}}}
	}, may: ours},
	"an edit of a draft": {in: inDraft("1. get the order"), may: ours}, // for others it is an outline of their own
}

// approvedDraft stores the draft from which the newest revision of the flow was made, and gives its id.
func (p *doors) approvedDraft() string {
	p.Helper()
	f, err := p.store.Flow(p.Context(), "ask")
	if err != nil {
		p.Fatal(err)
	}
	rev, err := p.store.Revision(p.Context(), "ask", f.Head)
	if err != nil {
		p.Fatal(err)
	}
	p.ts++
	d := storage.Draft{ID: fmt.Sprint("approved", p.ts), Flow: "ask", Channel: "C1", Thread: fmt.Sprint(p.ts), Status: draft.Approved, Author: "author", Base: 1, Number: 1}
	if d.Body, err = json.Marshal(draft.Body{Flow: rev.Body, Revision: f.Head, Authors: []string{"author"}}); err != nil {
		p.Fatal(err)
	}
	if err := p.store.Write(p.Context(), &storage.Batch{Draft: []storage.Draft{d}}); err != nil {
		p.Fatal(err)
	}
	return d.ID
}

// editForm is the form of the question about the failed step.
func (p *doors) editForm() string {
	p.Helper()
	r, err := p.store.RunByName(p.Context(), "fails-1")
	if err != nil {
		p.Fatal(err)
	}
	return form.Ref{Owner: form.OfEdit, Subject: gate.ID(r.ID, 1)}.String()
}

func submit(value string, values map[string]string) func(*doors, string) request.Incoming {
	return func(p *doors, _ string) request.Incoming {
		return request.Incoming{Kind: request.KindSubmit, Value: p.value(value), Form: values}
	}
}

// opened is what a person is told who wants to open a form; "" = it opens.
func (p *doors) opened(in request.Incoming) string {
	p.Helper()
	in.Channel, in.Team = "C1", "T1"
	_, refused, err := p.bot.Form(p.Context(), in)
	if err != nil {
		p.Fatal(err)
	}
	if refused == nil {
		return ""
	}
	return refused.Text.Words()
}
