package change

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// topics are what changes are about, each with the words that show it.
var topics = sync.OnceValue(func() (all []*regexp.Regexp) {
	for _, words := range []string{
		`deadlines?|time limit|until|within|by|hours?|minutes?|mins?|days?|weeks?|has|have|answers?|late|tomorrow|noon|midnight`,
		`remind(?:er|ers|s)?|nudge|ping|hourly|chase`,
		`approv\w*|sign-off|agrees?|must|need(?:s|ed)?`,
		`reject(?:ed|s)?|decline[ds]?|refuse[ds]?|no|yes|approved|answers`,
		`amounts?|limit|threshold|over|below|under|[0-9]{3,}|[0-9]+k`,
		`run|runs|start|starts|schedule|trigger|every|daily|weekly|weekdays?|monthly|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow`,
		`messages?|says?|text|wording|word`,
		`tell|inform|notify|post|send|channel|note`,
		`fails?|failed|breaks?|broken|errors?|wrong`,
		`inputs?|gives?|enters?|form|asks? for|required|optional`,
		`remove|delete|drop|without|skip|no longer`,
		`move|swap|before|after|first|last|order|parallel|same time`,
		`add|also|too|new`,
	} {
		all = append(all, regexp.MustCompile(`(?i)\b(?:`+words+`)\b`))
	}
	return all
})

// useful are the forms for words that are like none.
var useful = []string{"3. new words of the step", "add after 2: tell #channel", "make it 300 instead of 100", "@name has 2 days to answer", "every Tuesday instead"}

// Nearest gives at most n examples of Forms that are about what a text is about, or share words that say something with it, the nearest
// first. Those that are equally near keep their order. A text that is like none of them gets the most useful forms.
func Nearest(text string, n int) []string {
	said := wordsOf(text)
	near := map[string]int{}
	lines := slices.DeleteFunc(strings.Split(Forms, "\n"), func(line string) bool {
		for _, w := range wordsOf(line) {
			if slices.Contains(said, w) {
				near[line]++
			}
		}
		for _, about := range topics() {
			switch has := about.MatchString(line); {
			case has && about.MatchString(text):
				near[line] += 3
			case has:
				near[line]--
			}
		}
		return near[line] <= 0
	})
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(near[b], near[a]) })
	if len(lines) == 0 {
		lines = useful
	}
	return lines[:min(n, len(lines))]
}

// NearestIn is Nearest for words about a tree: first come those of its steps that the words are like, written so that they can be read.
func NearestIn(t *tree.Tree, text string, n int, people ...string) []string {
	text = strings.TrimRight(strings.TrimSpace(text), ".!")
	if t == nil || text == "" || len(text) > mostNear || quoted.MatchString(text) {
		return Nearest(text, n)
	}
	d := newDraft(t, text, "", people)
	said, best, most := english.Stems(english.Scan(text)), "", 0
	for s := range d.t.Walk {
		shared := 0
		for _, w := range english.Stems(english.Scan(spoken(s))) {
			if slices.Contains(said, w) && len(w) > 2 {
				shared++
			}
		}
		if shared > most {
			best, most = d.names[s.ID], shared
		}
	}
	forms := []string{"in step %s, %s", "%s. %s", "add after %s: %s"}
	if !conditional.MatchString(text) {
		forms = forms[1:]
	}
	var lines []string
	for _, form := range forms {
		line := fmt.Sprintf(form, best, text)
		if made, _, err := Apply(t, line, "", people...); best != "" && err == nil && !slices.ContainsFunc(slices.Collect(made.Walk), func(s *tree.Step) bool {
			return s.Said.Text >= len(t.Texts) && s.Kind == tree.Do && s.Doer == tree.DoerOpen
		}) {
			lines = append(lines, line)
		}
	}
	lines = append(lines, Nearest(text, n)...)
	return lines[:min(n, len(lines))]
}

const mostNear = 120 // letters of words that are shown in a form

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

// charges finds what somebody who is named first has, must do or gets.
var charges = regexp.MustCompile(`(?i)^\s*@\S+ (?:and @\S+ )?(?:only |also )?(?:has|have|gets?|needs?|must|should|approves?|need not|doesn['’]?t|does not|is asked|is told)\b`)

// Charges reports whether a text that begins with a name says what that person has or must do, and not something to them: "@bob has 2 hours".
func Charges(text string) bool {
	return charges.MatchString(text) && !strings.HasSuffix(strings.TrimSpace(text), "?")
}

// alike are words that count as one: names, channels, numbers.
var alike = regexp.MustCompile(`[@#]?[\pL\pN][\pL\pN'’.:_-]*`)

// wordsOf gives the different words of a text that say something. Names and channels count as one word each.
func wordsOf(text string) (out []string) {
	for _, w := range alike.FindAllString(strings.ToLower(text), -1) {
		switch w = strings.TrimRight(w, ".:'’"); {
		case w[0] == '@' || w[0] == '#':
			out = append(out, w[:1])
		case len(w) > 2 && !idleWords[w] && !(english.Word{Kind: english.PlainWord, Low: w}).Stop() && (w[0] < '0' || w[0] > '9'):
			out = append(out, english.Stem(w))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
