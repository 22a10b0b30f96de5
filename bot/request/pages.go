package request

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"sluice/bot/card"
	"sluice/engine/usererror"
)

// A list is shown in pages, and each page says that there are others.

// PageMost is how many characters the lines of a page may take: one section of a message holds them.
const PageMost = 2800

// PageOf reads the page that a command asks for; without one it is the first.
func PageOf(c Command, at int, command string) (int, error) {
	if c.Arg(at) == "" {
		return 1, nil
	}
	if n, err := strconv.Atoi(c.Arg(at)); err == nil && n > 0 {
		return n, nil
	}
	return 0, &usererror.Error{Code: "no_page", Text: fmt.Sprintf("I cannot read %q as a page.", card.Shorten(c.Arg(at), 40)), Hint: "For example: `/flow " + command + " 2`."}
}

// Rest says which of all are shown and how to see more; nothing when all are shown.
func (re *Replies) Rest(command string, page, first, shown, all int) []card.Text {
	switch {
	case shown == all:
		return nil
	case shown == 0:
		return []card.Text{card.Textf("There is no page %d: there are %d in all. `%s %s` shows the first.", page, all, re.Command, command)}
	}
	text := card.Textf("%d to %d of %d.", first+1, first+shown, all)
	if first+shown < all {
		text = card.Textf("%s `%s %s %d` shows the next.", text, re.Command, command, page+1)
	}
	return []card.Text{text}
}

// Paged makes a page of lines that are all known. Where a page ends depends on the lines before it alone.
func (re *Replies) Paged(lines []card.Text, page int, command string) (card.Text, []card.Text) {
	from := pageStart(lines, page)
	end := pageEnd(lines, from)
	return card.Join("\n", lines[from:end]...), re.Rest(command, page, from, end-from, len(lines))
}

// pageStart says where a page begins; behind the last line when there is no such page.
func pageStart(lines []card.Text, page int) (from int) {
	for at := 1; at < page && from < len(lines); at++ {
		from = pageEnd(lines, from)
	}
	return from
}

// pageEnd says where a page ends that begins at a line.
func pageEnd(lines []card.Text, from int) int {
	end := from
	for size := 0; end < len(lines) && (end == from || size+length(lines[end]) <= PageMost); end++ {
		size += length(lines[end])
	}
	return end
}

// PagedCard puts a page of lines into a card, with buttons for the pages beside it.
func (re *Replies) PagedCard(out *card.Card, lines []card.Text, page int, command string) {
	out.Text, out.Context = re.Paged(lines, page, command)
	if page > 1 {
		out.Buttons = append(out.Buttons, Turn("Previous", fmt.Sprint(command, " ", page-1)))
	}
	if pageStart(lines, page+1) < len(lines) {
		out.Buttons = append(out.Buttons, Turn("Next", fmt.Sprint(command, " ", page+1)))
	}
}

// PagedNames is PagedCard for lines in the order of their names. The buttons name the line at the edge of the page ("after=refund"), so that a
// new line before it moves nothing.
func (re *Replies) PagedNames(out *card.Card, lines []card.Text, names []string, c Command, page int, command string) {
	from := pageStart(lines, page)
	after, isAfter := c.Pairs["after"].(string)
	before, isBefore := c.Pairs["before"].(string)
	switch {
	case isAfter:
		from = sort.Search(len(names), func(i int) bool { return names[i] > after })
	case isBefore:
		end := sort.SearchStrings(names, before)
		for from = end; from > 0 && pageEnd(lines, from-1) >= end; from-- {
		}
	}
	end := pageEnd(lines, from)
	out.Text, out.Context = card.Join("\n", lines[from:end]...), re.Rest(command, page, from, end-from, len(lines))
	if (isAfter || isBefore) && end > from {
		out.Context = []card.Text{card.Textf("%d to %d of %d.", from+1, end, len(lines))}
	}
	if from > 0 && end > from {
		out.Buttons = append(out.Buttons, Turn("Previous", command+" before="+names[from]))
	}
	if end < len(lines) {
		out.Buttons = append(out.Buttons, Turn("Next", command+" after="+names[end-1]))
	}
}

// Turn is a button that shows another part of a list. Its value is the command for it.
func Turn(label, command string) card.Button {
	return card.Button{Action: "list.turn:" + strings.ToLower(label), Label: label, Value: command}
}

func length(t card.Text) int { return len([]rune(t.String())) + 1 }
