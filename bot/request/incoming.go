package request

import (
	"cmp"
	"encoding/json"

	"sluice/bot/card"
	"sluice/engine/history"
	"sluice/engine/trigger"
	"sluice/storage"
)

// Kind says what was delivered.
type Kind string

// Kinds of deliveries.
const (
	KindMention  Kind = "mention"  // a message that names the bot, or any message in a DM with it
	KindMessage  Kind = "message"  // another message in a channel the bot is in
	KindCommand  Kind = "command"  // a slash command
	KindTerminal Kind = "terminal" // a command that is given at a terminal
	KindClick    Kind = "click"    // a button
	KindReaction Kind = "reaction" // an emoji that was put on a message
	KindSubmit   Kind = "submit"   // a form that somebody filled in: Value is its reference, Form what was entered
	KindShortcut Kind = "shortcut" // a message from which somebody makes a flow: Channel, TS, Thread and Text are the message's, User is not its writer
	KindProgram  Kind = "program"  // a program asks in the place of a person
	KindHook     Kind = "hook"     // a webhook's delivery; it has a Payload and no User
)

// Incoming is one delivery. Text has Slack's encoded names turned into @name and #channel, and the bot's own name removed.
type Incoming struct {
	Kind    Kind   `json:"kind"`
	User    string `json:"user"`
	Team    string `json:"team,omitempty"`
	Name    string `json:"name,omitempty"`
	Channel string `json:"channel"`
	Direct  bool   `json:"direct,omitempty"` // a DM with the bot
	Thread  string `json:"thread,omitempty"` // "" = not in a thread
	TS      string `json:"ts,omitempty"`     // of the message, or of the message that holds the button or the emoji
	Text    string `json:"text,omitempty"`
	Action  string `json:"action,omitempty"` // of the button or select
	Chosen  string `json:"chosen,omitempty"` // in a select
	Home    bool   `json:"home,omitempty"`   // it comes from the person's Home, or from no conversation; Channel is their direct message with the bot
	Value   string `json:"value,omitempty"`
	Emoji   string `json:"emoji,omitempty"` // without colons and skin tone
	// Reply is an address for private answers that works where the bot is not a member; it lives for 30 minutes.
	Reply string `json:"reply,omitempty"`
	Files []File `json:"files,omitempty"` // attached to the message
	// Form is what was entered in a form, by the names of its fields.
	Form map[string]string `json:"form,omitempty"`

	Inbox   int64  `json:"-"` // the stored row
	Kept    string `json:"-"` // the private answer that kept it, when it is given once more
	Payload []byte `json:"-"` // of a webhook, as JSON
	Waits   bool   `json:"-"` // a form is still open and shows problems beside its fields
}

// Overheard reports whether something was not said to the bot.
func (in Incoming) Overheard() bool { return in.Kind == KindMessage || in.Kind == KindReaction }

// StartedBy names in a list of flows what starts one.
func StartedBy(t storage.Trigger) card.Text {
	switch t.Kind {
	case trigger.Message:
		return card.Textf("messages in %s", card.Channel(t.Subject))
	case trigger.Reaction:
		if named, err := trigger.Decode(t); err == nil && named.Reaction != nil && named.Reaction.Channel != "" {
			return card.Textf("%s in %s", card.Emoji(t.Subject), card.Channel(t.Channel))
		}
		return card.Emoji(t.Subject)
	}
	return card.Textf("the %s `%s`", t.Kind, t.Subject)
}

// Root is the thread that a reply belongs to: the message's thread, or the message itself.
func (in Incoming) Root() string {
	if in.Thread != "" {
		return in.Thread
	}
	return in.TS
}

// Actor is the person who sent it, and the way it was sent.
func (in Incoming) Actor() history.Actor {
	via := history.ViaCommand
	if in.Overheard() {
		via = history.ViaMessage
	}
	switch in.Kind {
	case KindClick:
		if via = history.ViaButton; in.Home {
			via = history.ViaHome
		}
	case KindTerminal:
		via = history.ViaCLI
	case KindProgram:
		via = history.ViaHTTP
	case KindSubmit:
		via = history.ViaModal
	case KindMention, KindShortcut:
		via = history.ViaMessage
	case KindReaction:
		via = history.ViaReaction
	}
	return history.Actor{User: in.User, Team: in.Team, Name: in.Name, Via: via}
}

// WithoutRow is the same without its stored row, for an answer after the effect that was stored with the row.
func (in Incoming) WithoutRow() Incoming {
	in.Inbox = 0
	return in
}

// File is a file that somebody attached to a message. Its content is read when it is needed.
type File struct {
	ID   string `json:"id"`
	Name string `json:"name"`           // "" where Slack tells it only on demand, as in shared channels
	Type string `json:"type,omitempty"` // as in Content-Type, such as "image/png"; a guess of Slack's
	Size int    `json:"size,omitempty"` // in bytes; 0 = not told
	URL  string `json:"url,omitempty"`  // where it can be downloaded with the bot's token
}

// Value is the file as a value of a flow, in JSON: as in the payload of a message.
func (f File) Value() string {
	fields := f.Fields()
	fields["name"] = cmp.Or(f.Name, f.ID)
	b, _ := json.Marshal(fields)
	return string(b)
}

// Fields are the properties of the file that a flow sees.
func (f File) Fields() map[string]any {
	return map[string]any{"id": f.ID, "name": f.Name, "mimetype": f.Type, "url": f.URL}
}

// ThreadKey names a thread of a channel, as the inbox orders its rows by it.
func ThreadKey(channel, thread string) string { return channel + ":" + thread }
