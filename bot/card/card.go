// Package card is what a message shows, as data in our own words: text, a picture, tasks, buttons.
//
// A card says nothing of Block Kit, limits or message ids; bot/slack draws it. Rooms bot and bot/project make cards.
package card

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/render"
)

// Card is one message. Text is mrkdwn as Slack reads it: <@U1> for people, <#C1> for channels, everything else escaped by Escape.
type Card struct {
	Title    string    `json:"title,omitempty"`   // plain text, drawn big
	Text     string    `json:"text,omitempty"`    // the main words
	Picture  *Picture  `json:"picture,omitempty"` // a flowchart
	Sections []Section `json:"sections,omitempty"`
	Tasks    []Task    `json:"tasks,omitempty"` // progress, one per node
	Warnings []string  `json:"warnings,omitempty"`
	Buttons  []Button  `json:"buttons,omitempty"`
	Context  []string  `json:"context,omitempty"` // small print
	File     *File     `json:"file,omitempty"`    // to take away; beside it a card has a text and nothing else
}

// File is a text to take away.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Section is a titled part.
type Section struct {
	Title  string  `json:"title,omitempty"`
	Text   string  `json:"text,omitempty"`
	Fields []Field `json:"fields,omitempty"`
}

// Field is a name and a value.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Task is a node's progress.
type Task struct {
	ID     string     `json:"id"`
	Title  string     `json:"title"`
	Status TaskStatus `json:"status"`
	Note   string     `json:"note,omitempty"`
}

// TaskStatus is where a node stands.
type TaskStatus string

// Where a node stands.
const (
	TaskPending  TaskStatus = "pending"
	TaskRunning  TaskStatus = "running"
	TaskWaiting  TaskStatus = "waiting"
	TaskComplete TaskStatus = "complete"
	TaskError    TaskStatus = "error"
	TaskSkipped  TaskStatus = "skipped"
)

// Button is something that can be clicked. Value says what is meant, never a secret and never the decision's content.
type Button struct {
	Action  string   `json:"action"`
	Label   string   `json:"label"`
	Value   string   `json:"value"`
	Style   Style    `json:"style,omitempty"`
	Confirm *Confirm `json:"confirm,omitempty"`
}

// Style is how a button looks.
type Style string

// How a button looks.
const (
	Plain   Style = ""
	Primary Style = "primary"
	Danger  Style = "danger"
)

// Confirm asks before a click counts.
type Confirm struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Yes   string `json:"yes"`
	No    string `json:"no"`
}

// Picture is a flowchart to draw. Key names its content: the same key is the same picture, so it is not sent again.
type Picture struct {
	Plan    flow.Plan       `json:"plan"`
	Overlay *render.Overlay `json:"overlay,omitempty"`
	Diff    *render.Diff    `json:"diff,omitempty"`
	Title   string          `json:"title,omitempty"`
	// Subtitle stands under the title; without one the picture counts its steps.
	Subtitle string `json:"subtitle,omitempty"`
	Key      string `json:"key"`
	Below    bool   `json:"below,omitempty"` // under the buttons: what is asked and how to answer stand together
}

// Escape makes a text safe inside mrkdwn: what people, models and services wrote can then not become a mention or a link.
func Escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// shownRef is a name or a time in Slack's form, which notifies nobody in a private line.
var shownRef = regexp.MustCompile(`<[@#][A-Z0-9]+>|<!date\^[^<>]*>`)

// Guard makes a text safe in which some parts are escaped already and some are not, such as a refusal with what somebody typed:
// names and times stay, everything else in angle brackets becomes text.
func Guard(s string) string {
	angles := strings.NewReplacer("<", "&lt;", ">", "&gt;")
	var out strings.Builder
	last := 0
	for _, at := range shownRef.FindAllStringIndex(s, -1) {
		out.WriteString(angles.Replace(s[last:at[0]]) + s[at[0]:at[1]])
		last = at[1]
	}
	out.WriteString(angles.Replace(s[last:]))
	return out.String()
}

// Date shows a time in the reader's own zone.
func Date(t time.Time) string {
	return fmt.Sprintf("<!date^%d^{date_short_pretty} at {time}|%s>", t.Unix(), t.UTC().Format("2006-01-02 15:04 UTC"))
}
