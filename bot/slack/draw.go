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
	maxTotal    = 11_000 // of all blocks of a message, below Slack's about 13,200
)

// picture is a file that is ready to be shown.
type picture struct {
	file, alt string // the file is part of the block id: Slack shows a new picture only in a block with a new id
}

// drawing is a message being drawn: room is how many characters its blocks may still take.
type drawing struct {
	room   int
	blocks []slackgo.Block
}

// draw makes a card's blocks and the text that stands for them in notifications. plainTasks draws tasks as text, for
// workspaces that refuse plan blocks. Buttons are given room first: what can be done matters more than what is said.
func draw(c card.Card, pic *picture, plainTasks bool) ([]slackgo.Block, string) {
	d := &drawing{room: maxTotal}
	rows := d.buttons(c.Buttons)
	if c.Title != "" {
		d.add(slackgo.NewHeaderBlock(slackgo.NewTextBlockObject(slackgo.PlainTextType, d.take(c.Title, maxHeader), false, false)))
	}
	d.section(c.Text)
	image := d.picture(pic)
	below := c.Picture != nil && c.Picture.Below
	if !below {
		d.blocks = append(d.blocks, image...)
	}
	if plainTasks {
		d.section(taskLines(c.Tasks))
	} else if len(c.Tasks) > 0 {
		d.add(d.plan(c.Tasks))
	}
	for _, s := range c.Sections {
		d.section(sectionText(s))
	}
	if len(c.Warnings) > 0 {
		d.section(":warning: " + strings.Join(c.Warnings, "\n:warning: "))
	}
	d.blocks = append(d.blocks[:min(len(d.blocks), maxBlocks-len(rows)-2)], rows...)
	d.context(c.Context)
	if below {
		d.blocks = append(d.blocks, image...)
	}
	return d.blocks, fallback(c)
}

func sectionText(s card.Section) string {
	var lines []string
	if s.Title != "" {
		lines = append(lines, "*"+card.Escape(s.Title)+"*")
	}
	if s.Text != "" {
		lines = append(lines, s.Text)
	}
	for _, f := range s.Fields {
		lines = append(lines, fmt.Sprintf("%s: *%s*", card.Escape(f.Name), f.Value))
	}
	return strings.Join(lines, "\n")
}

func (d *drawing) add(b slackgo.Block) { d.blocks = append(d.blocks, b) }

// take shortens a text to its limit and to the room that is left.
func (d *drawing) take(text string, most int) string {
	text = cut(text, min(most, d.room))
	d.room -= len([]rune(text))
	return text
}

func (d *drawing) section(text string) {
	if text = d.take(strings.TrimSpace(text), maxText); text != "" {
		d.add(slackgo.NewSectionBlock(mrkdwn(text), nil, nil))
	}
}

// picture makes the block of a picture, if there is one.
func (d *drawing) picture(pic *picture) []slackgo.Block {
	if pic == nil {
		return nil
	}
	file := &slackgo.SlackFileObject{ID: pic.file}
	return []slackgo.Block{slackgo.NewImageBlockSlackFile(file, d.take(pic.alt, maxAlt), "picture-"+pic.file, nil)}
}

// context draws the small print as one element: Slack puts elements beside each other, wherever there is room.
func (d *drawing) context(lines []string) {
	if text := d.take(strings.Join(lines, "\n"), maxText); text != "" {
		d.add(slackgo.NewContextBlock("", mrkdwn(text)))
	}
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

// buttons makes rows of buttons, as many as have room in half of the message.
func (d *drawing) buttons(all []card.Button) []slackgo.Block {
	var out []slackgo.Block
	var row []slackgo.BlockElement
	for _, b := range all {
		if d.room < maxTotal/2 {
			break
		}
		row = append(row, d.button(b))
		if len(row) == maxActions {
			out, row = append(out, slackgo.NewActionBlock("", row...)), nil
		}
	}
	if len(row) > 0 {
		out = append(out, slackgo.NewActionBlock("", row...))
	}
	return out
}

func (d *drawing) button(b card.Button) slackgo.BlockElement {
	plain := func(s string, most int) *slackgo.TextBlockObject {
		return slackgo.NewTextBlockObject(slackgo.PlainTextType, d.take(s, most), false, false)
	}
	el := slackgo.NewButtonBlockElement(d.take(b.Action, maxActionID), d.take(b.Value, maxValue), plain(b.Label, maxButton))
	el.Style = slackgo.Style(b.Style)
	if q := b.Confirm; q != nil {
		el.Confirm = slackgo.NewConfirmationBlockObject(plain(q.Title, 100), plain(q.Text, 300), plain(q.Yes, 30), plain(q.No, 30))
		el.Confirm.Style = slackgo.StyleDanger // what is asked about cannot be undone
	}
	return el
}

var taskStatus = map[card.TaskStatus]slackgo.TaskCardStatus{
	card.TaskPending: slackgo.TaskCardStatusPending, card.TaskRunning: slackgo.TaskCardStatusInProgress,
	card.TaskWaiting: slackgo.TaskCardStatusInProgress, card.TaskComplete: slackgo.TaskCardStatusComplete,
	card.TaskError: slackgo.TaskCardStatusError, card.TaskSkipped: slackgo.TaskCardStatusPending,
}

// plan shows a run's nodes as tasks. Slack knows no waiting and no skipped task: the title says so.
func (d *drawing) plan(all []card.Task) slackgo.Block {
	var tasks []*slackgo.TaskCardBlock
	for _, t := range all[:min(len(all), maxTasks)] {
		title := t.Title
		if t.Note != "" {
			title += " (" + t.Note + ")"
		}
		if title = d.take(title, maxTask); title == "" {
			break
		}
		tasks = append(tasks, slackgo.NewTaskCardBlock(t.ID, title).WithStatus(taskStatus[t.Status]))
	}
	title := "Steps"
	if len(tasks) < len(all) {
		title = fmt.Sprintf("Steps (the first %d of %d)", len(tasks), len(all))
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
