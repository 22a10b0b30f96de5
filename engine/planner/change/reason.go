package change

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/quantity"
	"sluice/engine/planner/tree"
)

// longestReason is how many bytes a reply has at most that says why: a longer one is no wish in a sentence.
const longestReason = 400

// reason is the pattern of a clause that only says why something is changed: "mia is on leave", "10 minutes is too long".
const reason = `(?:(?:because|since|as) )?((?:[^\s,;]+ ){0,3}[^\s,;]+?)(?: is| are|'s|’s| will be)(?: still| currently| already)? ` +
	`(?:(out|away|off|gone|ill|sick|unavailable|not here|not there|on (?:a )?(?:holidays?|vacation|(?:sick |parental )?leave))|too [a-z]+|a bad (?:day|time)|not enough|no good)` +
	`(?: (?:this|next) (?:week|month)| today| tomorrow| for now| at the moment| (?:until|till|til) [^,;]+?)*`

// because finds a clause behind a change that says why: "tell #finance, too, they asked for it". Without a comma it belongs to the change.
var because = regexp.MustCompile(`(?is)^\s*(.+?)\s*[,;–-]+\s+((?:because |since |as )?(?:he|she|they|it|we|i|@?\pL+)(?:(?:'s|’s|'re|’re| is| are) (?:waiting|asking|slow|fast|busy|new|enough|better|fine|late|early|closed|too \pL+|a (?:\pL+ )?holiday|the (?:boss|owner|expert))|(?: always| often)? (?:needs?|wants?|waits?|asked|forgets?|knows?|likes?|cares?|takes? too|(?:do|does)n['’]t (?:care|need|want|know)))\b[^,;.]*)[.!]*\s*$`)

// demands finds a clause that says what somebody does, and not why.
var demands = regexp.MustCompile(`(?i)^@|\b(?:needs?|wants?|asked) to\b`)

// leads are words in front of what is done, and not of a reason.
var leads = phrase.Set(`otherwise else then also and but please if when not or afterwards finally instead`)

// beforeReason cuts the clause that says why off the end of a change; why "" = it has none, or one that may be something else.
func beforeReason(text string) (wish, why string) {
	m := because.FindStringSubmatch(text)
	if m == nil || strings.ContainsAny(m[1], `"“:`) || leads[strings.ToLower(strings.Fields(m[2])[0])] || demands.MatchString(m[2]) {
		return text, ""
	}
	return m[1], m[2]
}

// A reason stands in front of a change, or behind it; or a change says only that something else is better, or enough.
var (
	reasonFirst = words(reason + `\s*[,;.:–-]+\s*(?:so )?(.+)`)
	reasonLast  = words(`(.+?)\s*[,;.–-]+\s*` + reason)
	better      = words(`(?:(\d\S*(?: \pL+)?) (?:is|would be) better(?: than (\d\S*(?: \pL+)?))?|better (?:at |on )?(.+))`)
	enough      = words(`(\S[^,;]*?) (?:is|are) (?:enough|plenty|sufficient)`)
)

// quits finds that somebody is not there any more.
var quits = regexp.MustCompile(`(?i) (?:has |have )?(?:left(?: (?:the company|us))?|(?:no longer works|does(?:n['’]?t| not) work) here(?: any ?more)?)([,;.])`)

// replacement finds who or what comes in place of what the reason is about, and whether that person approves.
var replacement = regexp.MustCompile(`(?i)^(?:(?:please )?(?:use|ask|take|let|make it|have|try|do) )?(?:it be )?(\S+(?: \S+)??)` +
	`(?: (?:(?:can |will |should |must )?(?:does?|takes?|answers?|(approves?)|handles?|covers?)(?: it| that| over| for (?:him|her|them))?|(?:is|are) (?:enough|plenty|fine)|will do|instead|for now|then|for that))*$`)

// withoutReason gives a change without the clause that says why, as a form says it; "" = it has none. Who is away, or what is too long, is
// what the change takes the place of; but who approves takes no task over.
func withoutReason(d draft, text string) string {
	text = quits.ReplaceAllString(text, " is gone$1")
	of, away, rest := "", "", ""
	if m := reasonFirst().FindStringSubmatch(text); m != nil {
		of, away, rest = m[1], m[2], m[3]
	} else if m := reasonLast().FindStringSubmatch(text); m != nil {
		rest, of, away = m[1], m[2], m[3]
	}
	if m := enough().FindStringSubmatch(text); m != nil && rest == "" {
		return "make it " + m[1]
	}
	if m := better().FindStringSubmatch(text); m != nil && m[2] != "" {
		return m[1] + " instead of " + m[2]
	} else if m != nil {
		return m[1] + m[3] + " instead"
	}
	now := replacement.FindStringSubmatch(strings.TrimRight(rest, ".! "))
	if now == nil || now[2] != "" && !approvedBy(&d, of) {
		return rest
	}
	was, counted := quantity.Of(of)
	next, counts := quantity.Of(now[1])
	if away != "" && !strings.Contains(now[1], " ") || counted && counts && next.Follows(was) {
		return now[1] + " instead of " + of
	}
	return rest
}

// approvedBy reports whether somebody is asked to approve, and does nothing else.
func approvedBy(d *draft, who string) bool {
	name := d.present(who)
	of := d.all(func(s *tree.Step) bool { return isName(s.Who, name) })
	return len(of) > 0 && !slices.ContainsFunc(of, func(s *tree.Step) bool { return !s.Approves() })
}
