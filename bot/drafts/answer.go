package drafts

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
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
	option, _ := draft.Pressed(q, words)
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

// strict are the kinds of questions that take words of one sort alone: a length of time, a number.
var strict = []string{"late", "times"}

// answerOpen takes a reply as the answer to the only question, or to the one of several on the card that words of its sort alone answer. A person
// confirms what may be about something else in the draft. ErrNone: it fits none. [errWhich]: it may be meant for one of several.
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
	q, next := fits[0].q, fits[0].next
	if len(body.Questions) > 1 && (len(fits) > 1 || !slices.Contains(strict, q.Kind)) {
		return nil, "", errWhich
	}
	if courteous(in.Text) || !slices.Contains([]string{"clause", "doer"}, q.Kind) && !slices.Contains(strict, q.Kind) && change.Recalls(t, in.Text, planner.People(in.Text, w)...) {
		next.Objections = append(next.Objections, tree.Objection{ID: fmt.Sprint(len(next.Texts), ".", q.ID), Text: "it answers the question about “" + card.Shorten(cmp.Or(q.Quote, q.Text), 60) + "”", Change: true})
	}
	return next, answeredWith(in.Text, q), nil
}

// answerName takes a reply that is a name and nothing else as the answer to the question on the card who it is. ErrNone: it is no name, or no question
// asks for one. With several such questions the bot asks which one is meant.
func answerName(t *tree.Tree, w env.World, body draft.Body, in request.Incoming) (*tree.Tree, string, error) {
	name := strings.TrimRight(strings.TrimSpace(in.Text), ".!")
	var asked []planner.Question
	for _, q := range body.Asked() {
		if slices.Contains([]string{"doer", "condition", "who"}, q.Kind) && slices.ContainsFunc(q.Options, func(o planner.Option) bool { return o.Needs == "name" }) {
			asked = append(asked, q)
		}
	}
	switch {
	case len(asked) == 0 || len(name) < 2 || !strings.ContainsAny(name[:1], "@#") || strings.ContainsAny(name, " \n,"):
		return nil, "", change.ErrNone
	case len(asked) > 1:
		return nil, "", whichQuestion(in.Text, name, body, asked)
	}
	return answerNamed(t, w, asked[0], name, in.User)
}

// errWhich means that a reply may be the answer to one of several questions.
var errWhich = errors.New("the words may answer several questions")

// anyWords stand for an answer in an example.
const anyWords = "..."

// whichQuestion asks for which question a reply is meant. example is an answer.
func whichQuestion(text, example string, body draft.Body, asked []planner.Question) error {
	hint, first := "", 0
	for _, q := range asked {
		how, number := " (with its buttons)", body.Number(q.ID)
		if _, words := typedOption(q); words {
			how = ""
		}
		if q.Free || example != anyWords {
			first = cmp.Or(first, number)
		}
		hint += fmt.Sprintf("%d. %s%s\n", number, q.Text, how)
	}
	return &usererror.Error{
		Code: "which_question", Text: "Questions are open, and I cannot tell whether this answers one of them, so nothing changed: “" + card.Shorten(strings.TrimSpace(text), 200) + "”.",
		Hint: fmt.Sprintf("%sTo answer one in words, reply “question %d: %s”. For a new step, reply “add: ...”.", hint, cmp.Or(first, body.Number(asked[0].ID)), example), Err: errWhich,
	}
}

// answers reports whether a reply can be the answer to a question: it does not speak of the draft, and what a value is to be says no order.
func answers(text string, q planner.Question) bool {
	return q.Free && !change.Speaks(text) && (q.Kind != "value" && q.Kind != "param" || !orders.MatchString(text))
}

// orders finds replies that say when something is done, or that name a step.
var orders = regexp.MustCompile(`(?i)^\s*(?:if|when|once|after|before|unless|otherwise|else)\b|\b(?:remove|drop|delete|step|add) [0-9]`)
