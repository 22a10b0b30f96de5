package plan

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/flow"
)

const (
	maxLines    = 200   // steps of an outline
	maxLineText = 1000  // characters of a step
	maxOutline  = 20000 // bytes of an outline
	maxName     = 40    // characters of a name made from words
)

var (
	lineStart = regexp.MustCompile(`^\s*(?:(?:step\s+)?([0-9]{1,3})[.):]\s+|[-*•–]\s+)`)
	inline    = regexp.MustCompile(`(?:^|\s)([0-9]{1,3})[.)]\s+`)
	arrow     = regexp.MustCompile(`\s*(?:->|→|=>|➜)\s*`)
)

// Read finds the name and the steps of a flow in words: numbered on lines of their own or all on one, after bullets, on lines,
// or between arrows. The name is what stands before the first colon in front of the steps. It reports false when there are no
// steps.
func Read(text string) (Outline, bool) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if text == "" || len(text) > maxOutline {
		return Outline{}, false
	}
	event, text := cutEvent(text)
	for _, way := range []func(string) (string, []string){byNumbers, byBullets, byArrows, byLines, byCommas} {
		if head, steps := way(text); len(steps) > 0 && len(steps) <= maxLines {
			return newOutline(head, steps, event)
		}
	}
	if steps := atCommas(text); event != "" && len(steps) <= maxLines {
		return newOutline("", steps, event)
	}
	return Outline{}, false
}

// newOutline makes an outline of steps and of the words before them. event is what stood in front of everything.
func newOutline(head string, steps []string, event string) (Outline, bool) {
	name, when := readHead(head)
	if event != "" {
		when = event
	}
	var o Outline
	o.Name = name
	for _, s := range steps {
		if s = tidy(s); strings.ContainsFunc(s, unicode.IsLetter) {
			o.Lines = append(o.Lines, Line{Number: len(o.Lines) + 1, Text: s})
		}
	}
	if len(o.Lines) == 0 {
		return Outline{}, false
	}
	if when != "" {
		o.Lines[0].Text = tidy(when + ", " + o.Lines[0].Text)
	}
	return o, true
}

// tidy puts a step on one line, bounds it, and takes out what no person can have typed.
func tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s[:min(len(s), maxOutline)])
	s = strings.Join(strings.Fields(s), " ")
	s = strings.TrimRight(s, " ;,")
	return shorten(s, maxLineText)
}

// byNumbers cuts at numbers that count up from 1, on lines of their own or in the middle of one.
func byNumbers(text string) (head string, steps []string) {
	if head, steps := byNumberedLines(text); len(steps) > 0 {
		return head, steps
	}
	next, from := 1, -1
	for _, m := range inline.FindAllStringSubmatchIndex(text, -1) {
		n, err := strconv.Atoi(text[m[2]:m[3]])
		if err != nil || n != next {
			continue
		}
		if from < 0 {
			head = text[:m[0]]
		} else {
			steps = append(steps, text[from:m[0]])
		}
		from, next = m[1], next+1
	}
	if from < 0 {
		return "", nil
	}
	return head, append(steps, text[from:])
}

// byNumberedLines takes every line that begins with a number as a step; lines without one go on with the step before. It is
// for lists of several lines, where a number in the middle of a line is not the next step.
func byNumberedLines(text string) (head string, steps []string) {
	lines := strings.Split(text, "\n")
	marked := 0
	for _, l := range lines {
		if m := lineStart.FindStringSubmatch(l); m != nil && m[1] != "" {
			marked++
		}
	}
	if marked < 2 {
		return "", nil
	}
	for _, l := range lines {
		m := lineStart.FindStringSubmatch(l)
		switch {
		case m != nil && m[1] != "":
			steps = append(steps, l[len(m[0]):])
		case len(steps) > 0:
			steps[len(steps)-1] += " " + strings.TrimSpace(l)
		default:
			head += " " + l
		}
	}
	if head != "" && inline.MatchString(head) {
		return "", nil // the first step stands on the line of the name
	}
	return head, steps
}

// byBullets takes every line that begins with a bullet as a step.
func byBullets(text string) (head string, steps []string) {
	if h, rest := cutHead(text); h != "" && !strings.Contains(h, "\n") && lineStart.MatchString(rest) {
		_, steps = byBullets(strings.TrimSpace(rest))
		return h, steps
	}
	for l := range strings.SplitSeq(text, "\n") {
		m := lineStart.FindStringSubmatch(l)
		switch {
		case m != nil && m[1] == "":
			steps = append(steps, l[len(m[0]):])
		case len(steps) > 0:
			steps[len(steps)-1] += " " + strings.TrimSpace(l)
		default:
			head += " " + l
		}
	}
	if len(steps) == 1 {
		steps = inlineBullet.Split(steps[0], -1)
	}
	return head, steps
}

var inlineBullet = regexp.MustCompile(`\s[-*•–]\s+`)

// byArrows cuts at arrows.
func byArrows(text string) (head string, steps []string) {
	parts := arrow.Split(text, -1)
	if len(parts) < 2 {
		return "", nil
	}
	head, parts[0] = cutHead(parts[0])
	if m := inlineBullet.FindStringIndex(" " + parts[0]); m != nil && m[0] == 0 {
		parts[0] = strings.TrimLeft(parts[0], "-*•– ")
	}
	return head, parts
}

// byLines takes every line behind a line that ends in a colon as a step, or the rest of a single line behind its name.
func byLines(text string) (head string, steps []string) {
	head, rest := cutHead(text)
	if head == "" {
		return "", nil
	}
	for l := range strings.SplitSeq(rest, "\n") {
		if strings.TrimSpace(l) != "" {
			steps = append(steps, l)
		}
	}
	if len(steps) == 1 && strings.Contains(steps[0], ", ") {
		return head, atCommas(steps[0])
	}
	return head, steps
}

// cutHead cuts at the first colon that ends a word.
func cutHead(text string) (head, rest string) {
	for i, r := range text {
		if r == ':' && (i+1 == len(text) || strings.ContainsRune(" \n\t", rune(text[i+1]))) {
			return text[:i], text[i+1:]
		}
	}
	return "", text
}

// byCommas reads prose: steps between commas and "then". Because most sentences are no flow, one part must begin as only a
// step does, or the whole with a time.
func byCommas(text string) (head string, steps []string) {
	when, rest := cutStart(text)
	steps = atCommas(rest)
	if when == "" && (len(steps) < 2 || !slices.ContainsFunc(steps, startsAsStep)) {
		return "", nil
	}
	return when, steps
}

var comma = regexp.MustCompile(`(?i)[,;\n]\s+(?:and\s+)?(?:then\s+)?|\s+(?:and\s+)?then\s+`)

// atCommas cuts prose into steps. What begins with "otherwise" belongs to the step before it, and so does a comma inside a
// condition or behind a name.
func atCommas(text string) []string {
	var out []string
	for _, part := range comma.Split(text, -1) {
		if len(out) > 0 && belongsBefore(out[len(out)-1], part) {
			out[len(out)-1] += ", " + part
			continue
		}
		if strings.TrimSpace(part) != "" {
			out = append(out, part)
		}
	}
	return out
}

func belongsBefore(before, part string) bool {
	words, last := scan(part), scan(before)
	if len(words) == 0 || len(last) == 0 {
		return false
	}
	if indexOf(words[:1], 0, "otherwise", "else", "or", "if") == 0 && !begins(words, "if") {
		return true
	}
	return isIf(last) && indexOf(last, 0, "ask", "tell", "say", "then", ",") < 0 || words[0].kind == nameWord
}

func startsAsStep(step string) bool {
	words := scan(step)
	return begins(words, "ask") || begins(words, "tell") || isIf(words) || begins(words, "then")
}

// readHead finds a name, and what starts the flow, in the words before the steps.
func readHead(head string) (name, when string) {
	head = strings.TrimSpace(head)
	if before, _ := cutHead(head + " "); before != "" {
		if w, rest := cutStart(strings.TrimSpace(head[len(before)+1:])); w != "" && strings.TrimSpace(rest) == "" {
			when = w
		}
		head = before
	}
	if when == "" {
		when, head = findSchedule(head)
	}
	if when == "" {
		when, head = findEvent(head)
	}
	words := strings.Split(flow.Slug(fold(head)), "-")
	for len(words) > 0 && headWords[words[0]] {
		words = words[1:]
	}
	words = strings.Split(slug(strings.Join(words, "-")), "-")
	for len(words) > 1 && headWords[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return strings.Join(words, "-"), when
}

// headWords say that a flow is meant, not which.
var headWords = wordSet("new a an the please make create draft workflow flow called named for me us steps")

// slug makes a name of words, cut at a hyphen when it is long.
func slug(words string) string {
	s := flow.Slug(fold(words))
	if len(s) <= maxName {
		return s
	}
	s = s[:maxName+1]
	if i := strings.LastIndexByte(s, '-'); i > 0 {
		return s[:i]
	}
	return s[:maxName]
}

// FlowName is the name of the outline's flow: its own, else made from the words of its first steps.
func FlowName(o Outline) string {
	if s := slug(o.Name); s != "" {
		return s
	}
	for _, plainOnly := range []bool{true, false} {
		for _, l := range o.Lines {
			_, rest := cutStart(l.Text)
			words := scan(rest)
			if len(words) > 0 && (isIf(words) || controlWords[words[0].low]) {
				if plainOnly {
					continue
				}
				rest = rest[words[0].end:]
			}
			if s := slug(strings.ReplaceAll(wish(rest), "_", " ")); s != "" {
				return s
			}
		}
	}
	return "flow"
}

// controlWords begin steps that say little about what a flow is for.
var controlWords = wordSet("ask tell say wait stop go otherwise else")

// String writes the outline as people copy and change it: the name, then a numbered step on each line.
func (o Outline) String() string {
	var b strings.Builder
	if o.Name != "" {
		b.WriteString(o.Name + ":\n")
	}
	for i, l := range o.Lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strconv.Itoa(l.Number) + ". " + l.Text)
	}
	return b.String()
}
