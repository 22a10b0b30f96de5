package surface

import (
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/engine/planner"
	"sluice/storage"
)

// questions are what a draft asks, with buttons and selects. Behind them stands how many come later.
func questions(d storage.Draft, b draft.Body) []card.Question {
	var out []card.Question
	for _, q := range b.Asked() {
		number := b.Number(q.ID)
		text, several := card.Textf(":grey_question: *%s*", q.Text), len(b.Questions) > 1 || number > 1
		if several {
			text = card.Textf(":grey_question: *%d. %s*", number, q.Text)
		}
		for _, line := range q.Lines {
			text = card.Textf("%s\n• %s", text, strings.ReplaceAll(line, "\n    ", "\n\u2003\u2003")) // Slack cuts plain spaces off
		}
		if q.Free && several {
			text = card.Textf("%s\nOr reply “question %d: ...” in this thread, in your own words.", text, number)
		} else if q.Free {
			text = card.Textf("%s\nOr reply in this thread in your own words.", text)
		}
		one := card.Question{Text: text}
		for _, o := range q.Options {
			action := AnswerAction(d.ID, q.ID, o.ID)
			if o.Needs == "text" {
				continue // typed
			}
			if o.Needs == "" {
				one.Buttons = append(one.Buttons, card.Button{Action: action, Label: o.Label, Value: draft.Value(d), Style: style(q, o)})
				continue
			}
			s := card.Select{Action: action, Label: o.Label}
			for _, v := range o.Values[:min(len(o.Values), choicesMost)] {
				s.Choices = append(s.Choices, card.Choice(v))
			}
			one.Selects = append(one.Selects, s)
		}
		out = append(out, one)
	}
	if rest := len(b.Questions) - len(b.Asked()); rest > 0 {
		out = append(out, card.Question{Text: card.Textf("_%s_", plural(rest, "more question follows these", "more questions follow these"))})
	}
	return out
}

// answerButton opens a form with all questions of a draft, when its card has no room for all of them or for all that can be chosen.
func answerButton(d storage.Draft, b draft.Body) []card.Button {
	crowded := len(b.Questions) > len(b.Asked())
	for _, q := range b.Questions {
		crowded = crowded || slices.ContainsFunc(q.Options, func(o planner.Option) bool { return o.Needs == "text" || len(o.Values) > choicesMost })
	}
	if !crowded || b.Tree == nil {
		return nil
	}
	return []card.Button{FormButton("Answer…", form.Ref{Owner: form.OfDraft, Subject: d.ID})}
}

// choicesMost is how many choices a select of a question offers: three questions with selects fit into one message.
const choicesMost = 30

// style marks the answer that is probably meant. To leave words out is never that.
func style(q planner.Question, o planner.Option) card.Style {
	if q.Default != "" && q.Default == o.ID && !strings.HasPrefix(o.ID, planner.LeavesOut) {
		return card.Primary
	}
	return card.Default
}

// AnswerAction names an answer to a question of a draft.
func AnswerAction(draft, question, option string) string {
	return "draft.answer:" + draft + ":" + question + ":" + option
}

// ReadAnswer takes an action apart that AnswerAction made.
func ReadAnswer(action string) (draft, question, option string, ok bool) {
	parts := strings.SplitN(action, ":", 4)
	if len(parts) != 4 {
		return "", "", "", false
	}
	return parts[1], parts[2], parts[3], true
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
