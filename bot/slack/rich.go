package slack

import (
	"strconv"
	"strings"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
)

// rich draws a text without marks: every piece of it says what it is.
func rich(text card.Text) slackgo.Block {
	var parts []slackgo.RichTextElement
	var run []slackgo.RichTextSectionElement
	var kind card.Face
	flush := func() {
		switch {
		case len(run) == 0:
		case kind == card.Fenced:
			parts = append(parts, &slackgo.RichTextPreformatted{Type: slackgo.RTEPreformatted, Elements: run})
		case kind == card.Quoted:
			parts = append(parts, &slackgo.RichTextQuote{Type: slackgo.RTEQuote, Elements: run})
		default:
			parts = append(parts, slackgo.NewRichTextSection(run...))
		}
		run = nil
	}
	all := text.Runs()
	for i, r := range all {
		k := blockOf(r.Face)
		if k != kind {
			if flush(); kind == card.Fenced { // which ends its line by itself
				r.Words = strings.TrimPrefix(r.Words, "\n")
			}
			kind = k
		}
		if k == card.Quoted && (i+1 == len(all) || blockOf(all[i+1].Face) != k) { // so does a quotation
			r.Words = strings.TrimSuffix(r.Words, "\n")
		}
		if r != (card.Run{Face: r.Face}) {
			run = append(run, element(r))
		}
	}
	flush()
	return slackgo.NewRichTextBlock("", parts...)
}

// needsRich says whether something of a text would be lost without marks: a quotation, a block, a person, our emoji.
func needsRich(r card.Run) bool {
	return r.Ref != "" || r.Emoji != "" || r.Face&(card.Fenced|card.Quoted) != 0
}

func blockOf(f card.Face) card.Face {
	if f&card.Fenced != 0 {
		return card.Fenced
	}
	return f & card.Quoted
}

// element is one piece of a rich text.
func element(r card.Run) slackgo.RichTextSectionElement {
	var style *slackgo.RichTextSectionTextStyle
	if f := r.Face; f&(card.Bold|card.Italic|card.Strike|card.Mono) != 0 {
		style = &slackgo.RichTextSectionTextStyle{
			Bold: f&card.Bold != 0, Italic: f&card.Italic != 0, Strike: f&card.Strike != 0, Code: f&card.Mono != 0,
		}
	}
	if r.Emoji != "" {
		return slackgo.NewRichTextSectionEmojiElement(r.Emoji, 0, style)
	}
	ref := strings.Trim(r.Ref, "<>")
	switch {
	case strings.HasPrefix(ref, "http"):
		address, said, _ := strings.Cut(ref, "|")
		return slackgo.NewRichTextSectionLinkElement(address, said, style)
	case strings.HasPrefix(ref, "@"):
		return slackgo.NewRichTextSectionUserElement(ref[1:], style)
	case strings.HasPrefix(ref, "#"):
		return slackgo.NewRichTextSectionChannelElement(ref[1:], style)
	case strings.HasPrefix(ref, "!subteam^"):
		id, _, _ := strings.Cut(ref[len("!subteam^"):], "|")
		return slackgo.NewRichTextSectionUserGroupElement(id)
	case strings.HasPrefix(ref, "!date^"):
		if at, rest, ok := strings.Cut(ref[len("!date^"):], "^"); ok {
			format, said, _ := strings.Cut(rest, "|")
			if seconds, err := strconv.ParseInt(at, 10, 64); err == nil {
				return slackgo.NewRichTextSectionDateElement(seconds, format, nil, &said)
			}
		}
	}
	return slackgo.NewRichTextSectionTextElement(r.Words+r.Ref, style)
}
