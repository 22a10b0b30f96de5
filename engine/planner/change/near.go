package change

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// Nearest gives the n examples of Forms that share most words with a text, the nearest first. Those that are equally near keep their order.
func Nearest(text string, n int) []string {
	said := wordsOf(text)
	shared := func(line string) (count int) {
		for _, w := range wordsOf(line) {
			if slices.Contains(said, w) {
				count++
			}
		}
		return count
	}
	lines := strings.Split(Forms, "\n")
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(shared(b), shared(a)) })
	return lines[:min(n, len(lines))]
}

// asksFor finds words that may ask for a change, and may be a text as well.
var asksFor = regexp.MustCompile(`(?i)^\s*(?:please )?(?:make|move|put|change|set|add|rename|replace|use|start|run|give|leave|it (?:should|must|starts|runs))\b`)

// Recalls reports whether a text may be about the draft: it names somebody or a time, begins like a change, or has a word of a step or of what starts the flow.
func Recalls(t *tree.Tree, text string, people ...string) bool {
	said := english.Stems(english.Scan(text))
	found := len(people) > 0 || values.HoldsTerm(text) || strings.ContainsAny(text, "@#?") || asksFor.MatchString(text)
	shared := func(words string) {
		found = found || slices.ContainsFunc(english.Stems(english.Scan(words)), func(w string) bool { return slices.Contains(said, w) })
	}
	for _, q := range tree.Quotes(t.Triggers) {
		shared(t.Words(q))
	}
	for s := range t.Walk {
		shared(spoken(s))
	}
	return found
}

// duty finds who must do something, what should be, or a step: "both must agree", "the mail should say", "in step 3".
var duty = regexp.MustCompile(`(?i)\b(?:must|should|has to|have to|needs? to|need not|doesn['’]t)\b|\bstep [0-9]`)

// Concerns reports whether a text that answers a question is probably about something else in the draft: it names a step by its number, or
// somebody, or begins like an order or says who must do something. A quoted text is one.
func Concerns(t *tree.Tree, text string, people ...string) bool {
	if quoted.MatchString(text) {
		return false
	}
	d := newDraft(t, text, "", people)
	numbered := slices.ContainsFunc(english.Scan(text), func(w english.Word) bool { return len(w.Low) > 1 && d.numbers[w.Low] != "" })
	return numbered || len(people) > 0 || strings.ContainsAny(text, "@#?") || asksFor.MatchString(text) || duty.MatchString(text) || outline.OnlySteps(d.t, d.quote(text))
}

// alike are words that count as one: names, channels, numbers.
var alike = regexp.MustCompile(`[@#]?[\pL\pN][\pL\pN'’.:_-]*`)

// wordsOf gives the different words of a text. Names, channels and numbers count as one word each.
func wordsOf(text string) []string {
	all := alike.FindAllString(strings.ToLower(text), -1)
	for i, w := range all {
		switch all[i] = strings.TrimRight(w, ".:'’"); {
		case w[0] == '@' || w[0] == '#':
			all[i] = w[:1]
		case w[0] >= '0' && w[0] <= '9':
			all[i] = "0"
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
