package slacksim

import (
	"fmt"
	"maps"
	"unicode/utf8"
)

// block is the shape of a block with these fields besides its id.
func block(where surface, fields map[string]field, also func(*checker, object, string)) shape {
	fields["block_id"] = may(within(0, maxID))
	return shape{where: where, fields: fields, also: also}
}

var (
	clickable = elementOf("button", "overflow", "static_select", "users_select", "channels_select",
		"conversations_select", "multi_static_select", "multi_users_select", "multi_channels_select",
		"multi_conversations_select", "datepicker", "timepicker", "datetimepicker", "checkboxes", "radio_buttons")
	fillable = elementOf("plain_text_input", "number_input", "email_text_input", "url_text_input", "rich_text_input",
		"static_select", "users_select", "channels_select", "conversations_select", "multi_static_select",
		"multi_users_select", "multi_channels_select", "multi_conversations_select", "datepicker", "timepicker",
		"datetimepicker", "checkboxes", "radio_buttons", "file_input")
	accessory = elementOf("button", "overflow", "image", "static_select", "users_select", "channels_select",
		"conversations_select", "multi_static_select", "multi_users_select", "multi_channels_select",
		"multi_conversations_select", "datepicker", "timepicker", "checkboxes", "radio_buttons")
	imageElement = elementOf("image")
)

var taskFields = map[string]field{
	"block_id": may(within(0, maxID)), "task_id": must(within(1, maxID)), "title": must(within(1, 256)),
	"status":  may(oneOf("pending", "in_progress", "complete", "error")),
	"details": may(richText), "output": may(richText), "hide_title": may(boolean),
	"sources": may(each(1, 20, part(map[string]field{
		"type": must(oneOf("url")), "url": must(webAddress), "text": must(within(1, 256)),
	}))),
}

var blockShapes = map[string]shape{
	"header":  block(anywhere, map[string]field{"text": must(label(150))}, nil),
	"divider": block(anywhere, map[string]field{}, nil),
	"section": block(anywhere, map[string]field{
		"text": may(prose(3000)), "fields": may(each(1, 10, prose(2000))), "accessory": may(accessory), "expand": may(boolean),
	}, func(k *checker, o object, path string) {
		if o["text"] == nil && o["fields"] == nil {
			k.report(path, "missing required field: text or fields")
		}
	}),
	"context": block(anywhere, map[string]field{"elements": must(each(1, 10, contextPart))}, nil),
	"actions": block(anywhere, map[string]field{"elements": must(each(1, 25, clickable))}, nil),
	"context_actions": block(inMessage, map[string]field{
		"elements": must(each(1, 5, elementOf("feedback_buttons", "icon_button"))),
	}, nil),
	"image": block(anywhere, map[string]field{
		"alt_text": must(within(1, 2000)), "title": may(label(2000)), "image_url": may(webAddress), "slack_file": may(slackFile),
	}, oneImage),
	"input": block(anywhere, map[string]field{
		"label": must(label(2000)), "hint": may(label(2000)), "element": must(fillable),
		"optional": may(boolean), "dispatch_action": may(boolean),
	}, nil),
	"rich_text": block(anywhere, map[string]field{"elements": must(each(1, 100, richTextPart))}, nil),
	"markdown":  block(inMessage, map[string]field{"text": must(within(1, maxMarkdown))}, countMarkdown),
	"table": block(inMessage, map[string]field{
		"rows": must(each(1, 100, each(1, 20, tableCell))), "column_settings": may(each(1, 20, columnSetting)),
	}, oneTable),
	"plan":      block(inMessage, map[string]field{"title": must(within(1, 256)), "tasks": may(each(0, 50, task))}, uniqueTasks),
	"task_card": {where: inMessage, fields: taskFields},
}

// contextPart is a text or a small picture.
func contextPart(k *checker, value any, path string) {
	if o, ok := value.(object); ok && o["type"] == "image" {
		imageElement(k, value, path)
		return
	}
	prose(3000)(k, value, path)
}

// task is a task_card inside a plan.
func task(k *checker, value any, path string) {
	o, ok := value.(object)
	if !ok || o["type"] != "task_card" {
		k.report(path+"/type", "must be task_card")
		return
	}
	k.object(o, path, taskFields)
}

func uniqueTasks(k *checker, o object, path string) {
	seen := map[any]bool{}
	tasks, _ := o["tasks"].([]any)
	for i, one := range tasks {
		t, _ := one.(object)
		id, _ := t["task_id"].(string)
		if seen[id] {
			k.report(fmt.Sprintf("%s/tasks/%d/task_id", path, i), "task_id %q already exists", id)
		}
		seen[id] = true
	}
}

// countMarkdown limits all markdown blocks of a message together.
func countMarkdown(k *checker, o object, path string) {
	text, _ := o["text"].(string)
	before := k.markdown
	k.markdown += utf8.RuneCountInString(text)
	if before <= maxMarkdown && k.markdown > maxMarkdown && before > 0 {
		k.report(path+"/text", "all markdown blocks together must be less than %d characters", maxMarkdown+1)
	}
}

// oneTable allows a single table in a message, with rows of one length.
func oneTable(k *checker, o object, path string) {
	if k.tables++; k.tables > 1 {
		k.report(path, "only one table is allowed")
	}
	rows, _ := o["rows"].([]any)
	width := -1
	for i, row := range rows {
		cells, _ := row.([]any)
		if width >= 0 && len(cells) != width {
			k.report(fmt.Sprintf("%s/rows/%d", path, i), "every row needs %d cells", width)
		}
		width = max(width, len(cells))
	}
}

func tableCell(k *checker, value any, path string) {
	o, _ := value.(object)
	switch o["type"] {
	case "raw_text":
		k.object(o, path, map[string]field{"text": must(within(1, 3000))})
	case "raw_number":
		k.object(o, path, map[string]field{"value": must(anything), "text": may(within(0, 3000))})
	case "rich_text":
		richText(k, value, path)
	default:
		k.report(path+"/type", "must be raw_text, raw_number or rich_text")
	}
}

func columnSetting(k *checker, value any, path string) {
	if value == nil {
		return
	}
	part(map[string]field{"align": may(oneOf("left", "center", "right", "")), "is_wrapped": may(boolean)})(k, value, path)
}

// richText is a rich_text block inside something else.
func richText(k *checker, value any, path string) {
	o, ok := value.(object)
	if !ok || o["type"] != "rich_text" {
		k.report(path+"/type", "must be rich_text")
		return
	}
	k.object(o, path, map[string]field{"block_id": may(within(0, maxID)), "elements": must(each(1, 100, richTextPart))})
}

// richTextPart is a paragraph, list, quote or code of rich text.
func richTextPart(k *checker, value any, path string) {
	o, _ := value.(object)
	fields := map[string]field{"elements": must(each(0, 1000, richTextRun)), "border": may(whole(0, 1))}
	switch o["type"] {
	case "rich_text_section", "rich_text_quote":
	case "rich_text_preformatted":
		fields["language"] = may(within(0, 50))
	case "rich_text_list":
		fields["elements"] = must(each(0, 1000, richTextSection))
		fields["style"], fields["indent"], fields["offset"] = must(oneOf("bullet", "ordered")), may(whole(0, 8)), may(whole(0, 10_000))
	default:
		k.report(path+"/type", "unsupported rich text element: %v", o["type"])
		return
	}
	k.object(o, path, fields)
}

func richTextSection(k *checker, value any, path string) {
	o, _ := value.(object)
	if o["type"] != "rich_text_section" {
		k.report(path+"/type", "must be rich_text_section")
		return
	}
	k.object(o, path, map[string]field{"elements": must(each(0, 1000, richTextRun))})
}

// runFields are the kinds of runs in rich text, with the fields that each needs.
var runFields = map[string]map[string]field{
	"text":      {"text": must(within(1, 12_000))},
	"link":      {"url": must(within(1, 3000)), "text": may(within(0, 3000)), "unsafe": may(boolean)},
	"user":      {"user_id": must(memberID)},
	"usergroup": {"usergroup_id": must(memberID)},
	"channel":   {"channel_id": must(memberID)},
	"emoji":     {"name": must(within(1, 100)), "skin_tone": may(whole(1, 6)), "unicode": may(within(0, 100))},
	"broadcast": {"range": must(oneOf("here", "channel", "everyone"))},
	"color":     {"value": must(within(4, 9))},
	"date": {
		"timestamp": must(anything), "format": must(within(1, 200)), "fallback": may(within(0, 200)),
		"url": may(within(0, 3000)), "timezone": may(within(0, 60)),
	},
}

var runStyle = part(map[string]field{
	"bold": may(boolean), "italic": may(boolean), "strike": may(boolean), "code": may(boolean), "underline": may(boolean),
	"highlight": may(boolean), "client_highlight": may(boolean), "unlink": may(boolean),
})

func richTextRun(k *checker, value any, path string) {
	o, _ := value.(object)
	kind, _ := o["type"].(string)
	own, known := runFields[kind]
	if !known {
		k.report(path+"/type", "unsupported rich text element: %s", kind)
		return
	}
	fields := maps.Clone(own)
	fields["style"] = may(runStyle)
	k.object(o, path, fields)
}

// modalFields and homeFields are those of the two kinds of views.
var (
	modalFields = map[string]field{
		"title": must(label(24)), "blocks": must(anything), "close": may(label(24)), "submit": may(label(24)),
		"private_metadata": may(within(0, 3000)), "callback_id": may(within(0, maxID)), "external_id": may(within(0, maxID)),
		"clear_on_close": may(boolean), "notify_on_close": may(boolean), "submit_disabled": may(boolean),
	}
	homeFields = map[string]field{
		"blocks": must(anything), "private_metadata": may(within(0, 3000)),
		"callback_id": may(within(0, maxID)), "external_id": may(within(0, maxID)),
	}
)
