package slack

import (
	"fmt"
	"strings"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
)

// Slack's limits, in characters unless named otherwise.
const (
	maxBlocks   = 50
	maxText     = 3000
	maxHeader   = 150
	maxButton   = 75
	maxValue    = 2000
	maxActionID = 255
	maxAlt      = 2000
	maxActions  = 25
	maxTasks    = 40
	maxTask     = 200
	maxTotal    = 12_000 // of all blocks of a message, below Slack's about 13,200
)

// picture is a file that is ready to be shown.
type picture struct {
	file, alt, title string
	edition          int // part of the block id: Slack shows a new picture only in a block with a new id
}

// draw makes a card's blocks and the text that stands for them in notifications. plainTasks draws tasks as text, for
// workspaces that refuse plan blocks.
func draw(c card.Card, pic *picture, plainTasks bool) ([]slackgo.Block, string) {
	var out []slackgo.Block
	room := maxTotal
	section := func(text string) {
		text = cut(strings.TrimSpace(text), min(maxText, room))
		if text != "" {
			room -= len([]rune(text))
			out = append(out, slackgo.NewSectionBlock(mrkdwn(text), nil, nil))
		}
	}
	if c.Title != "" {
		out = append(out, slackgo.NewHeaderBlock(slackgo.NewTextBlockObject(slackgo.PlainTextType, cut(c.Title, maxHeader), false, false)))
	}
	section(c.Text)
	if pic != nil {
		id := fmt.Sprintf("picture-%d-%s", pic.edition, pic.file)
		out = append(out, slackgo.NewImageBlockSlackFile(&slackgo.SlackFileObject{ID: pic.file}, cut(pic.alt, maxAlt), id, nil))
	}
	if len(c.Tasks) > 0 {
		if plainTasks {
			section(taskLines(c.Tasks))
		} else {
			out = append(out, planBlock(c))
		}
	}
	for _, s := range c.Sections {
		text := s.Text
		if s.Title != "" {
			text = "*" + card.Escape(s.Title) + "*\n" + text
		}
		for _, f := range s.Fields {
			text += fmt.Sprintf("\n*%s:* %s", card.Escape(f.Name), f.Value)
		}
		section(text)
	}
	if len(c.Warnings) > 0 {
		section(":warning: " + strings.Join(c.Warnings, "\n:warning: "))
	}
	out = append(out, buttons(c.Buttons)...)
	if len(c.Context) > 0 {
		var els []slackgo.MixedElement
		for _, line := range c.Context[:min(len(c.Context), 10)] {
			els = append(els, mrkdwn(cut(line, maxText)))
		}
		out = append(out, slackgo.NewContextBlock("", els...))
	}
	if len(out) > maxBlocks {
		out = append(out[:maxBlocks-1], slackgo.NewContextBlock("", mrkdwn("… there is more than fits a message")))
	}
	return out, fallback(c)
}

// fallback is what a notification shows.
func fallback(c card.Card) string {
	text := strings.TrimSpace(c.Title + "\n" + c.Text)
	if text == "" && len(c.Sections) > 0 {
		text = c.Sections[0].Title + " " + c.Sections[0].Text
	}
	if text = strings.TrimSpace(text); text == "" {
		text = "…"
	}
	return cut(text, maxText)
}

func mrkdwn(text string) *slackgo.TextBlockObject {
	return slackgo.NewTextBlockObject(slackgo.MarkdownType, text, false, false)
}

// buttons makes rows of buttons.
func buttons(all []card.Button) []slackgo.Block {
	var out []slackgo.Block
	for len(all) > 0 {
		n := min(len(all), maxActions)
		var els []slackgo.BlockElement
		for _, b := range all[:n] {
			el := slackgo.NewButtonBlockElement(cut(b.Action, maxActionID), cut(b.Value, maxValue), slackgo.NewTextBlockObject(slackgo.PlainTextType, cut(b.Label, maxButton), true, false))
			el.Style = slackgo.Style(b.Style)
			if q := b.Confirm; q != nil {
				plain := func(s string, most int) *slackgo.TextBlockObject {
					return slackgo.NewTextBlockObject(slackgo.PlainTextType, cut(s, most), false, false)
				}
				el.Confirm = slackgo.NewConfirmationBlockObject(plain(q.Title, 100), plain(q.Text, 300), plain(q.Yes, 30), plain(q.No, 30))
			}
			els = append(els, el)
		}
		out = append(out, slackgo.NewActionBlock("", els...))
		all = all[n:]
	}
	return out
}

var taskStatus = map[card.TaskStatus]slackgo.TaskCardStatus{
	card.TaskPending: slackgo.TaskCardStatusPending, card.TaskRunning: slackgo.TaskCardStatusInProgress,
	card.TaskWaiting: slackgo.TaskCardStatusInProgress, card.TaskComplete: slackgo.TaskCardStatusComplete,
	card.TaskError: slackgo.TaskCardStatusError, card.TaskSkipped: slackgo.TaskCardStatusPending,
}

// planBlock shows a run's nodes as tasks. Slack knows no waiting and no skipped task: the title says so.
func planBlock(c card.Card) slackgo.Block {
	var tasks []*slackgo.TaskCardBlock
	for _, t := range c.Tasks[:min(len(c.Tasks), maxTasks)] {
		title := t.Title
		if t.Note != "" {
			title += " (" + t.Note + ")"
		}
		tasks = append(tasks, slackgo.NewTaskCardBlock(t.ID, cut(title, maxTask)).WithStatus(taskStatus[t.Status]))
	}
	title := "Steps"
	if more := len(c.Tasks) - len(tasks); more > 0 {
		title = fmt.Sprintf("Steps (the first %d of %d)", len(tasks), len(c.Tasks))
	}
	return slackgo.NewPlanBlock(title).WithTasks(tasks...)
}

var taskMark = map[card.TaskStatus]string{
	card.TaskPending: ":white_circle:", card.TaskRunning: ":hourglass_flowing_sand:", card.TaskWaiting: ":raised_hand:",
	card.TaskComplete: ":white_check_mark:", card.TaskError: ":x:", card.TaskSkipped: ":heavy_minus_sign:",
}

func taskLines(tasks []card.Task) string {
	var b strings.Builder
	for _, t := range tasks {
		fmt.Fprintf(&b, "%s %s", taskMark[t.Status], card.Escape(t.Title))
		if t.Note != "" {
			fmt.Fprintf(&b, "  _%s_", card.Escape(t.Note))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// cut shortens a text to so many characters.
func cut(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	if most < 1 {
		return ""
	}
	return string(r[:most-1]) + "…"
}
