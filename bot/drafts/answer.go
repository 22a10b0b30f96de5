package drafts

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine/planner"
	"sluice/engine/planner/change"
	"sluice/engine/planner/env"
	"sluice/engine/planner/tree"
	"sluice/engine/usererror"
)

// answerNamed takes a reply that names the question which it answers: "question 2: Your parcel is on its way".
func answerNamed(t *tree.Tree, w env.World, q planner.Question, words, by string) (*tree.Tree, string, error) {
	if q.ID == "" {
		return nil, "", &usererror.Error{Code: "no_question", Text: "No question of that number is open.", Hint: "The newest card in this thread shows the open questions with their numbers."}
	}
	option := ""
	for _, o := range q.Options {
		if o.Needs == "" && strings.EqualFold(strings.Trim(o.Label, "."), strings.Trim(words, " .!")) {
			option = o.ID
		}
	}
	if typed, ok := typedOption(q); option == "" && ok {
		option = typed
	}
	if option == "" && !q.Free {
		return nil, "", &usererror.Error{Code: "no_words", Text: "The question “" + q.Text + "” takes no answer in words.", Hint: "Press one of its buttons."}
	}
	next, err := planner.Answer(t, w, q.ID, option, words, by)
	if why, is := errors.AsType[*planner.AnswerError](err); is {
		err = &usererror.Error{Code: "answer_" + why.Code, Text: why.Text, Err: err}
	}
	return next, answeredWith(words, q), err
}

// answeredWith says in the thread which words answered which question.
func answeredWith(words string, q planner.Question) string {
	return "“" + card.Shorten(strings.TrimSpace(words), 100) + "” answers: " + q.Text
}

// fit is a question that a reply can be the answer to, and the tree with that answer.
type fit struct {
	q    planner.Question
	next *tree.Tree
}

// answerOpen takes a reply as the answer to the question on the card that it fits. With other questions beside it a person confirms that. ErrNone:
// it fits none. [errWhich]: it fits several, or may as well be about something else in the draft.
func answerOpen(t *tree.Tree, w env.World, body draft.Body, in request.Incoming) (*tree.Tree, string, error) {
	var fits []fit
	for _, q := range body.Asked() {
		if !answers(in.Text, q) {
			continue
		}
		if next, err := planner.Answer(t, w, q.ID, "", strings.TrimSpace(in.Text), in.User); err == nil {
			fits = append(fits, fit{q, next})
		}
	}
	if len(fits) == 0 || len(fits) > 1 && courteous(in.Text) {
		return nil, "", change.ErrNone
	}
	q, next, names := fits[0].q, fits[0].next, planner.People(in.Text, w)
	text := q.Kind == "param" || q.Kind == "value"
	recalls := change.Recalls(t, in.Text, names...)
	if len(body.Questions) > 1 && (len(fits) > 1 || !text && recalls || text && change.Concerns(t, in.Text, names...)) {
		return nil, "", errWhich
	}
	if len(body.Questions) > 1 || courteous(in.Text) || text && recalls { // the words may mean something else
		next.Objections = append(next.Objections, tree.Objection{ID: fmt.Sprint(len(next.Texts), ".", q.ID), Text: "it answers the question about “" + card.Shorten(cmp.Or(q.Quote, q.Text), 60) + "”", Change: true})
	}
	return next, answeredWith(in.Text, q), nil
}

// errWhich means that a reply may be the answer to one of several questions.
var errWhich = errors.New("the words may answer several questions")

// whichQuestion asks what a reply is meant for, with the questions on the card.
func whichQuestion(text string, body draft.Body) error {
	hint, example := "", 0
	for _, q := range body.Asked() {
		how, number := " (with its buttons)", body.Number(q.ID)
		if q.Free {
			how, example = "", cmp.Or(example, number)
		}
		hint += fmt.Sprintf("%d. %s%s\n", number, q.Text, how)
	}
	return &usererror.Error{
		Code: "which_question", Text: "Questions are open, and I cannot tell whether this answers one of them, so nothing changed: “" + card.Shorten(strings.TrimSpace(text), 200) + "”.",
		Hint: fmt.Sprintf("%sTo answer one in words, reply “question %d: ...”. For a new step, reply “add: ...”.", hint, example), Err: errWhich,
	}
}

// answers reports whether a reply can be the answer to a question: it does not speak of the draft, and what a value is to be says no order.
func answers(text string, q planner.Question) bool {
	return q.Free && !change.Speaks(text) && (q.Kind != "value" && q.Kind != "param" || !orders.MatchString(text))
}

// orders finds replies that say when something is done, or that name a step.
var orders = regexp.MustCompile(`(?i)^\s*(?:if|when|once|after|before|unless|otherwise|else)\b|\b(?:remove|drop|delete|step|add) [0-9]`)
