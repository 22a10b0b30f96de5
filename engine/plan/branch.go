package plan

import "strings"

var ifWords = wordSet("if when unless whenever")

// isIf reports whether the words begin a condition.
func isIf(words []word) bool {
	return len(words) > 1 && words[0].kind == plainWord && ifWords[words[0].low]
}

// continues reports whether a line goes on with the if of the line before.
func continues(text string) bool {
	words := scan(text)
	return len(words) > 1 && words[0].kind == plainWord && (words[0].low == "otherwise" || words[0].low == "else")
}

// withoutOtherwise is what stands behind "otherwise" or "else".
func withoutOtherwise(text string) string {
	words := scan(text)[1:]
	for len(words) > 1 && words[0].kind == signWord {
		words = words[1:]
	}
	return text[words[0].start:]
}

// ifStatement reads "if COND [then] A [otherwise B]". What has no readable condition is kept as it is, to be quoted back.
func ifStatement(n int, text string, words []word, doable splitter) statement {
	s := statement{line: n, text: text}
	body, other := words[1:], ""
	if countIfs(words) > maxIfs {
		s.act = text
		return s
	}
	if i := indexOf(body, 1, "otherwise", "else"); i > 0 && i+1 < len(body) {
		other = strings.TrimLeft(text[body[i+1].start:], ",: ")
		body = body[:i]
	}
	for len(body) > 0 && body[len(body)-1].kind == signWord {
		body = body[:len(body)-1]
	}
	c, rest, ok := splitCondition(text, body, doable)
	if !ok {
		s.act = text
		return s
	}
	if words[0].low == "unless" {
		c = c.negated()
	}
	s.cond, s.then = c, branch(n, rest, doable)
	if strings.TrimSpace(other) != "" {
		s.other = branch(n, other, doable)
	}
	return s
}

const (
	maxIfs       = 6  // conditions inside each other in one line
	maxCondition = 60 // words of a condition
	maxDoable    = 20 // words by which a tool is recognised behind a condition
)

func countIfs(words []word) int {
	n := 0
	for _, w := range words {
		if w.kind == plainWord && ifWords[w.low] {
			n++
		}
	}
	return n
}

// branch reads what one side of a condition does.
func branch(n int, text string, doable splitter) []statement {
	text = trimJoint(text)
	if goingOn.MatchString(text) || text == "" {
		return nil
	}
	return statements(n, text, doable)
}

// splitCondition finds where the condition ends and what is to be done begins: at "then" or a comma, at a verb that only a
// step begins with, else at the first place where the rest is something that a tool does.
func splitCondition(text string, body []word, doable splitter) (*condition, string, bool) {
	try := func(end, from int) (*condition, string, bool) {
		if end < 1 || from >= len(body) {
			return nil, "", false
		}
		c := readCondition(text, body[:end])
		return c, text[body[from].start:body[len(body)-1].end], c != nil
	}
	if i := indexOf(body, 1, "then"); i > 0 {
		end := i
		if body[i-1].low == "," {
			end--
		}
		if c, rest, ok := try(end, i+1); ok {
			return c, rest, true
		}
	}
	begun := func(rest string) bool {
		words := scan(rest)
		return len(words) > 0 && splitVerbs[words[0].low] || readApproval(rest, words) != nil || doable(rest)
	}
	if c, rest, ok := splitAtComma(body, try, begun); ok {
		return c, rest, true
	}
	for i := 1; i < len(body); i++ {
		if splitVerbs[body[i].low] && body[i].kind == plainWord {
			if c, rest, ok := try(i, i); ok {
				return c, rest, true
			}
		}
	}
	if c, rest, ok := splitAtTool(body, text, doable, try); ok {
		return c, rest, true
	}
	return splitAtComma(body, try, func(string) bool { return true })
}

// attempt reads the words before end as a condition; the words from from are what is to be done.
type attempt func(end, from int) (c *condition, rest string, ok bool)

// splitAtComma takes the first comma or colon behind which a step begins. Other commas stand between values.
func splitAtComma(body []word, try attempt, begun func(rest string) bool) (*condition, string, bool) {
	for i := 1; i < len(body); i++ {
		if body[i].kind == signWord && (body[i].low == "," || body[i].low == ":") {
			if c, rest, ok := try(i, i+1); ok && begun(rest) {
				return c, rest, true
			}
		}
	}
	return nil, "", false
}

var splitVerbs = wordSet("ask tell say wait stop go end")

func splitAtTool(body []word, text string, doable splitter, try attempt) (*condition, string, bool) {
	for i := 2; i < min(len(body), maxCondition); i++ {
		rest := text[body[i].start:body[min(len(body), i+maxDoable)-1].end]
		if readApproval(rest, scan(rest)) == nil && (!body[i].content() || !doable(rest)) {
			continue
		}
		if c, rest, ok := try(i, i); ok {
			return c, rest, true
		}
	}
	// Nothing that a tool does: the rest behind a number or a quotation is a step that is not understood.
	for i := len(body) - 1; i > 1; i-- {
		if k := body[i-1].kind; k != numberWord && k != quotedWord && !units[body[i-1].low] {
			continue
		}
		if c, rest, ok := try(i, i); ok {
			return c, rest, true
		}
	}
	return nil, "", false
}

// ownsIf reports whether an if behind these words belongs to them: to a question that is asked, or to the text of a message that
// has begun.
func ownsIf(text string, front []word) bool {
	switch {
	case begins(front, "ask"):
		return indexOf(front, 0, "to", "for") < 0
	case begins(front, "tell"):
		t := readTell(text, front[1:])
		return t == nil || t.text != ""
	}
	return begins(front, "say")
}

// trailingIf reads "A if COND". In a question to people ("ask @leads if the server is up") the if belongs to the question.
func trailingIf(n int, text string, words []word, doable splitter) (statement, bool) {
	for i := 1; i < len(words)-1; i++ {
		if words[i].kind != plainWord || !ifWords[words[i].low] {
			continue
		}
		front := words[:i]
		if front[len(front)-1].low == "only" {
			front = front[:len(front)-1]
		}
		if len(front) == 0 || ownsIf(text, front) {
			return statement{}, false
		}
		c := readCondition(text, words[i+1:])
		if c == nil {
			return statement{}, false
		}
		if words[i].low == "unless" {
			c = c.negated()
		}
		return statement{line: n, text: text, cond: c, then: branch(n, span(text, front), doable)}, true
	}
	return statement{}, false
}
