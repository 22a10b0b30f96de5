package slack

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
)

// listed finds a line of a list: em spaces in pairs say how deep it stands, then a bullet or the number of a step.
var listed = regexp.MustCompile(`^((?:\x{2003}{2})*)(?:• |(\d+)\. |(?:\d+[a-z][0-9a-z]*\. ))`)

// nests says whether some lines of a text stand below others: only a list breaks those at their own margin.
func nests(lines [][]card.Run) bool {
	deep := false
	for _, line := range lines {
		if slices.ContainsFunc(line, func(r card.Run) bool { return r.Face&(card.Fenced|card.Quoted) != 0 }) {
			return false
		}
		deep = deep || strings.HasPrefix(line[0].Words, "\u2003\u2003") && listed.MatchString(line[0].Words)
	}
	return deep
}

// nestedList draws the numbered and indented lines of a text as lists. Slack counts the steps of the first level itself; the others keep their
// numbers, such as 2a.
func nestedList(lines [][]card.Run) slackgo.Block {
	var parts []slackgo.RichTextElement
	for _, line := range lines {
		style, indent, number := slackgo.RichTextListElementType(""), 0, 0
		if m := listed.FindStringSubmatch(line[0].Words); m != nil {
			style, indent = slackgo.RTEListBullet, len([]rune(m[1]))/2
			line[0].Words = strings.TrimPrefix(line[0].Words[len(m[1]):], "• ")
			if number, _ = strconv.Atoi(m[2]); number > 0 && indent == 0 {
				style, line[0].Words = slackgo.RTEListOrdered, strings.TrimPrefix(line[0].Words, m[2]+". ")
			}
		}
		var elements []slackgo.RichTextSectionElement
		for _, r := range line {
			if r != (card.Run{Face: r.Face}) {
				elements = append(elements, element(r))
			}
		}
		switch {
		case style == "":
			elements = append(elements, slackgo.NewRichTextSectionTextElement("\n", nil))
			parts = append(parts, slackgo.NewRichTextSection(elements...))
			continue
		case len(elements) == 0: // a bullet alone
			continue
		}
		item := slackgo.NewRichTextSection(elements...)
		if last, ok := lastOf(parts).(*slackgo.RichTextList); ok && last.Style == style && last.Indent == indent && (number == 0 || indent > 0 || last.Offset+len(last.Elements)+1 == number) {
			last.Elements = append(last.Elements, item)
			continue
		}
		list := slackgo.NewRichTextList(style, indent, item)
		if style == slackgo.RTEListOrdered {
			list.Offset = number - 1
		}
		parts = append(parts, list)
	}
	return slackgo.NewRichTextBlock("", parts...)
}

func lastOf(parts []slackgo.RichTextElement) slackgo.RichTextElement {
	if len(parts) == 0 {
		return nil
	}
	return parts[len(parts)-1]
}

// linesOf cuts runs at the ends of lines. A line without words is left out.
func linesOf(runs []card.Run) (out [][]card.Run) {
	var line []card.Run
	for _, r := range runs {
		for i, words := range strings.Split(r.Words, "\n") {
			if i > 0 && len(line) > 0 {
				out, line = append(out, line), nil
			}
			part := r
			if part.Words = words; i > 0 {
				part.Ref, part.Emoji = "", ""
			}
			if part != (card.Run{Face: r.Face}) {
				line = append(line, part)
			}
		}
	}
	if len(line) > 0 {
		out = append(out, line)
	}
	return out
}
