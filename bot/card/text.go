package card

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"time"
)

// Text is formatted text. Its marks (*bold*, _italic_, `code`, ```block```, > quote, :emoji:) are our own words; what people and services
// wrote is in it as they wrote it, and can become neither a mark nor a mention nor a link. There is no way to make a Text of a string that
// skips this: Textf takes a constant, Plain takes anything, and Markdown makes marks, and nothing else, of what a language model wrote.
type Text struct{ spans []span }

// span is a part of a text: our words with marks, a reference in Slack's form, or somebody's words.
type span struct {
	Marks string `json:"m,omitempty"`
	Ref   string `json:"r,omitempty"`
	Plain string `json:"t,omitempty"`
}

// constant is a text that is written in the source: other packages have no other value of this type.
type constant string

// Textf is fmt.Sprintf for texts. The format is ours and may have marks; an argument is somebody's words unless it is a Text.
func Textf(format constant, args ...any) Text {
	var t Text
	rest := string(format)
	for {
		at := strings.IndexByte(rest, '%')
		if at < 0 {
			return t.marks(rest)
		}
		t, rest = t.marks(rest[:at]), rest[at:]
		end := 1 + strings.IndexAny(rest[1:], "%abcdefghijklmnopqrstuvwxyzTUX")
		verb := rest[:end+1]
		rest = rest[end+1:]
		switch {
		case verb == "%%":
			t = t.marks("%")
		case len(args) == 0:
			t = t.marks("%!" + verb[1:] + "(MISSING)")
		default:
			if own, ok := args[0].(Text); ok {
				t = t.Add(own)
			} else {
				t = t.Add(Plain(fmt.Sprintf(verb, args[0])))
			}
			args = args[1:]
		}
	}
}

// Plain is what somebody wrote. Characters that hide something are shown; see Visible.
func Plain(s string) Text {
	if s = Visible(s); s == "" {
		return Text{}
	}
	return Text{spans: []span{{Plain: s}}}
}

// Code is what somebody wrote, in the type of code.
func Code(s string) Text { return Textf("`%s`", s) }

// Block is what somebody wrote, in a block with its own lines and spaces.
func Block(s string) Text { return Textf("```%s```", s) }

// Quote is what somebody wrote, marked as not ours in each of its lines.
func Quote(s string) Text { return QuoteText(Plain(s)) }

// Marked reads a sentence in which commands stand between backticks, and blocks between three of them. Nothing else in it is a mark.
func Marked(s string) Text {
	var t Text
	last := 0
	for _, at := range codeSpan.FindAllStringSubmatchIndex(s, -1) {
		t.put(Plain(s[last:at[0]]))
		if at[2] >= 0 {
			t.put(Block(s[at[2]:at[3]]))
		} else {
			t.put(Code(s[at[4]:at[5]]))
		}
		last = at[1]
	}
	t.put(Plain(s[last:]))
	return t
}

var codeSpan = regexp.MustCompile("(?s:```(.+?)```)|`([^`\n]+)`")

// User calls a person.
func User(id string) Text { return ref("<@" + id + ">") }

// Emoji is an emoji by its name.
func Emoji(name string) Text {
	if !emojiName.MatchString(name) {
		return Plain(":" + name + ":")
	}
	return Text{}.marks(":" + name + ":")
}

var emojiName = regexp.MustCompile(`^[\p{L}\p{N}_+'-]+(?:::skin-tone-[2-6])?$`)

// Channel names a channel.
func Channel(id string) Text { return ref("<#" + id + ">") }

// Group calls a group of people.
func Group(id, name string) Text {
	if validRef.MatchString("<!subteam^" + id + "|" + name + ">") {
		return ref("<!subteam^" + id + "|" + name + ">")
	}
	return ref("<!subteam^" + id + ">")
}

// Date shows a time in the reader's own zone.
func Date(t time.Time) Text {
	return ref(fmt.Sprintf("<!date^%d^{date_short_pretty} at {time}|%s>", t.Unix(), t.UTC().Format("2006-01-02 15:04 UTC")))
}

// Link names an address of ours: of a message, or of a page. The words are ours, too.
func Link(address string, words constant) Text {
	return ref("<" + address + "|" + string(words) + ">")
}

var validRef = regexp.MustCompile(`^<(?:https?://[^<>|\s]+\|[^<>|]*|[@#][A-Za-z0-9._-]+|!subteam\^[A-Za-z0-9._-]+(?:\|@?[\p{L}\p{N}._ -]*)?|!date\^-?[0-9]+\^[^<>|]*\|[^<>|]*)>$`)

// ref is a reference, and text when an id is none.
func ref(s string) Text {
	if !validRef.MatchString(s) {
		return Plain(s)
	}
	return Text{spans: []span{{Ref: s}}}
}

// Join puts texts one after the other.
func Join(sep constant, all ...Text) Text {
	var t Text
	for i, one := range all {
		if i > 0 {
			t.put(Text{}.marks(string(sep)))
		}
		t.put(one)
	}
	return t
}

// put adds to a text that has not been given away yet; Add copies all of it each time.
func (t *Text) put(one Text) { t.spans = append(t.spans, one.spans...) }

// Add gives the text with others behind it.
func (t Text) Add(all ...Text) Text {
	spans := append([]span(nil), t.spans...)
	for _, one := range all {
		spans = append(spans, one.spans...)
	}
	return Text{spans: spans}
}

func (t Text) marks(s string) Text {
	if s == "" {
		return t
	}
	return t.Add(Text{spans: []span{{Marks: s}}})
}

// Empty says whether there is nothing to read.
func (t Text) Empty() bool { return strings.TrimSpace(t.String()) == "" }

// IsZero says whether it is the empty text.
func (t Text) IsZero() bool { return len(t.spans) == 0 }

// escape makes characters text that mrkdwn reads as the start of a reference.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace

// String is the text as mrkdwn, to look at. Mrkdwn makes the text that is sent.
func (t Text) String() string {
	var b strings.Builder
	for _, s := range t.spans {
		b.WriteString(escapeMarks(s.Marks) + s.Ref + escape(s.Plain))
	}
	return b.String()
}

// escapeMarks keeps the sign of a quotation at the start of a line.
func escapeMarks(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if q, ok := strings.CutPrefix(l, ">"); ok {
			lines[i] = ">" + escape(q)
		} else {
			lines[i] = escape(l)
		}
	}
	return strings.Join(lines, "\n")
}

// MarshalJSON writes the parts.
func (t Text) MarshalJSON() ([]byte, error) {
	if t.spans == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(t.spans)
}

// UnmarshalJSON reads the parts. Releases before had one string of mrkdwn, which they had escaped.
func (t *Text) UnmarshalJSON(b []byte) error {
	var old string
	if json.Unmarshal(b, &old) != nil {
		return json.Unmarshal(b, &t.spans)
	}
	*t = Text{}
	last := 0
	for _, at := range oldRef.FindAllStringIndex(old, -1) {
		t.put(Text{}.marks(html.UnescapeString(old[last:at[0]])))
		t.put(ref(old[at[0]:at[1]]))
		last = at[1]
	}
	t.put(Text{}.marks(html.UnescapeString(old[last:])))
	return nil
}

// oldRef is a reference in the mrkdwn of earlier releases.
var oldRef = regexp.MustCompile(`<[@#!][^<>]+>`)

// Shorten cuts a text to so many characters.
func Shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
