package plan

import (
	"regexp"
	"slices"
	"strings"
)

// A gate's answer as a condition of the step behind it: "if approved ...", "if they say no ...", "if red ...".
var (
	answerSubject = regexp.MustCompile(`(?i)^(?:if|when|unless)\s+(?:(?:it|this|that|they|he|she|the answer|[@#][\p{L}\p{N}._-]+)\s+)?(?:(?:is|was|has been|gets|says?|said|answers?|chooses?|are)\s+)?`)
	positive      = wordSet("approved approve approves approved accepted accepts accept confirmed confirms confirm agreed agrees agree yes ok okay allowed")
	negative      = wordSet("rejected rejects reject declined declines decline denied denies deny refused refuses refuse no disapproved")
)

// answered reads an if that asks for the answer of the question before it. good tells whether it is about the first choice.
func answered(text string, before *asking) (rest string, good, ok bool) {
	if before == nil || before.choices == nil {
		return "", false, false
	}
	head := answerSubject.FindString(text)
	if head == "" {
		return "", false, false
	}
	words := scan(text[len(head):])
	not := false
	for len(words) > 0 && words[0].low == "not" {
		not, words = !not, words[1:]
	}
	if len(words) < 2 {
		return "", false, false
	}
	said := words[0].low
	if words[0].kind == quotedWord {
		said = strings.ToLower(words[0].text)
	}
	at := slices.Index(before.choices, said)
	switch {
	case positive[said] && at <= 0, at == 0:
		good = true
	case negative[said] && at != 0, at == 1 && len(before.choices) == 2:
	default:
		return "", false, false
	}
	if strings.HasPrefix(strings.ToLower(head), "unless") {
		not = !not
	}
	words = words[1:]
	for len(words) > 0 && (words[0].low == "then" || words[0].kind == signWord) {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", false, false
	}
	return text[len(head)+words[0].start:], good != not, true
}

// answer takes a line that begins with such an if into the question before it: what is done for the first choice goes on behind
// the question, what is done for the others takes the place of the message that ends the run.
func (b *builder) answer(all []statement, n int, text string, doable splitter) ([]statement, bool) {
	if len(all) == 0 || all[len(all)-1].ask == nil || len(all[len(all)-1].other) > 0 {
		return all, false
	}
	gate := &all[len(all)-1]
	rest, good, ok := answered(text, gate.ask)
	if !ok {
		return all, false
	}
	then, other := rest, ""
	words := scan(rest)
	if i := indexOf(words, 1, "otherwise", "else"); i > 0 && i+1 < len(words) {
		then, other = trimJoint(rest[:words[i].start]), strings.TrimLeft(rest[words[i+1].start:], ",: ")
	}
	if !good {
		then, other = other, then
	}
	if other != "" {
		gate.other = branch(n, other, doable)
	}
	if then != "" {
		all = append(all, branch(n, then, doable)...)
	}
	return all, true
}
