package slack

import (
	"fmt"
	"slices"
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
	maxConfirm  = 300

	maxConfirmTitle = 100
	maxChoice       = 75  // text of an option
	maxChoiceValue  = 150 // value of an option
	maxChoices      = 100
	maxTask         = 200
	maxTotal        = 11_000 // of all blocks of a message, below Slack's about 13,200
)

// picture is a file that is ready to be shown.
type picture struct {
	file, alt string // the file is part of the block id: Slack shows a new picture only in a block with a new id
}

// drawing is a message being drawn: room is how many characters its blocks may still take, short says that something had no room.
type drawing struct {
	room   int
	keep   int // the characters that buttons leave for the text
	short  bool
	blocks []slackgo.Block
}

// draw makes a card's blocks and the text that stands for them in notifications. plainTasks draws tasks as text, for
// workspaces that refuse plan blocks. Buttons are given room first: they matter more than text. Where not all is
// said there is no button that decides on it.
func draw(c card.Card, pic *picture, plainTasks bool) ([]slackgo.Block, string) {
	d := drawAll(c, pic, plainTasks, maxTotal)
	if d.short && slices.ContainsFunc(c.Buttons, decides) {
		c.Buttons = slices.DeleteFunc(slices.Clone(c.Buttons), decides)
		c.Text = c.Text.Add(card.Textf("\n:warning: This is more than a message holds, and nobody can decide on what they do not see: there is no button for it."))
		d = drawAll(c, pic, plainTasks, maxTotal)
	}
	return d.blocks, fallback(c)
}

func decides(b card.Button) bool { return b.Decides }

// Fits says whether a message shows all that a card says; see project.Sender.
func (a *App) Fits(c card.Card) bool {
	if c.Page != nil {
		_, short := drawPage(c.Page)
		return !short
	}
	c.Tasks = nil // progress, on which no decision rests
	return !drawAll(c, &picture{file: "F0", alt: strings.Repeat("x", maxAlt)}, true, maxTotal).short
}

// drawAll draws a card within so many characters.
func drawAll(c card.Card, pic *picture, plainTasks bool, most int) *drawing {
	d := &drawing{room: most, keep: most / 2}
	rows := d.buttons(c.Buttons)
	if c.Title != "" {
		d.add(slackgo.NewHeaderBlock(plain(d.take(card.OneLine(c.Title), maxHeader))))
	}
	d.section(c.Text)
	for _, q := range c.Questions {
		d.question(q)
	}
	d.blocks = append(d.blocks, d.picture(pic)...)
	if plainTasks {
		d.section(taskLines(c.Tasks))
	} else if len(c.Tasks) > 0 {
		d.add(d.plan(c.Tasks))
	}
	for _, s := range c.Sections {
		d.section(sectionText(s))
	}
	if len(c.Warnings) > 0 {
		d.section(card.Textf(":warning: %s", card.Join("\n:warning: ", c.Warnings...)))
	}
	if most := maxBlocks - len(rows) - 2; len(d.blocks) > most {
		d.blocks, d.short = d.blocks[:most], true
	}
	d.blocks = append(d.blocks, rows...)
	d.context(c.Context)
	return d
}

func sectionText(s card.Section) card.Text {
	var lines []card.Text
	if s.Title != "" {
		lines = append(lines, card.Textf("*%s*", card.OneLine(s.Title)))
	}
	if !s.Text.Empty() {
		lines = append(lines, s.Text)
	}
	for _, f := range s.Fields {
		lines = append(lines, card.Textf("%s: *%s*", card.OneLine(f.Name), card.OneLine(f.Value)))
	}
	return card.Join("\n", lines...)
}

func (d *drawing) add(b slackgo.Block) { d.blocks = append(d.blocks, b) }

// take shortens a text to its limit and to the room that is left.
func (d *drawing) take(text string, most int) string {
	got := cut(text, min(most, d.room))
	d.short = d.short || got != text
	d.room -= len([]rune(got))
	return got
}

// section draws a text whole, in as many blocks as it takes, while there is room.
func (d *drawing) section(text card.Text) {
	if text.Empty() {
		return
	}
	for _, page := range d.pages(text, maxText) {
		words, ok := page.Mrkdwn()
		runs := page.Runs()
		switch lines := linesOf(runs); {
		case nests(lines):
			d.add(nestedList(lines))
		case ok:
			d.add(slackgo.NewSectionBlock(mrkdwn(words), nil, nil))
		case slices.ContainsFunc(runs, needsRich):
			d.add(rich(page))
		default:
			d.add(slackgo.NewSectionBlock(plain(page.Words()), nil, nil))
		}
	}
}

// pages takes the parts of a text for which there is room.
func (d *drawing) pages(text card.Text, most int) []card.Text {
	var out []card.Text
	for _, page := range text.Pages(most) {
		if page.Length() > d.room {
			d.short = true
			if d.room > cutWords+200 {
				out = append(out, page.Pages(d.room - cutWords)[0].Add(card.Textf("… (this is not all)")))
			}
			d.room = 0
			break
		}
		d.room -= page.Length()
		if !page.Empty() {
			out = append(out, page)
		}
	}
	return out
}

// cutWords is the room for the words that say that a text goes on.
const cutWords = 40

// picture makes the block of a picture, if there is one.
func (d *drawing) picture(pic *picture) []slackgo.Block {
	if pic == nil {
		return nil
	}
	file := &slackgo.SlackFileObject{ID: pic.file}
	return []slackgo.Block{slackgo.NewImageBlockSlackFile(file, d.alt(pic.alt), "picture-"+pic.file, nil)}
}

// alt is what a picture shows, for those who do not see it: the text beside it says the same, so that nothing hangs on its end.
func (d *drawing) alt(text string) string {
	text = cut(card.Visible(text), min(maxAlt, d.room))
	d.room -= len([]rune(text))
	return text
}

// context draws the small print as one element: Slack puts elements beside each other, wherever there is room.
func (d *drawing) context(lines []card.Text) {
	for i, page := range d.pages(card.Join("\n", lines...), maxText) {
		words, ok := page.Mrkdwn()
		switch {
		case i > 0:
			d.short = true
			return
		case ok:
			d.add(slackgo.NewContextBlock("", mrkdwn(words)))
		default:
			d.add(rich(page))
		}
	}
}

// fallback is what a notification shows.
func fallback(c card.Card) string {
	text := card.Join("\n", card.Plain(card.OneLine(c.Title)), c.Text)
	if text.Empty() && len(c.Sections) > 0 {
		text = card.Textf("%s %s", c.Sections[0].Title, c.Sections[0].Text)
	}
	if text.Empty() {
		return "…"
	}
	words, _ := text.Pages(maxText / 2)[0].Mrkdwn()
	return strings.TrimSpace(words)
}

// mrkdwn is a text with marks in which Slack looks for nothing else: no names of channels, no addresses.
func mrkdwn(text string) *slackgo.TextBlockObject {
	return slackgo.NewTextBlockObject(slackgo.MarkdownType, text, false, true)
}

func plain(text string) *slackgo.TextBlockObject {
	return slackgo.NewTextBlockObject(slackgo.PlainTextType, text, false, false)
}

// buttons makes rows of buttons, as many as have room in half of the message.
func (d *drawing) buttons(all []card.Button) []slackgo.Block {
	var out []slackgo.Block
	var row []slackgo.BlockElement
	for _, b := range all {
		if d.room < d.keep || !whole(b) {
			d.short = true
			continue
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

// whole says whether a button's question can be shown in full: a person cannot confirm a question that is cut.
func whole(b card.Button) bool {
	return b.Confirm == nil || len([]rune(card.Visible(b.Confirm.Text))) <= maxConfirm && len([]rune(card.OneLine(b.Confirm.Title))) <= maxConfirmTitle
}

func (d *drawing) button(b card.Button) slackgo.BlockElement {
	say := func(s string, most int) *slackgo.TextBlockObject { return plain(d.take(card.OneLine(s), most)) }
	el := slackgo.NewButtonBlockElement(d.take(b.Action, maxActionID), d.take(b.Value, maxValue), say(b.Label, maxButton))
	el.Style = slackgo.Style(b.Style)
	if q := b.Confirm; q != nil {
		el.Confirm = slackgo.NewConfirmationBlockObject(say(q.Title, maxConfirmTitle), plain(d.take(card.Visible(q.Text), maxConfirm)), say(q.Yes, 30), say(q.No, 30))
		el.Confirm.Style = slackgo.StyleDanger // the confirmed action cannot be undone
	}
	return el
}

var taskStatus = map[card.TaskStatus]slackgo.TaskCardStatus{
	card.TaskPending: slackgo.TaskCardStatusPending, card.TaskRunning: slackgo.TaskCardStatusInProgress,
	card.TaskWaiting: slackgo.TaskCardStatusInProgress, card.TaskComplete: slackgo.TaskCardStatusComplete,
	card.TaskError: slackgo.TaskCardStatusError, card.TaskSkipped: slackgo.TaskCardStatusPending,
	card.TaskRefused: slackgo.TaskCardStatusError, card.TaskByHand: slackgo.TaskCardStatusPending,
}

// plan shows a run's nodes as tasks. Slack knows no waiting and no skipped task: the title says so.
func (d *drawing) plan(all []card.Task) slackgo.Block {
	var tasks []*slackgo.TaskCardBlock
	for _, t := range all[:min(len(all), maxTasks)] {
		title := card.OneLine(t.Title)
		if t.Note != "" {
			title += " (" + card.OneLine(t.Note) + ")"
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

var taskMark = map[card.TaskStatus]card.Text{
	card.TaskPending: card.Textf(":white_circle:"), card.TaskRunning: card.Textf(":hourglass_flowing_sand:"), card.TaskWaiting: card.Textf(":raised_hand:"),
	card.TaskComplete: card.Textf(":white_check_mark:"), card.TaskError: card.Textf(":x:"), card.TaskSkipped: card.Textf(":heavy_minus_sign:"),
	card.TaskRefused: card.Textf(":no_entry:"), card.TaskByHand: card.Textf(":fast_forward:"),
}

func taskLines(tasks []card.Task) card.Text {
	var lines []card.Text
	for _, t := range tasks {
		line := taskMark[t.Status].Add(card.Textf(" %s", card.OneLine(t.Title)))
		if t.Note != "" {
			line = line.Add(card.Textf("  _%s_", card.OneLine(t.Note)))
		}
		lines = append(lines, line)
	}
	return card.Join("\n", lines...)
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
