package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// What happens, in words: somebody reacts with an emoji, or a message in a channel says something.
const (
	eventOpening = `(?:when(?:ever)?|each\s+time|every\s+time)\s+`
	eventPerson  = `(?:somebody|someone|anybody|anyone|people|a\s+person|i|we|you)`
	eventChannel = `(#[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}_])?)`
	eventQuoted  = `("[^"]+"|“[^”]+”|/(?:[^/\\]|\\.)+/)`
	eventWords   = `("[^"]+"|“[^”]+”|[^\s,:;"“/][^,:;]*?)`
	eventEnd     = `(?:\s*[,:;]\s*(?:then\s+)?|\s+then\s+|\s*$)`
	eventOr      = `\s*,?\s+or\s+`
)

// eventForms are the ways to say what happens; each is followed by an end, or by "or" and another one.
var (
	eventReaction = regexp.MustCompile(`(?i)^(?:` + eventPerson + `\s+reacts?\s+(?:to\s+(?:a|any|the|some)\s+message\s+)?|a(?:ny)?\s+message\s+gets\s+)(?:with\s+)?(?:an?\s+|the\s+)?:([a-z0-9_+'-]+):()`)
	eventMatches  = eventForm(`(?:a|any|every)\s+(?:new\s+)?message\s+in\s+` + eventChannel + `\s+(?:that\s+)?(?:matches|matching)\s+` + eventQuoted)
	eventSays     = eventForm(`(?:a|any|every)\s+(?:new\s+)?message\s+in\s+` + eventChannel + `\s+(?:that\s+)?(says|saying|contains|containing|mentions|mentioning)\s+` + eventWords)
	eventWrites   = eventForm(eventPerson + `\s+(?:writes?|posts?|says?)\s+` + eventQuoted + `\s+in\s+` + eventChannel)
	eventAny      = eventForm(`(?:(?:a|any|every)\s+(?:new\s+)?message\s+(?:is\s+(?:posted|written)\s+|comes\s+|arrives\s+)?in\s+|` + eventPerson + `\s+(?:writes?|posts?)\s+(?:a\s+message\s+)?in\s+)` + eventChannel + `(?:\s+(?:arrives|comes\s+in|is\s+posted))?`)

	eventStart = regexp.MustCompile(`(?i)^` + eventOpening)
	eventNext  = regexp.MustCompile(`(?i)^` + eventOr + `(?:` + eventOpening + `)?`)
	eventStop  = regexp.MustCompile(`(?i)^` + eventEnd)
	eventGap   = regexp.MustCompile(`^\s+`)
	eventWhere = regexp.MustCompile(`(?i)\b` + eventOpening)
)

// eventForm is a way to say what happens, up to where the sentence goes on.
func eventForm(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^` + words + `(` + eventEnd + `|` + eventOr + `)`)
}

// readEvent reads one thing that happens at the front of a text, and gives how long its words are.
func readEvent(text string) (t flow.Trigger, length int, ok bool) {
	try := func(form *regexp.Regexp) []string {
		m := form.FindStringSubmatch(text)
		if m != nil {
			length = len(m[0]) - len(m[len(m)-1])
		}
		return m
	}
	said := func(channel, match string) (flow.Trigger, int, bool) {
		return flow.Trigger{Message: &flow.MessageTrigger{Channel: channel, Match: match}}, length, true
	}
	if m := try(eventReaction); m != nil {
		return flow.Trigger{Reaction: &flow.ReactionTrigger{Emoji: strings.ToLower(m[1])}}, length, true
	}
	if m := try(eventMatches); m != nil {
		return said(m[1], unquote(m[2]))
	}
	if m := try(eventSays); m != nil {
		return said(m[1], sayPattern(unquote(m[3]), !strings.HasPrefix(strings.ToLower(m[2]), "say")))
	}
	if m := try(eventWrites); m != nil {
		return said(m[2], sayPattern(unquote(m[1]), false))
	}
	if m := try(eventAny); m != nil {
		return said(m[1], "")
	}
	return t, 0, false
}

func unquote(s string) string {
	return strings.Trim(strings.TrimSpace(s), `"“”/`)
}

// cutEvent cuts what starts a run when it happens off the front of a text; event is empty if there is nothing of the kind.
func cutEvent(text string) (event, rest string) {
	text = strings.TrimSpace(text)
	_, end := events(text)
	if end == 0 {
		return "", text
	}
	stop := eventStop.FindString(text[end:])
	if stop == "" {
		stop = eventGap.FindString(text[end:]) // only an emoji may be followed by a step without more ado
	}
	return text[:end], text[end+len(stop):]
}

// events reads all that starts runs at the front of a text, and gives where it ends; 0 = there is nothing of the kind.
func events(text string) (list []flow.Trigger, end int) {
	at := len(eventStart.FindString(text))
	if at == 0 {
		return nil, 0
	}
	for {
		t, length, ok := readEvent(text[at:])
		if !ok {
			return list, end
		}
		list, end = append(list, t), at+length
		next := len(eventNext.FindString(text[end:]))
		if next == 0 {
			break
		}
		at = end + next
	}
	if !eventStop.MatchString(text[end:]) && list[len(list)-1].Reaction == nil {
		return nil, 0 // it goes on with words that say more of the message
	}
	return list, end
}

// findEvent is cutEvent, wherever it stands.
func findEvent(text string) (event, rest string) {
	for _, loc := range eventWhere.FindAllStringIndex(text, -1) {
		if event, rest = cutEvent(text[loc[0]:]); event != "" {
			return event, strings.TrimSpace(text[:loc[0]] + " " + rest)
		}
	}
	return "", text
}

// cutStart cuts what starts runs off the front of a text: a time, or something that happens.
func cutStart(text string) (when, rest string) {
	if when, rest = cutSchedule(text); when != "" {
		return when, rest
	}
	return cutEvent(text)
}

const (
	// slot is what stands in a message for a value: it neither begins nor ends with a sign.
	slot = `[\pL\pN](?:\S*[\pL\pN])?`
	// Whole words begin and end where no letter or digit stands beside them.
	wordBegin, wordEnd = `(?:^|[^\pL\pN])`, `(?:[^\pL\pN]|$)`
)

var (
	slotPattern = regexp.MustCompile(`<([A-Za-z_][A-Za-z0-9_]*)>|\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	slotWritten = regexp.MustCompile(`\(\?P<([A-Za-z_][A-Za-z0-9_]*)>` + regexp.QuoteMeta(slot) + `\)`)
	escaped     = regexp.MustCompile(`\\(.)`)
)

// sayPattern makes a pattern of words in which <name> stands for a value. Large letters and small ones are the same; the words are
// whole ones, unless anywhere.
func sayPattern(words string, anywhere bool) string {
	words = strings.Join(strings.Fields(words), " ")
	var b strings.Builder
	b.WriteString("(?i)")
	if !anywhere {
		b.WriteString(wordBegin)
	}
	at := 0
	for _, m := range slotPattern.FindAllStringSubmatchIndex(words, -1) {
		name := words[m[0]+1 : m[1]-1]
		b.WriteString(plainPattern(words[at:m[0]]) + `(?P<` + name + `>` + slot + `)`)
		at = m[1]
	}
	b.WriteString(plainPattern(words[at:]))
	if !anywhere {
		b.WriteString(wordEnd)
	}
	return b.String()
}

func plainPattern(words string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(words), " ", `\s+`)
}

// patternWords says in words what a message must say, for patterns that sayPattern writes; other patterns are quoted as they are.
func patternWords(match string) string {
	words := strings.TrimPrefix(match, "(?i)")
	words, whole := strings.CutPrefix(words, wordBegin)
	if whole {
		words = strings.TrimSuffix(words, wordEnd)
	}
	words = slotWritten.ReplaceAllString(words, "<$1>")
	words = escaped.ReplaceAllString(strings.ReplaceAll(words, `\s+`, " "), "$1")
	switch {
	case sayPattern(words, !whole) != match:
		return "that fits " + quote(match)
	case whole:
		return "that says " + quote(words)
	}
	return "that contains " + quote(words)
}

// groups lists the values that a message gives by a pattern.
func groups(match string) []string {
	re, err := regexp.Compile(match)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(re.SubexpNames(), func(name string) bool { return name == "" })
}

// happenings adds the triggers of what happens. What a message does not give, people are asked for when it happens.
func (b *builder) happenings() {
	var given []string
	for _, t := range b.happens {
		if t.Message == nil {
			continue
		}
		if _, err := regexp.Compile(t.Message.Match); err != nil {
			b.note(Note{Code: "bad_pattern", Blocks: true, Text: fmt.Sprintf("The pattern %s cannot be read: %v.", quote(t.Message.Match), err)})
			return
		}
		if b.opt.Exists != nil && !b.opt.Exists(t.Message.Channel) {
			b.note(Note{Code: "unknown_address", Blocks: true, Text: fmt.Sprintf("No channel here is called %s, so no message there could start it.", t.Message.Channel)})
		}
		given = append(given, groups(t.Message.Match)...)
	}
	for _, name := range given {
		if !slices.ContainsFunc(b.flow.Inputs, func(in flow.Input) bool { return in.Name == name }) {
			b.note(Note{Code: "unknown_input", Text: fmt.Sprintf("The message gives %s, and no step asks for it.", quote(name))})
		}
	}
	var needs []string
	for _, in := range b.flow.Inputs {
		if in.Required && !slices.Contains(given, in.Name) {
			needs = append(needs, in.Name)
		}
	}
	if len(needs) > 0 && len(b.happens) > 0 {
		b.note(Note{Code: "missing_input", Text: fmt.Sprintf(
			"Nothing that happens gives %s, which every run needs: whoever starts it is told to say so with a command. A message can give it: says “... <%s>”.", list(needs, "and"), needs[0])})
	}
	b.flow.Triggers = append(b.flow.Triggers, b.happens...)
}
