package surface

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sluice/bot/card"
	"sluice/engine/planner/readback"
)

// reactionName is how a read-back names the reaction that starts a flow.
var reactionName = regexp.MustCompile(`^(?:The|starts by the) reaction :([^\s:]+):`)

// said is a sentence about a flow. The reaction that starts it is shown as one.
func said(line string) card.Text {
	at := reactionName.FindStringSubmatchIndex(line)
	if at == nil {
		return card.Plain(line)
	}
	return card.Textf("%s%s%s", line[:at[2]-1], card.Emoji(line[at[2]:at[3]]), line[at[3]+1:])
}

// Steps lists the steps of a flow, a line for each with its number. Steps below others are indented.
func Steps(lines []readback.Line) (out []card.Text) {
	for _, l := range lines {
		line := stepText(l)
		for range depth(l.Number) {
			line = card.Textf("\u2003\u2003%s", line) // Slack cuts plain spaces off
		}
		out = append(out, line)
	}
	return out
}

// StepWords are the steps of a flow as plain text.
func StepWords(lines []readback.Line) string {
	var words []string
	for _, t := range Steps(lines) {
		words = append(words, t.Words())
	}
	return strings.Join(words, "\n")
}

// depth is how many steps a step stands below, as its number says: none of 12, one of 12a, two of 12a3.
func depth(number string) (n int) {
	number = strings.TrimLeftFunc(number, unicode.IsLetter) // of the steps at the time limit
	for i := 1; i < len(number); i++ {
		if unicode.IsDigit(rune(number[i])) != unicode.IsDigit(rune(number[i-1])) {
			n++
		}
	}
	return n
}

func stepText(l readback.Line) card.Text {
	if l.Number == "" {
		return said(l.Text)
	}
	return card.Textf("%s. %s", l.Number, said(l.Text))
}

// Changed says step by step what a draft's words say otherwise than before: the old line, then the new one, each behind indent.
func Changed(old, now []readback.Line, indent string) []card.Text {
	return changesIn(old, now, indent, sideBySide)
}

// Differences is Changed for a place that shows marks: where few words of a step differ, the old ones are struck out and the new ones bold.
func Differences(old, now []readback.Line) []card.Text { return changesIn(old, now, "", inLine) }

func changesIn(old, now []readback.Line, indent string, show func(was, now readback.Line, indent string) card.Text) (out []card.Text) {
	before, stays := pairs(old, now)
	for i, l := range now {
		switch was, there := before[i]; {
		case !there:
			out = append(out, card.Textf("%s*new* %s", indent, stepText(l)))
		case old[was].Text != l.Text && unnumbered(old[was].Text, old) != unnumbered(l.Text, now):
			out = append(out, show(old[was], l, indent))
		}
	}
	for i, l := range old {
		if !stays[i] {
			out = append(out, card.Textf("%s*gone* %s", indent, stepText(l)))
		}
	}
	return out
}

// unnumbered is a text about steps with the nodes of the steps in the place of their numbers: other numbers alone are no change.
func unnumbered(text string, lines []readback.Line) string {
	return numbered.ReplaceAllStringFunc(text, func(words string) string {
		at := strings.LastIndexByte(words, ' ') + 1
		if i := slices.IndexFunc(lines, func(l readback.Line) bool { return l.Number == words[at:] && l.Node != "" }); i >= 0 {
			return words[:at] + cmp.Or(lines[i].Step, lines[i].Node)
		}
		return words
	})
}

// numbered finds the number of a step to which a text leads, or whose value it names.
var numbered = regexp.MustCompile(`(?:→|the (?:answer|result) (?:in|of)) [0-9]+[a-z0-9]*`)

func sideBySide(was, now readback.Line, indent string) card.Text {
	return card.Textf("%s*was* %s\n%s*now* %s", indent, stepText(was), indent, stepText(now))
}

// inLine shows both texts of a step in one line, if few words differ.
func inLine(was, now readback.Line, indent string) card.Text {
	const most = 6 // words in the place of others
	a, b := strings.Fields(was.Text), strings.Fields(now.Text)
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	to := 0
	for to < min(len(a), len(b))-from && a[len(a)-1-to] == b[len(b)-1-to] {
		to++
	}
	gone, come := a[from:len(a)-to], b[from:len(b)-to]
	if len(gone) > most || len(come) > most || was.Number != now.Number {
		return sideBySide(was, now, indent)
	}
	line := card.Plain(strings.Join(b[:from], " "))
	if len(gone) > 0 {
		line = card.Textf("%s ~%s~", line, strings.Join(gone, " "))
	}
	if len(come) > 0 {
		line = card.Textf("%s *%s*", line, strings.Join(come, " "))
	}
	if to > 0 {
		line = card.Textf("%s %s", line, strings.Join(b[len(b)-to:], " "))
	}
	if now.Number != "" {
		line = card.Textf("%s. %s", now.Number, line)
	}
	return line
}

// pairs finds for the lines of a read-back those of an older one that tell of the same step: a node's name may be that of another step by now.
func pairs(old, now []readback.Line) (before map[int]int, stays map[int]bool) {
	before, stays = map[int]int{}, map[int]bool{}
	for _, same := range []func(a, b readback.Line) bool{
		func(a, b readback.Line) bool {
			return a.Node == b.Node && (a.Node != "" || a.Text == b.Text) && (a.Step == b.Step || a.Step == "" || b.Step == "")
		},
		func(a, b readback.Line) bool { return a.Step != "" && a.Step == b.Step },
	} {
		for i, l := range now {
			if _, found := before[i]; found {
				continue
			}
			for k, o := range old {
				if !stays[k] && same(o, l) {
					before[i], stays[k] = k, true
					break
				}
			}
		}
	}
	return before, stays
}
