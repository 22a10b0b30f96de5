// Package refusal classifies the words of a choice: a refusal, agreement, or neither.
//
// [Named] uses the words alone. The meaning of a choice at a gate also depends on the flow, see flow.Flow.Refusal.
package refusal

import (
	"slices"
	"strings"
	"unicode"
)

// Refusal is the meaning of a gate's choice for the outcome of its run.
type Refusal int

// The kinds of refusals.
const (
	None Refusal = iota
	Weak         // the run is rejected, unless it goes on to do something after it
	Firm         // the run is rejected, unless a later gate decides otherwise
)

// Words of a choice that tell a refusal. The firm ones have no other meaning; the weak ones may also be an answer after which the run
// goes on ("An extra laptop? yes, no").
var (
	refusing = wordSet("reject rejects rejected rejecting decline declines declined deny denies denied refuse refuses refused disapprove disapproved " +
		"veto vetoed disallow disallowed forbid forbidden")
	withholding = wordSet("no nope nay fail fails failed cancel cancelled canceled abort aborted stop stopped cannot cant unable discard discarded dismiss dismissed withdraw withdrawn")
	agreeing    = wordSet("approve approves approved accept accepts accepted yes yep ok okay agree agreed allow allowed confirm confirmed pass passed " +
		"done good fine lgtm ready completed finish finished resolved go continue proceed ship deploy release publish")
	negating = wordSet("no not non never dont doesnt didnt wont cannot cant without")
	// objecting are words that mean agreement after "no": "no objections".
	objecting = wordSet("objection objections concern concerns problem problems issue issues change changes finding findings reservation reservations " +
		"comment comments worries doubts need")
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// marks are the symbols that people use as choices.
var marks = map[string]string{
	"👍": "yes", "✅": "yes", "✔": "yes", ":+1:": "yes", ":thumbsup:": "yes", ":white_check_mark:": "yes", ":heavy_check_mark:": "yes",
	"👎": "no", "❌": "no", "⛔": "no", "🚫": "no", "✖": "no", ":-1:": "no", ":thumbsdown:": "no", ":x:": "no", ":no_entry:": "no", ":no_entry_sign:": "no",
}

// Named classifies a choice by its words alone: a refusal, agreement, or neither.
func Named(choice string) (r Refusal, agrees bool) {
	low := strings.ToLower(choice)
	sign := ""
	for mark, word := range marks {
		if strings.Contains(low, mark) {
			low, sign = strings.ReplaceAll(low, mark, " "), word
		}
	}
	low = strings.NewReplacer("'", "", "’", "", "can not", "cannot").Replace(low)
	words := strings.FieldsFunc(low, func(c rune) bool { return !unicode.IsLetter(c) })
	if len(words) == 0 && sign != "" {
		words = []string{sign}
	}
	negated, by := false, ""
	for i, w := range words {
		switch {
		case refusing[w]:
			return weigh(Firm, negated)
		case negating[w] && i+1 < len(words) && !negated:
			negated, by = true, w
		case objecting[w] && negated:
			return None, true
		case agreeing[w] && !slices.Contains(words, "back"): // "send back", "go back"
			if negated {
				return Firm, false
			}
			return None, true
		case withholding[w]:
			return weigh(Weak, negated)
		}
	}
	if withholding[by] || by == "not" {
		return Weak, false // "no thanks", "not now"
	}
	if len(words) > 1 && words[0] == "turn" && slices.Contains(words, "down") {
		return Firm, false
	}
	return None, false
}

func weigh(r Refusal, negated bool) (Refusal, bool) {
	if negated {
		return None, true // "do not reject"
	}
	return r, false
}
