package slacksim

import (
	"encoding/json"
	"maps"
	"strconv"
)

// commonFields are those that many elements share.
var commonFields = map[string]field{
	"action_id": may(actionID), "confirm": may(confirm), "placeholder": may(label(150)), "focus_on_load": may(focus),
	"dispatch_action_config": may(dispatch), "accessibility_label": may(within(0, 75)),
	"visible_to_user_ids": may(each(1, 100, memberID)), "style": may(oneOf("primary", "danger")),
}

// with is an element's own fields and some of the common ones.
func with(own map[string]field, shared ...string) map[string]field {
	out := maps.Clone(own)
	for _, name := range shared {
		out[name] = commonFields[name]
	}
	return out
}

// pressed is an element to click.
func pressed(own map[string]field) shape {
	return shape{
		where:  anywhere,
		fields: with(own, "action_id", "confirm", "style", "accessibility_label", "visible_to_user_ids"),
	}
}

// menu is an element to pick from.
func menu(own map[string]field) shape {
	return shape{where: anywhere, fields: with(own, "action_id", "confirm", "placeholder", "focus_on_load")}
}

// staticMenu is a menu whose options the app lists.
func staticMenu(own map[string]field) shape {
	s := menu(own)
	s.fields["options"], s.fields["option_groups"] = may(each(1, 100, optionOf)), may(each(1, 100, optionGroup))
	s.also = func(k *checker, o object, path string) {
		if (o["options"] == nil) == (o["option_groups"] == nil) {
			k.report(path, "exactly one of options and option_groups is required")
			return
		}
		initialIsOffered(k, o, path)
	}
	return s
}

// typed is an element to type into.
func typed(own map[string]field) shape {
	fields := with(own, "action_id", "placeholder", "focus_on_load", "dispatch_action_config")
	return shape{where: anywhere, fields: fields, also: orderedRange}
}

// checked is a list of up to ten options that is always open.
func checked(own map[string]field) shape {
	s := shape{where: anywhere, fields: with(own, "action_id", "confirm", "focus_on_load"), also: initialIsOffered}
	s.fields["options"] = must(each(1, 10, optionOf))
	return s
}

// initialIsOffered wants initial options to be among the options, word for word.
func initialIsOffered(k *checker, o object, path string) {
	offered := map[string]bool{}
	remember := func(list any) {
		options, _ := list.([]any)
		for _, one := range options {
			offered[asJSON(one)] = true
		}
	}
	remember(o["options"])
	groups, _ := o["option_groups"].([]any)
	for _, g := range groups {
		group, _ := g.(object)
		remember(group["options"])
	}
	if one := o["initial_option"]; one != nil && !offered[asJSON(one)] {
		k.report(path+"/initial_option", "must be one of the options")
	}
	several, _ := o["initial_options"].([]any)
	for _, one := range several {
		if !offered[asJSON(one)] {
			k.report(path+"/initial_options", "must be among the options")
		}
	}
}

func asJSON(value any) string {
	body, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(body)
}

// orderedRange wants minima below maxima.
func orderedRange(k *checker, o object, path string) {
	for low, high := range map[string]string{"min_length": "max_length", "min_value": "max_value"} {
		least, bad := asNumber(o[low])
		most, worse := asNumber(o[high])
		if bad == nil && worse == nil && least > most {
			k.report(path+"/"+low, "must not be more than %s", high)
		}
	}
}

func asNumber(value any) (float64, error) {
	if n, ok := value.(json.Number); ok {
		return n.Float64()
	}
	s, _ := value.(string)
	return strconv.ParseFloat(s, 64)
}

func numeral(k *checker, value any, path string) {
	s, ok := value.(string)
	if _, err := strconv.ParseFloat(s, 64); !ok || err != nil {
		k.report(path, "must be a number in a string")
	}
}

var elementShapes = map[string]shape{
	"button": pressed(map[string]field{
		"text": must(label(75)), "value": may(within(0, 2000)), "url": may(webAddress),
		"agent_prompt": may(within(0, 3000)), "agent_prompt_display": may(within(0, 3000)),
	}),
	"icon_button": {where: inMessage, fields: with(map[string]field{
		"icon": must(oneOf("trash")), "text": must(label(75)), "value": may(within(0, 2000)),
	}, "action_id", "confirm", "accessibility_label", "visible_to_user_ids")},
	"feedback_buttons": {where: inMessage, fields: with(map[string]field{
		"positive_button": must(feedback), "negative_button": must(feedback),
	}, "action_id")},
	"overflow": {where: anywhere, fields: with(map[string]field{
		"options": must(each(1, 5, optionOf)),
	}, "action_id", "confirm")},
	"image": {where: anywhere, also: oneImage, fields: map[string]field{
		"alt_text": must(within(1, 2000)), "image_url": may(webAddress), "slack_file": may(slackFile),
	}},

	"static_select":       staticMenu(map[string]field{"initial_option": may(optionOf)}),
	"multi_static_select": staticMenu(map[string]field{"initial_options": may(each(1, 100, optionOf)), "max_selected_items": may(whole(1, 100))}),
	"users_select":        menu(map[string]field{"initial_user": may(memberID)}),
	"multi_users_select":  menu(map[string]field{"initial_users": may(each(1, 100, memberID)), "max_selected_items": may(whole(1, 100))}),
	"channels_select":     menu(map[string]field{"initial_channel": may(memberID), "response_url_enabled": may(boolean)}),
	"conversations_select": menu(map[string]field{
		"initial_conversation": may(memberID), "default_to_current_conversation": may(boolean),
		"response_url_enabled": may(boolean), "filter": may(conversationFilter),
	}),
	"multi_channels_select": menu(map[string]field{
		"initial_channels": may(each(1, 100, memberID)), "max_selected_items": may(whole(1, 100)),
	}),
	"multi_conversations_select": menu(map[string]field{
		"initial_conversations": may(each(1, 100, memberID)), "max_selected_items": may(whole(1, 100)),
		"default_to_current_conversation": may(boolean), "filter": may(conversationFilter),
	}),

	"plain_text_input": typed(map[string]field{
		"initial_value": may(within(0, 3000)), "multiline": may(boolean),
		"min_length": may(whole(0, 3000)), "max_length": may(whole(1, 3000)),
	}),
	"number_input": typed(map[string]field{
		"is_decimal_allowed": must(boolean), "initial_value": may(numeral), "min_value": may(numeral), "max_value": may(numeral),
	}),
	"email_text_input": typed(map[string]field{"initial_value": may(within(0, 3000))}),
	"url_text_input":   typed(map[string]field{"initial_value": may(within(0, 3000))}),
	"rich_text_input": typed(map[string]field{
		"initial_value": may(richText), "min_lines": may(whole(1, 100)), "max_lines": may(whole(1, 100)),
	}),

	"datepicker": menu(map[string]field{"initial_date": may(pattern("2006-01-02", "a date as YYYY-MM-DD"))}),
	"timepicker": menu(map[string]field{
		"initial_time": may(pattern("15:04", "a time as HH:mm")), "timezone": may(within(1, 60)),
	}),
	"datetimepicker": {where: anywhere, fields: with(map[string]field{
		"initial_date_time": may(whole(0, 9_999_999_999)),
	}, "action_id", "confirm", "focus_on_load")},

	"file_input": {where: inModal, fields: with(map[string]field{
		"filetypes": may(each(1, 50, within(1, 20))), "max_files": may(whole(1, 10)),
	}, "action_id")},

	"checkboxes":    checked(map[string]field{"initial_options": may(each(1, 10, optionOf))}),
	"radio_buttons": checked(map[string]field{"initial_option": may(optionOf)}),
}

var (
	feedback = part(map[string]field{
		"text": must(label(75)), "value": must(within(1, 2000)), "accessibility_label": may(within(0, 75)),
	})
	conversationFilter = part(map[string]field{
		"include":                          may(each(1, 4, oneOf("im", "mpim", "private", "public"))),
		"exclude_external_shared_channels": may(boolean), "exclude_bot_users": may(boolean),
	})
)
