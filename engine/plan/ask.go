package plan

import (
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
)

// readAsk reads what stands behind "ask": names, then what they are asked for. It gives nil when that is no question.
func readAsk(text string, words []word) *asking {
	a := &asking{}
	words = a.limit(words)
	words = a.names(words)
	if len(words) == 0 {
		a.choices = flow.DefaultChoices()
		return a
	}
	rest := words[1:]
	switch head := words[0].low; {
	case head == "to" && len(rest) > 0:
		a.task(text, rest)
	case (head == "if" || head == "whether") && len(rest) > 0:
		a.choices, a.about = []string{"yes", "no"}, span(text, rest)
	case head == "for" && len(rest) > 0 && consent[rest[0].stem]:
		a.choices, a.about = flow.DefaultChoices(), span(text, withoutJoint(rest[1:]))
	case head == "for" && len(rest) > 0:
		a.field = span(text, withoutArticle(rest))
	case len(a.who) == 0:
		return nil
	default:
		if head == ":" || head == "," || head == "about" {
			words = rest
		}
		a.open, a.about = true, unquoted(text, words)
	}
	if a.open && a.about == "" {
		return nil
	}
	return a
}

var (
	consent  = wordSet("approval permission confirmation consent ok okay agreement release")
	agreeing = wordSet("approve confirm accept agree allow release permit authorise authorize")
	choosing = wordSet("choose pick select decide")
)

// task reads what stands behind "to".
func (a *asking) task(text string, words []word) {
	switch {
	case agreeing[words[0].low], begins(words, "sign", "off"):
		n := 1
		if words[0].low == "sign" {
			n = 2
		}
		a.about = span(text, withoutJoint(words[n:]))
	case choosing[words[0].low]:
		if a.choices = readChoices(text, words[1:]); a.choices != nil {
			a.about = span(text, words)
			return
		}
		a.about, a.request = span(text, words), true
	default:
		a.about, a.request = span(text, words), true
	}
	a.choices = flow.DefaultChoices()
}

// reserved are what a gate becomes without a person.
var reserved = wordSet("timeout superseded cancelled")

// readChoices reads "red or blue" and "red, blue or green".
func readChoices(text string, words []word) []string {
	between := begins(words, "between")
	for len(words) > 0 && (words[0].low == "between" || words[0].low == "from" || words[0].low == ":") {
		words = words[1:]
	}
	var out []string
	from := 0
	add := func(to int) bool {
		c := strings.ToLower(shorten(unquoted(text, withoutArticle(words[from:to])), 40))
		if c == "" || reserved[c] || slices.Contains(out, c) {
			return false
		}
		out = append(out, c)
		return true
	}
	for i, w := range words {
		if w.low != "or" && w.low != "," && (w.low != "and" || !between) {
			continue
		}
		if from < i && !add(i) {
			return nil
		}
		from = i + 1
	}
	if from >= len(words) || !add(len(words)) || len(out) < 2 || len(out) > 10 {
		return nil
	}
	return out
}

// limit takes "within 2 hours" off the end.
func (a *asking) limit(words []word) []word {
	i := indexOf(words, 0, "within")
	if i < 0 {
		return words
	}
	d, rest := readDuration(words[i+1:])
	if d.IsZero() || len(rest) > 0 {
		return words
	}
	a.deadline = d
	return words[:i]
}

// names reads who is asked: @names, #channels or plain words, joined by commas, "or" and "and".
func (a *asking) names(words []word) []word {
	words = a.count(words)
	var joint string
	for len(words) > 0 {
		w := words[0]
		switch {
		case w.kind == signWord && w.low == "," || w.kind == plainWord && (w.low == "or" || w.low == "and"):
			joint, words = w.low, words[1:]
			a.all = a.all || joint == "and" && a.quorum == 0
		case w.kind == nameWord:
			a.who, words, joint = append(a.who, w.text), words[1:], ""
		case w.kind == plainWord && skipped[w.low] && len(words) > 1:
			words = words[1:]
		case w.kind == plainWord && !behindNames[w.low] && (len(a.who) == 0 || joint != ""):
			a.who, words, joint = append(a.who, w.text), words[1:], ""
		default:
			return words
		}
	}
	return words
}

// count reads "two of" and "anyone in" before the names.
func (a *asking) count(words []word) []word {
	if len(words) > 2 && words[1].low == "of" {
		if n, ok := countWords[words[0].low]; ok {
			a.quorum = n
			return words[2:]
		}
		if n, err := strconv.Atoi(words[0].text); err == nil && n > 0 && n <= 100 {
			a.quorum = n
			return words[2:]
		}
	}
	if len(words) > 2 && anybody[words[0].low] && (words[1].low == "in" || words[1].low == "of" || words[1].low == "from") {
		return words[2:]
	}
	return words
}

var (
	countWords = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "both": 2, "either": 1}
	anybody    = wordSet("anyone anybody someone somebody one")
	// skipped stand around names without naming anybody.
	skipped = wordSet("the team group people both either")
	// behindNames end the names.
	behindNames = wordSet("to for if whether about what which when how why who where that please")
)

// readApproval reads steps that ask without the word: "get approval from @leads", "@leads approves".
func readApproval(text string, words []word) *asking {
	if i := indexOf(words, 0, "approval", "confirmation", "permission"); i >= 0 && i <= 2 && approvalVerbs[words[0].low] {
		if len(words) == i+1 {
			return &asking{choices: flow.DefaultChoices()}
		}
		if head := words[i+1].low; (head == "from" || head == "by" || head == "of") && len(words) > i+2 {
			a := &asking{choices: flow.DefaultChoices()}
			if rest := a.names(a.limit(words[i+2:])); len(a.who) > 0 {
				a.about = span(text, withoutJoint(rest))
				return a
			}
		}
		return nil
	}
	if len(words) > 1 && words[0].kind == nameWord {
		a := &asking{choices: flow.DefaultChoices()}
		rest := a.names(a.limit(words))
		for len(rest) > 0 && (rest[0].low == "must" || rest[0].low == "has" || rest[0].low == "have" || rest[0].low == "to") {
			rest = rest[1:]
		}
		if len(rest) > 0 && agreeing[strings.TrimSuffix(rest[0].stem, "s")] {
			a.about = span(text, rest[1:])
			return a
		}
	}
	return nil
}

var approvalVerbs = wordSet("get request require wait needs need approval confirmation permission obtain")

// withoutJoint drops words that only lead to what is approved.
func withoutJoint(words []word) []word {
	for len(words) > 0 && (words[0].low == "of" || words[0].low == "for" || words[0].low == "it" || words[0].low == "this" || words[0].low == "to" || words[0].low == ":") {
		words = words[1:]
	}
	return words
}

func withoutArticle(words []word) []word {
	for len(words) > 0 && (words[0].low == "the" || words[0].low == "a" || words[0].low == "an" || words[0].low == "its" || words[0].low == "their") {
		words = words[1:]
	}
	return words
}

// readTell reads what stands behind "tell": to whom, then what.
func readTell(text string, words []word) *telling {
	a := &asking{}
	rest := a.names(words)
	if len(a.who) == 0 {
		return nil
	}
	if len(rest) > 0 && (rest[0].low == "that" || rest[0].low == ":" || rest[0].low == "about") {
		rest = rest[1:]
	}
	return &telling{to: a.who, text: unquoted(text, rest)}
}
