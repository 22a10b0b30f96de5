package request

import (
	"cmp"
	"errors"
	"strings"

	"sluice/bot/card"
	"sluice/engine/usererror"
)

// refusedError is a UserError whose text calls people and channels.
type refusedError struct {
	plain *usererror.Error
	text  card.Text
}

// Refuse is the error for a mistake of a person, in a text with marks. In the hint, commands are between backticks.
func Refuse(code string, text card.Text, hint string) error {
	return &refusedError{&usererror.Error{Code: code, Text: text.String(), Hint: hint}, text}
}

func (e *refusedError) Error() string { return e.plain.Error() }

func (e *refusedError) Unwrap() error { return e.plain }

// Refusal is the card about a mistake of a person: what is wrong, and what to do.
func (re *Replies) Refusal(err error) card.Card {
	var ue *usererror.Error
	if !errors.As(err, &ue) {
		return card.Card{Text: card.Textf(":warning: %s", err.Error())}
	}
	text := card.Plain(ue.Text)
	var marked *refusedError
	if errors.As(err, &marked) {
		text = marked.text
	}
	text = card.Textf(":warning: %s", text)
	if hint := HintOf(ue); hint != "" {
		text = card.Textf("%s\n%s", text, card.Marked(re.spell(re.typed(hint))))
	}
	return card.Card{Text: text}
}

// typed turns the usage of a flow into the command to type.
func (re *Replies) typed(hint string) string {
	if words, ok := strings.CutPrefix(hint, "Start it with: "); ok {
		return "Start it with: `" + re.Command + " " + strings.ReplaceAll(words, "`", "'") + "`"
	}
	return hint
}

// hints say what to do in chat about a refusal of the engine, by its code. %s is what the refusal is about.
var hints = map[string]string{
	"bad_answer":   "Press the button of the question for a form, or give the fields as name=value.",
	"no_flow":      "`/flow list` shows the flows you can use.",
	"unheard":      "Look at the name. If it is right, join the channel and bring me in: write /invite and my name there.",
	"lock_changed": "`/flow approve %s` shows it again for approval.",
	"never_there":  "`/flow show %s` shows where it was.",
	"queued":       "It goes on by itself when %s is over. “Run anyway” at its card lets it go on now.",
	"stale":        "Look at the newest card and answer there.",
	"not_stopped":  "If it stopped elsewhere, answer the card that says why.",
	"not_paused":   "If its flow or everything is paused, resume that: `/flow resume <flow>` or `/flow resume all`.",
	"paused":       "`/flow resume %s` lets it go on.",
}

// HintOf is what to do about a refusal.
func HintOf(ue *usererror.Error) string {
	if ue.Hint != "" {
		return ue.Hint
	}
	return strings.ReplaceAll(hints[ue.Code], "%s", cmp.Or(ue.Subject, "all"))
}

// Explain is the sentence for a refusal in a message of the engine, such as that a schedule is paused. Command is what people type.
func Explain(command string) func(error) string {
	re := &Replies{Command: command}
	return func(err error) string {
		ue, ok := errors.AsType[*usererror.Error](err)
		if !ok {
			return err.Error()
		}
		return strings.TrimSpace(ue.Text + " " + re.spell(HintOf(ue)))
	}
}

// spell writes commands the way this installation calls them.
func (re *Replies) spell(s string) string {
	return strings.ReplaceAll(s, "`/flow ", "`"+re.Command+" ")
}

// Fenced puts a block of lines into a hint.
func Fenced(s string) string { return "```" + strings.ReplaceAll(s, "`", "'") + "```" }
