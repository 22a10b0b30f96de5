package slacksim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// option is an entry of a menu; raw is what the app sent.
type option struct {
	Value string `json:"value"`
	raw   json.RawMessage
}

// element is something interactive in blocks, with the fields that a person's side of it needs.
type element struct {
	BlockID  string
	Required bool // it stands in an input block that is not optional
	Input    bool // it stands in an input block
	Quiet    bool // it stands in an input block that tells the app nothing before it is submitted

	Type         string            `json:"type"`
	ActionID     string            `json:"action_id"`
	Text         json.RawMessage   `json:"text"`
	Value        string            `json:"value"`
	Options      []json.RawMessage `json:"options"`
	OptionGroups []struct {
		Options []json.RawMessage `json:"options"`
	} `json:"option_groups"`
	MinLength int    `json:"min_length"`
	MaxLength int    `json:"max_length"`
	MaxFiles  int    `json:"max_files"`
	MinValue  string `json:"min_value"`
	MaxValue  string `json:"max_value"`
	Decimal   bool   `json:"is_decimal_allowed"`

	InitialValue   json.RawMessage   `json:"initial_value"`
	InitialOption  json.RawMessage   `json:"initial_option"`
	InitialOptions []json.RawMessage `json:"initial_options"`
	InitialUser    string            `json:"initial_user"`
	InitialUsers   []string          `json:"initial_users"`
	InitialChannel string            `json:"initial_channel"`
	InitialConv    string            `json:"initial_conversation"`
	InitialDate    string            `json:"initial_date"`
	InitialTime    string            `json:"initial_time"`
	InitialInstant int64             `json:"initial_date_time"`
}

// findElements lists what a person can click or fill in, in order.
func findElements(blocks json.RawMessage) []element {
	var list []struct {
		Type      string            `json:"type"`
		BlockID   string            `json:"block_id"`
		Elements  []json.RawMessage `json:"elements"`
		Element   json.RawMessage   `json:"element"`
		Accessory json.RawMessage   `json:"accessory"`
		Optional  bool              `json:"optional"`
		Dispatch  bool              `json:"dispatch_action"`
	}
	if json.Unmarshal(blocks, &list) != nil {
		return nil
	}
	var found []element
	for _, b := range list {
		var parts []json.RawMessage
		switch b.Type {
		case "actions", "context_actions":
			parts = b.Elements
		case "section":
			parts = []json.RawMessage{b.Accessory}
		case "input":
			parts = []json.RawMessage{b.Element}
		}
		for _, raw := range parts {
			input := b.Type == "input"
			e := element{BlockID: b.BlockID, Input: input, Required: input && !b.Optional, Quiet: input && !b.Dispatch}
			if json.Unmarshal(raw, &e) == nil && e.ActionID != "" {
				found = append(found, e)
			}
		}
	}
	return found
}

func (e *element) options() []option {
	raws := e.Options
	for _, g := range e.OptionGroups {
		raws = append(raws, g.Options...)
	}
	var list []option
	for _, raw := range raws {
		o := option{raw: raw}
		if json.Unmarshal(raw, &o) == nil {
			list = append(list, o)
		}
	}
	return list
}

// initialValues is the state of an untouched view: every input element with what it starts with.
func initialValues(blocks json.RawMessage) map[string]map[string]json.RawMessage {
	values := map[string]map[string]json.RawMessage{}
	for _, e := range findElements(blocks) {
		if e.stateless() {
			continue
		}
		if values[e.BlockID] == nil {
			values[e.BlockID] = map[string]json.RawMessage{}
		}
		values[e.BlockID][e.ActionID], _ = json.Marshal(e.initial()) // strings and raw messages that were parsed
	}
	return values
}

// stateless elements are only ever clicked.
func (e *element) stateless() bool {
	return slices.Contains([]string{"button", "overflow", "workflow_button", "feedback_buttons", "icon_button", "image"}, e.Type)
}

func (e *element) initial() reply {
	var value any
	switch e.Type {
	case "static_select", "external_select", "radio_buttons":
		value = orNull(e.InitialOption)
	case "multi_static_select", "multi_external_select", "checkboxes":
		value = append([]json.RawMessage{}, e.InitialOptions...)
	case "users_select":
		value = orNil(e.InitialUser)
	case "multi_users_select":
		value = append([]string{}, e.InitialUsers...)
	case "channels_select":
		value = orNil(e.InitialChannel)
	case "conversations_select":
		value = orNil(e.InitialConv)
	case "datepicker":
		value = orNil(e.InitialDate)
	case "timepicker":
		value = orNil(e.InitialTime)
	case "datetimepicker":
		if e.InitialInstant > 0 {
			value = e.InitialInstant
		}
	case "multi_channels_select", "multi_conversations_select", "file_input":
		value = []string{}
	default:
		value = orNull(e.InitialValue)
	}
	return reply{"type": e.Type, e.field(): value}
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// field is where an element's value stands in actions and states.
func (e *element) field() string {
	switch e.Type {
	case "static_select", "external_select", "radio_buttons", "overflow":
		return "selected_option"
	case "multi_static_select", "multi_external_select", "checkboxes":
		return "selected_options"
	case "users_select":
		return "selected_user"
	case "multi_users_select":
		return "selected_users"
	case "channels_select":
		return "selected_channel"
	case "multi_channels_select":
		return "selected_channels"
	case "conversations_select":
		return "selected_conversation"
	case "multi_conversations_select":
		return "selected_conversations"
	case "datepicker":
		return "selected_date"
	case "timepicker":
		return "selected_time"
	case "datetimepicker":
		return "selected_date_time"
	case "rich_text_input":
		return "rich_text_value"
	case "file_input":
		return "files"
	}
	return "value"
}

// choose turns what a person typed or picked into the element's value: text, an option's value, a user's or channel's
// name or id, a date, or an array of those. Empty takes the choice back.
func (w *world) choose(e *element, picked json.RawMessage) (any, error) {
	switch e.Type {
	case "static_select", "radio_buttons", "overflow":
		return chooseOption(e, plain(picked))
	case "multi_static_select", "checkboxes":
		return chooseMany(picked, func(one string) (any, error) { return chooseOption(e, one) })
	case "users_select":
		return w.chooseUser(plain(picked))
	case "multi_users_select":
		return chooseMany(picked, w.chooseUser)
	case "channels_select", "conversations_select":
		return w.chooseChannel(plain(picked))
	case "multi_channels_select", "multi_conversations_select":
		return chooseMany(picked, w.chooseChannel)
	case "datepicker":
		return chooseTime("2006-01-02", "a date as 2026-01-31", plain(picked))
	case "timepicker":
		return chooseTime("15:04", "a time as 09:30", plain(picked))
	case "datetimepicker":
		if isNothing(plain(picked)) {
			return nil, nil
		}
		n, err := strconv.ParseInt(plain(picked), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is not a number of seconds", picked)
		}
		return n, nil
	case "number_input":
		return e.chooseNumber(plain(picked))
	case "rich_text_input":
		return picked, nil
	}
	return e.chooseText(plain(picked))
}

func isNothing(text string) bool { return text == "" || text == "null" }

func chooseMany(picked json.RawMessage, one func(string) (any, error)) (any, error) {
	var names []text
	if json.Unmarshal(picked, &names) != nil && !isNothing(plain(picked)) {
		names = []text{text(plain(picked))}
	}
	list := []any{}
	for _, name := range names {
		value, err := one(string(name))
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

func chooseOption(e *element, picked string) (any, error) {
	if isNothing(picked) {
		return nil, nil
	}
	var values []string
	for _, o := range e.options() {
		if o.Value == picked {
			return o.raw, nil
		}
		values = append(values, o.Value)
	}
	return nil, fmt.Errorf("%q is not an option: use %s", picked, strings.Join(values, ", "))
}

func (w *world) chooseUser(picked string) (any, error) {
	if isNothing(picked) {
		return nil, nil
	}
	if u := w.user(picked); u != nil {
		return u.ID, nil
	}
	return nil, fmt.Errorf("there is no user %q", picked)
}

func (w *world) chooseChannel(picked string) (any, error) {
	if isNothing(picked) {
		return nil, nil
	}
	if c := w.channel(picked); c != nil {
		return c.ID, nil
	}
	return nil, fmt.Errorf("there is no channel %q", picked)
}

func chooseTime(layout, wanted, picked string) (any, error) {
	if isNothing(picked) {
		return nil, nil
	}
	if _, err := time.Parse(layout, picked); err != nil {
		return nil, fmt.Errorf("%q is not %s", picked, wanted)
	}
	return picked, nil
}

func (e *element) chooseNumber(picked string) (any, error) {
	if isNothing(picked) {
		return nil, nil
	}
	value, err := strconv.ParseFloat(picked, 64)
	if err != nil || !e.Decimal && strings.ContainsAny(picked, ".eE") {
		return nil, fmt.Errorf("enter a valid number")
	}
	if least, err := strconv.ParseFloat(e.MinValue, 64); err == nil && value < least {
		return nil, fmt.Errorf("enter a number of at least %s", e.MinValue)
	}
	if most, err := strconv.ParseFloat(e.MaxValue, 64); err == nil && value > most {
		return nil, fmt.Errorf("enter a number of at most %s", e.MaxValue)
	}
	return picked, nil
}

func (e *element) chooseText(picked string) (any, error) {
	if isNothing(picked) {
		return nil, nil
	}
	length := utf8.RuneCountInString(picked)
	if length < e.MinLength {
		return nil, fmt.Errorf("enter at least %d characters", e.MinLength)
	}
	if e.MaxLength > 0 && length > e.MaxLength {
		return nil, fmt.Errorf("enter at most %d characters", e.MaxLength)
	}
	return picked, nil
}
