package plan

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sluice/engine/flow"
)

// statement is what one line, or a part of one, says.
type statement struct {
	line  int
	text  string // the words it was made of, quoted back when they are not understood
	ask   *asking
	tell  *telling
	say   string // a message in the run's own thread
	wait  *flow.WaitSpec
	stop  bool
	jump  int // line to go on with; 0 = none
	cond  *condition
	then  []statement
	other []statement
	// act is what remains: something for a tool.
	act string
}

// asking is a question to people.
type asking struct {
	who      []string // as written: "@leads", "ana", "#team"; none = whoever is there
	all      bool     // each of them must agree, one after the other
	quorum   int
	choices  []string
	about    string // what is asked, without the names; may be empty
	request  bool   // about says what to do, not what to approve
	field    string // the answer is a value of this name instead of a choice
	open     bool   // the answer is free text
	deadline flow.Duration
}

// telling is a message to a channel or a person.
type telling struct {
	to   []string
	text string // empty = the run's title and the last result
}

// splitter finds actors that read a catalogue: whether words are something that a tool does.
type splitter func(text string) bool

// statements reads a line. doable tells where a condition ends and what is to be done begins, when no other word does.
func statements(n int, text string, doable splitter) []statement {
	text = strings.TrimSpace(text)
	words := scan(text)
	if isIf(words) {
		return []statement{ifStatement(n, text, words, doable)}
	}
	parts := parts(text, words, doable)
	if len(parts) > 1 {
		var out []statement
		for _, p := range parts {
			out = append(out, statements(n, p, doable)...)
		}
		return out
	}
	if s, ok := trailingIf(n, text, words, doable); ok {
		return []statement{s}
	}
	return []statement{simple(n, text, words)}
}

// parts cuts "do this and tell #team", "do this, then that" and "do this and that" where both are something that a tool does.
func parts(text string, words []word, doable splitter) []string {
	var out []string
	from := 0
	free := begins(words, "tell") || begins(words, "say") // what follows is mostly text
	for i := 1; i < len(words)-1; i++ {
		w, next := words[i], words[i+1]
		joins := w.kind == plainWord && w.low == "and" || w.kind == signWord && w.low == ","
		cut := w.kind == signWord && w.low == ";" || w.kind == plainWord && w.low == "then" ||
			joins && (stepVerbs[next.low] || !free && w.low == "," && isIf(words[i+1:])) ||
			joins && agreeing[words[i-1].low] && begins(words, "ask") && !agreeing[next.low] ||
			joins && !free && next.content() && doable(text[from:w.start]) && doable(text[next.start:])
		if !cut {
			continue
		}
		if part := trimJoint(text[from:w.start]); part != "" {
			out = append(out, part)
		}
		from, free = next.start, next.low == "tell" || next.low == "say"
	}
	return append(out, trimJoint(text[from:]))
}

// trimJoint takes off what joined a part with the next.
func trimJoint(s string) string {
	s = strings.Trim(s, " ,;")
	for _, tail := range []string{" and", " ,", ","} {
		s = strings.TrimSuffix(s, tail)
	}
	return strings.TrimSpace(s)
}

// stepVerbs begin a step behind "and" or a comma.
var stepVerbs = wordSet("ask tell say stop wait then")

var ending = regexp.MustCompile(`(?i)^(?:(?:just\s+)?(?:stop|end|finish|quit|exit|abort|do nothing|nothing)(?:\s+(?:here|there|now|it|the run|the flow|the workflow|everything))?|(?:we are |we're )?done)\W*$`)

var jumping = regexp.MustCompile(`(?i)^(?:go\s+(?:on\s+|back\s+)?(?:to|with)|back\s+to|jump\s+to|skip\s+to|continue\s+(?:at|with|from)|repeat(?:\s+from)?)\s+(?:step\s+)?([0-9]{1,3})\W*$`)

var goingOn = regexp.MustCompile(`(?i)^(?:just\s+)?(?:go on|continue|carry on|proceed|skip (?:this|it)|skip this step)\W*$`)

// simple reads a part that holds no other.
func simple(n int, text string, words []word) statement {
	s := statement{line: n, text: text}
	if m := jumping.FindStringSubmatch(text); m != nil {
		s.jump, _ = strconv.Atoi(m[1])
		return s
	}
	switch {
	case ending.MatchString(text):
		s.stop = true
	case begins(words, "ask"):
		s.ask = readAsk(text, words[1:])
	case begins(words, "tell") && len(words) > 1:
		s.tell = readTell(text, words[1:])
	case begins(words, "say") && len(words) > 1:
		s.say = unquoted(text, words[1:])
	case begins(words, "wait"):
		s.wait = readWait(text, words[1:])
	default:
		s.ask = readApproval(text, words)
	}
	if s.empty() {
		s.act = text
	}
	return s
}

func (s *statement) empty() bool {
	return s.ask == nil && s.tell == nil && s.say == "" && s.wait == nil && !s.stop && s.jump == 0 && s.cond == nil
}

// unquoted is the text of the words; a text that is one quotation loses the marks.
func unquoted(text string, words []word) string {
	if len(words) > 0 && words[0].low == ":" {
		words = words[1:]
	}
	if len(words) == 1 {
		return words[0].text
	}
	return span(text, words)
}

// readWait reads "wait 2 hours", "wait for 3 working days" and "wait until 2026-12-01 09:00".
func readWait(text string, words []word) *flow.WaitSpec {
	if begins(words, "until") {
		at := strings.TrimSpace(span(text, words[1:]))
		if untilPattern.MatchString(at) {
			return &flow.WaitSpec{Until: strings.Replace(at, " ", "T", 1)}
		}
		return nil
	}
	if begins(words, "for") {
		words = words[1:]
	}
	d, rest := readDuration(words)
	if d.IsZero() || len(rest) > 0 {
		return nil
	}
	return &flow.WaitSpec{For: d}
}

var untilPattern = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}$`)

var durationUnits = map[string]string{"second": "s", "minute": "m", "hour": "h", "day": "d", "week": "w"}

// readDuration reads "2 hours" or "3 working days" at the front of words.
func readDuration(words []word) (flow.Duration, []word) {
	if len(words) == 0 {
		return flow.Duration{}, words
	}
	n, ok := parseNumber(words[0].text)
	if words[0].low == "a" || words[0].low == "an" || words[0].low == "one" {
		n, ok = 1, true
	}
	rest := words[1:]
	if !ok || n <= 0 || n > 10_000 || len(rest) == 0 {
		return flow.Duration{}, words
	}
	text := numberText(n) + durationUnits[rest[0].stem]
	switch {
	case rest[0].low == "working" && len(rest) > 1 && rest[1].stem == "day":
		text, rest = numberText(n)+" working days", rest[1:]
	case durationUnits[rest[0].stem] == "":
		return flow.Duration{}, words
	}
	d, err := flow.ParseDuration(text)
	if err != nil {
		return flow.Duration{}, words
	}
	return d, rest[1:]
}

// durationWords writes a length of time out, if it is a round one.
func durationWords(d flow.Duration) string {
	units := []struct {
		name string
		unit time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}}
	for _, u := range units {
		if n := d.Clock / u.unit; d.WorkingDays == 0 && n > 0 && d.Clock%u.unit == 0 {
			return strings.TrimSuffix(fmt.Sprintf("%d %ss", n, u.name), map[bool]string{true: "s"}[n == 1])
		}
	}
	return d.String()
}
