package slack

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/engine/flow"
)

// Slack's limits of modals, in characters.
const (
	maxModalTitle = 24
	maxLabel      = 2000
	maxHint       = 2000
	maxInitial    = 3000
	maxModalText  = 20_000
)

// formCallback marks our modals, and formValue the one element of each of their inputs.
const (
	formCallback = "form"
	formValue    = "value"
)

// modalPlace is what a modal keeps for its submission, which does not say where the form was asked for.
type modalPlace struct {
	Ref     string `json:"ref"`
	Channel string `json:"channel"`
	Thread  string `json:"thread,omitempty"`
	Home    bool   `json:"home,omitempty"`
}

// formModal draws a form.
func formModal(f form.Form, in request.Incoming) slackgo.ModalViewRequest {
	d := &drawing{room: maxModalText}
	d.section(card.Plain(f.Text))
	for _, field := range f.Fields {
		d.add(input(field))
	}
	v := modal(f.Title, in, d.blocks)
	v.Submit = plain(cut(card.OneLine(f.Submit), maxModalTitle))
	return v
}

// wordsModal draws what a person is told in place of a form.
func wordsModal(title string, c card.Card, in request.Incoming) slackgo.ModalViewRequest {
	d := &drawing{room: maxModalText}
	d.section(c.Text)
	return modal(title, in, d.blocks)
}

func modal(title string, in request.Incoming, blocks []slackgo.Block) slackgo.ModalViewRequest {
	place, _ := json.Marshal(modalPlace{Ref: in.Value, Channel: in.Channel, Thread: in.Thread, Home: in.Home})
	return slackgo.ModalViewRequest{
		Type: slackgo.VTModal, CallbackID: formCallback, Title: plain(cut(card.OneLine(title), maxModalTitle)), Close: plain("Close"),
		PrivateMetadata: string(place), Blocks: slackgo.Blocks{BlockSet: blocks},
	}
}

// input draws one field. Its block has the field's name, so that a problem stands beside it.
func input(f form.Field) slackgo.Block {
	hint := f.Hint
	if f.Kind == form.Choice && !selectable(f.Options) {
		hint = fmt.Sprintf("%s One of: %s", hint, card.Join(", ", words(f.Options)...))
	}
	b := slackgo.NewInputBlock(f.Name, plain(cut(card.OneLine(f.Label), maxLabel)), nil, inputElement(f))
	if hint != "" && !strings.EqualFold(hint, f.Label) {
		b.Hint = plain(cut(card.OneLine(hint), maxHint))
	}
	b.Optional = !f.Required
	return b
}

func inputElement(f form.Field) slackgo.BlockElement {
	switch {
	case f.Kind == form.Number, f.Kind == form.Integer:
		el := slackgo.NewNumberInputBlockElement(nil, formValue, f.Kind == form.Number)
		el.InitialValue = f.Value
		return el
	case f.Kind == form.Several:
		return slackgo.NewOptionsMultiSelectBlockElement(slackgo.MultiOptTypeStatic, plain("Choose"), formValue, optionObjects(f.Options[:min(len(f.Options), maxChoices)])...)
	case f.Kind == form.YesNo:
		return radio([]string{"yes", "no"}, f.Value)
	case f.Kind == form.Choice && selectable(f.Options):
		if len(f.Options) <= radiosMost {
			return radio(f.Options, f.Value)
		}
		return selection(f.Options, f.Value)
	case f.Kind == form.Date:
		el := slackgo.NewDatePickerBlockElement(formValue)
		if flow.TextOfType(flow.TypeDate, f.Value) {
			el.InitialDate = f.Value
		}
		return el
	case f.Kind == form.Moment:
		el := slackgo.NewDateTimePickerBlockElement(formValue)
		if at, err := time.Parse(time.RFC3339, f.Value); err == nil {
			el.InitialDateTime = at.Unix()
		}
		return el
	case f.Kind == form.Person:
		el := slackgo.NewOptionsSelectBlockElement(slackgo.OptTypeUser, plain("Choose a person"), formValue)
		el.InitialUser = f.ID
		return el
	case f.Kind == form.Channel:
		el := slackgo.NewOptionsSelectBlockElement(slackgo.OptTypeConversations, plain("Choose a channel"), formValue)
		el.InitialConversation = f.ID
		el.Filter = &slackgo.SelectBlockElementFilter{Include: []string{"public", "private"}, ExcludeBotUsers: true}
		return el
	case f.Kind == form.File:
		return slackgo.NewFileInputBlockElement(formValue).WithMaxFiles(1)
	}
	el := slackgo.NewPlainTextInputBlockElement(nil, formValue)
	el.Multiline = f.Kind == form.Long || f.Kind == form.JSON || f.Kind == form.List
	el.InitialValue = cut(f.Value, maxInitial)
	return el
}

// radiosMost is how many options stand openly in a modal; more are in a select, which can be searched.
const radiosMost = 5

// radio draws a choice among few options.
func radio(options []string, initial string) slackgo.BlockElement {
	all := optionObjects(options)
	el := slackgo.NewRadioButtonsBlockElement(formValue, all...)
	if i := slices.Index(options, initial); i >= 0 {
		el.InitialOption = all[i]
	}
	return el
}

func optionObjects(options []string) []*slackgo.OptionBlockObject {
	all := make([]*slackgo.OptionBlockObject, len(options))
	for i, o := range options {
		all[i] = slackgo.NewOptionBlockObject(o, plain(cut(card.OneLine(o), maxChoice)), nil)
	}
	return all
}

// selection draws a choice among options.
func selection(options []string, initial string) slackgo.BlockElement {
	all := optionObjects(options)
	el := slackgo.NewOptionsSelectBlockElement(slackgo.OptTypeStatic, plain("Choose"), formValue, all...)
	if i := slices.Index(options, initial); i >= 0 {
		el.InitialOption = all[i]
	}
	return el
}

// selectable says whether a select has room for options.
func selectable(options []string) bool {
	return len(options) > 0 && len(options) <= maxChoices && !slices.ContainsFunc(options, func(o string) bool { return o == "" || len([]rune(o)) > maxChoiceValue })
}

func words(options []string) []card.Text {
	out := make([]card.Text, len(options))
	for i, o := range options {
		out[i] = card.Plain(o)
	}
	return out
}

// submission is a form that somebody sent. False: it is not one of our forms.
func submission(s *slackgo.InteractionCallback) (request.Incoming, bool) {
	var place modalPlace
	if s.View.CallbackID != formCallback || json.Unmarshal([]byte(s.View.PrivateMetadata), &place) != nil {
		return request.Incoming{}, false
	}
	in := request.Incoming{
		Kind: request.KindSubmit, User: s.User.ID, Team: s.User.TeamID, Channel: place.Channel, Thread: place.Thread, Value: place.Ref, Home: place.Home, Form: map[string]string{},
	}
	if s.View.State != nil {
		for name, elements := range s.View.State.Values {
			in.Form[name] = entered(elements[formValue])
		}
	}
	return in, true
}

// entered is what somebody entered in an element, as text. A file is an object, as in the payload of a message.
func entered(el slackgo.BlockAction) string {
	switch {
	case el.SelectedDateTime != 0:
		return strconv.FormatInt(el.SelectedDateTime, 10)
	case len(el.SelectedOptions) > 0:
		var all []string
		for _, o := range el.SelectedOptions {
			all = append(all, o.Value)
		}
		return strings.Join(all, "\n")
	case len(el.Files) > 0:
		return attached(el.Files)[0].Value()
	}
	return cmp.Or(el.SelectedOption.Value, el.SelectedDate, el.SelectedUser, el.SelectedConversation, el.SelectedChannel, el.Value)
}
