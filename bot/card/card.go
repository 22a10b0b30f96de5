// Package card is what a message shows, as data in our own words: text, a picture, tasks, buttons.
//
// A card says nothing of Block Kit, limits or message ids; bot/slack draws it. bot/surface and the packages of the conversation make cards.
//
// Formatted parts have the type Text (text.go), in which only our own words can have marks. Strings are shown as they are: nothing in
// them is a mark, a mention or a link. read.go reads a Text as a person sees it, visible.go shows what hides in somebody's words.
// markdown.go makes a Text of what a language model wrote, markdown_write.go the pieces of it.
//
// # Decisions
//
//   - What Slack would read in a text must be what is meant (Text.Mrkdwn): where somebody's words would change it, the same text is sent as
//     rich text, which has no marks, instead of with invisible characters in between.
//   - Whether a language model wrote a text is never guessed from it: the engine says so (history.Output.Model), also of a part of a text
//     (engine/run/scope, Written). What reaches a card in another way, by a variable for example, is somebody's words.
//   - Markdown hides nothing, since people decide on what they see: an address stands behind the words of its link, definitions of links and
//     HTML are text, the language of a block of code is said, and a text of which something would be lost is shown as it is written.
package card

import (
	"sluice/engine/flow/chart"
	"sluice/render"
)

// Card is one message.
type Card struct {
	Title    string    `json:"title,omitempty"`   // plain text, drawn big
	Text     Text      `json:"text,omitzero"`     // the main words
	Picture  *Picture  `json:"picture,omitempty"` // a flowchart
	Sections []Section `json:"sections,omitempty"`
	Tasks    []Task    `json:"tasks,omitempty"` // progress, one per node
	// Questions have to be answered before anybody can decide; each stands with its own buttons and selects.
	Questions []Question `json:"questions,omitempty"`
	Warnings  []Text     `json:"warnings,omitempty"`
	Buttons   []Button   `json:"buttons,omitempty"`
	Context   []Text     `json:"context,omitempty"` // small print
	Shows     string     `json:"shows,omitempty"`   // hash of what somebody can decide on here, where all of it is shown
	File      *File      `json:"file,omitempty"`    // to take away; beside it a card has a text and nothing else
	Message   *Message   `json:"message,omitempty"` // what a step or a tool says; beside it a card has nothing else
	Mark      *Mark      `json:"mark,omitempty"`    // an emoji on somebody's message; beside it a card has nothing else
	Page      []Part     `json:"page,omitempty"`    // of a person's Home; beside it a card has nothing else
}

// Part is a titled part of a person's Home.
type Part struct {
	Title string `json:"title"`
	Items []Item `json:"items"`
}

// Item stands in a part with its own buttons.
type Item struct {
	Text     Text      `json:"text,omitzero"`
	Sections []Section `json:"sections,omitempty"`
	Warnings []Text    `json:"warnings,omitempty"`
	Buttons  []Button  `json:"buttons,omitempty"`
	Context  []Text    `json:"context,omitempty"`
}

// Item is what a card says, without pictures and progress.
func (c Card) Item() Item {
	return Item{Text: c.Text, Sections: c.Sections, Warnings: c.Warnings, Buttons: c.Buttons, Context: c.Context}
}

// Card is the same as a message of its own.
func (i Item) Card() Card {
	return Card{Text: i.Text, Sections: i.Sections, Warnings: i.Warnings, Buttons: i.Buttons, Context: i.Context}
}

// Message is what a step or a tool says: posted once, as plain mrkdwn, and never edited.
type Message struct {
	Text Text `json:"text"`
	// Marks says that a language model wrote some of the text: marks are those of the text, and everything else is shown as it is.
	Marks bool   `json:"marks,omitempty"`
	Key   string `json:"key"`            // by it a message is found that was posted before
	Seek  bool   `json:"seek,omitempty"` // it may have been posted before: look for it first
	Only  bool   `json:"only,omitempty"` // do nothing else: its run does not wait for it any more
	Own   bool   `json:"own,omitempty"`  // it goes to the channel where its run lives
}

// Mark is an emoji of ours on a message of somebody else; the one before it is taken away.
type Mark struct {
	TS     string `json:"ts"` // of the message
	Emoji  string `json:"emoji"`
	Before string `json:"before,omitempty"` // one that was put there at once
}

// File is a text to take away.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Section is a titled part.
type Section struct {
	Title  string  `json:"title,omitempty"`
	Text   Text    `json:"text,omitzero"`
	Fields []Field `json:"fields,omitempty"`
}

// Field is a name and a value.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Question is something to answer by a button or a select.
type Question struct {
	Text    Text     `json:"text"`
	Buttons []Button `json:"buttons,omitempty"`
	Selects []Select `json:"selects,omitempty"`
}

// Select offers choices of which people pick one. Label stands in it until then.
type Select struct {
	Action  string   `json:"action"`
	Label   string   `json:"label"`
	Choices []Choice `json:"choices"`
}

// Choice is one entry of a select.
type Choice struct {
	Value string `json:"value"`
	Label string `json:"label"`
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
	TaskRefused  TaskStatus = "rejected"        // somebody decided against it
	TaskByHand   TaskStatus = "skipped by hand" // a person let the run go on without it
)

// Button is something that can be clicked. Value says what is meant, never a secret and never the decision's content.
type Button struct {
	Action  string   `json:"action"`
	Label   string   `json:"label"`
	Value   string   `json:"value"`
	Style   Style    `json:"style,omitempty"`
	Confirm *Confirm `json:"confirm,omitempty"`
	Decides bool     `json:"decides,omitempty"` // on what the card shows: it is there only where all of that is
}

// Style is how a button looks.
type Style string

// How a button looks.
const (
	Default Style = ""
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
	Chart   chart.Chart     `json:"plan"`
	Overlay *render.Overlay `json:"overlay,omitempty"`
	Version int             `json:"version,omitempty"` // that was approved; 0 = it is a draft
	Diff    *render.Diff    `json:"diff,omitempty"`
	Title   string          `json:"title,omitempty"`
	// Subtitle stands under the title; without one the picture counts its steps.
	Subtitle string `json:"subtitle,omitempty"`
	Key      string `json:"key"`
	// File is the picture as it was drawn; "" = it is not there yet.
	File string `json:"-"`
}
