package change

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// ordinals are words for the place of a step; -1 is the last one.
var ordinals = map[string]int{
	"first": 1, "1st": 1, "one": 1, "second": 2, "2nd": 2, "two": 2, "third": 3, "3rd": 3, "three": 3, "fourth": 4, "4th": 4, "four": 4, "fifth": 5, "5th": 5, "five": 5,
	"sixth": 6, "6th": 6, "six": 6, "last": -1, "final": -1,
}

var ordinal = regexp.MustCompile(`(?i)^(?:the |step )*(` + strings.Join(slices.Sorted(maps.Keys(ordinals)), "|") + `)(?: (?:step|one|item|task|thing|action|(message|notification|approval|question)))?$`)

// nth gives the id of the step that is meant by its place: "the last step"; "" = none is.
func (d *draft) nth(words string) (string, error) {
	m := ordinal.FindStringSubmatch(strings.TrimSpace(words))
	if m == nil || len(d.t.Steps) == 0 {
		return "", nil
	}
	n := ordinals[strings.ToLower(m[1])]
	if m[2] != "" { // the last message
		of := d.all(func(s *tree.Step) bool { return phrase.MentionsWords(kinds[s.Kind], m[2]) })
		if n < 0 {
			n = len(of)
		}
		if n > len(of) || n < 1 {
			return "", nil
		}
		return of[n-1].ID, nil
	}
	if n > 0 {
		return d.numbers[strconv.Itoa(n)], nil
	}
	all := d.all(func(*tree.Step) bool { return true })
	whole, inner := d.t.Steps[len(d.t.Steps)-1].ID, all[len(all)-1].ID
	if whole != inner {
		return "", Cannot("“%s” can be step %s with all below it, or step %s: say which one is meant by its number.", strings.TrimSpace(words), d.names[whole], d.names[inner])
	}
	return whole, nil
}

// name gives the @name or #channel that words of the change are: "@bob", "to bob" where bob is a person; "" = they are something else.
func (d *draft) name(words string) string {
	words = strings.TrimSpace(words)
	if at := atName(words); at != "" && !slices.ContainsFunc(strings.Fields(words[:strings.LastIndex(words, at)]), func(w string) bool { return !leading[strings.ToLower(w)] }) {
		return at
	}
	bare := strings.ToLower(strings.Trim(words, ".,!"))
	if slices.Contains(d.t.Texts[d.text].People, bare) {
		return "@" + bare
	}
	return ""
}

// leading are words before a name that say nothing of their own in an exchange of names.
var leading = map[string]bool{"ask": true, "asking": true, "tell": true, "telling": true, "to": true, "in": true, "on": true, "by": true, "post": true, "it": true, "send": true, "the": true, "use": true, "of": true, "with": true, "notify": true}

// present gives the @name or #channel of the draft that words are: "finance" where @finance is asked, "the supervisor" of a longer name;
// "" = it has none, or several.
func (d *draft) present(words string) string {
	words = strings.TrimSpace(words)
	if name := d.name(words); name != "" || d.named(words) {
		return cmp.Or(name, words)
	}
	bare := func(name string) string { return strings.TrimLeft(name, "@#") }
	rest, longer := strings.CutPrefix(strings.ToLower(words), "the ")
	var whole, part []string
	for s := range d.t.Walk {
		for _, n := range s.Names() {
			switch {
			case strings.EqualFold(bare(n.Is), words):
				whole = append(whole, n.Is)
			case strings.EqualFold(bare(n.Words), words):
				whole = append(whole, n.Words)
			case longer && phrase.MentionsWords(n.Words, rest) && !slices.Contains(part, n.Words):
				part = append(part, n.Words)
			}
		}
	}
	if len(whole) > 0 || len(part) != 1 {
		part = whole
	}
	return strings.Join(part[:min(1, len(part))], "")
}

// amount puts a number into the place of the only one that is compared: "make it 300".
func (c *changing) amount(m []string) error {
	var bounds []string // the different numbers, as they are written
	at := c.all(func(s *tree.Step) bool {
		here := len(bounds)
		for _, when := range s.Conds() {
			if _, number := when.Right.Literal.(float64); number && !slices.Contains(bounds, bare(when.Right.Words)) {
				bounds = append(bounds, bare(when.Right.Words))
			}
		}
		return len(bounds) > here
	})
	switch {
	case len(bounds) == 0:
		return ErrNone
	case len(bounds) > 1 || len(at) > 1:
		return Cannot("This flow compares with %s: say which is meant, such as “%s instead of %s”.", strings.Join(bounds, ", "), strings.TrimSpace(m[1]), bounds[0])
	}
	return c.inStep(at[0], bounds[0], bare(m[1]))
}

var digits = regexp.MustCompile(`[0-9](?:[0-9.,]*[0-9])?k?`)

// bare is the number in an amount, without its currency.
func bare(amount string) string {
	return cmp.Or(digits.FindString(amount), strings.TrimSpace(amount))
}

// onlyTerm sets the only duration of a draft: "make it 3 days".
func (c *changing) onlyTerm(m []string) error {
	found := c.all(func(s *tree.Step) bool {
		return s.Kind == tree.Wait && s.For != "" || s.Deadline != nil && s.Deadline.After != ""
	})
	term, ok := values.Term(strings.TrimSpace(m[1]))
	if len(found) != 1 || !ok {
		return ErrNone
	}
	s := found[0]
	c.term(s, m[1], term)
	c.say("The time of step %s is %s.", c.names[s.ID], strings.TrimSpace(m[1]))
	return nil
}

// corrects finds words that say that something else is meant than stands in the draft.
var corrects = regexp.MustCompile(`(?i)^\s*(?:no|nope|wait|actually|sorry|oops|rather|hmm?|i mean|i meant|better)\b|\b(?:instead|approver|reviewer|decider)s?\b`)

// reminder adds a reminder to the only step that people answer, or to all of them: "add a reminder after 4 hours".
func reminder(c *changing, m []string) error {
	words, numbers := "remind them "+m[1]+" "+m[2]+m[3], []string{""}
	if m[3] != "" {
		numbers = c.numbered(c.asking(""))
	}
	for _, n := range numbers {
		if err := c.affected(n, words, c.addText(words)); err != nil {
			return err
		}
	}
	return nil
}

// askOther puts somebody into the place of the only one who is asked: "no wait, ask bob". A person confirms that, unless the words say that
// they correct something.
func (c *changing) askOther(m []string) error {
	gates := c.gates()
	if len(gates) != 1 || slices.ContainsFunc(listed.Split(m[1], -1), func(n string) bool { return !strings.HasPrefix(c.name(n), "@") }) {
		return ErrNone
	}
	return c.handOver(gates[0], m[1], false)
}

// handOver puts somebody into the place of those who answer or do a step. A person confirms that, unless the words are sure or correct something.
func (c *changing) handOver(s *tree.Step, names string, sure bool) error {
	was := s.Who
	if err := c.assign(s, names); err != nil {
		return err
	}
	if !sure && !corrects.MatchString(c.t.Texts[c.text].Words) && len(was) > 0 {
		c.object("other", "step %v goes to %s instead of %s", s, strings.TrimSpace(names), was[0].Words)
	}
	return nil
}

// listed joins names.
var listed = regexp.MustCompile(`(?i)\s*,?\s*\b(?:and|or)\b\s*|\s*,\s*`)

// object asks a person whether something is meant that the words do not name. Steps among the args stand for their numbers; the question goes
// when one of them is gone.
func (d *draft) object(id, format string, args ...any) {
	o := tree.Objection{ID: strconv.Itoa(d.text) + "." + id, Quote: tree.Quote{Text: d.text, To: len(d.t.Texts[d.text].Words)}, Change: true}
	for i, a := range args {
		if s, ok := a.(*tree.Step); ok {
			o.Steps, args[i] = append(o.Steps, s.ID), tree.NumberMark(s.ID)
		}
	}
	o.Text = fmt.Sprintf(format, args...)
	d.t.Objections = append(d.t.Objections, o)
}

// tellToo sends a message to somebody else as well: the only one, or the one that m[2] names: "tell #ops too".
func (c *changing) tellToo(m []string) error {
	tells := c.all(func(s *tree.Step) bool {
		return s.Kind == tree.Tell && (m[2] == "" || c.names[s.ID] == strings.ToLower(m[2]) || phrase.MentionsWords(spoken(s), m[2]))
	})
	names, _, ok := outline.Who(c.t, c.quote(m[1]))
	if !ok {
		return ErrNone
	}
	s, err := c.only(tells, "Messages are sent in the steps %[1]s: say which one %[3]s gets, such as “%[2]s goes to ...”, "+
		"or add a step, such as “add after %[2]s: tell %[3]s ...”.", m[1])
	if err != nil {
		return err
	}
	s.To = append(s.To, names...)
	c.say("Step %s tells %s, too.", c.names[s.ID], strings.TrimSpace(m[1]))
	return nil
}

// inputs adds values that a run is given: "also ask for the end date".
func (c *changing) inputs(m []string) error {
	if len(c.t.Inputs) == 0 {
		return ErrNone
	}
	before := len(c.t.Inputs)
	if !outline.Inputs(c.t, c.quote(m[1])) || len(c.t.Inputs) == before {
		return ErrNone
	}
	c.say("A run is given %s, too.", strings.TrimSpace(m[1]))
	return nil
}

// timeToo adds another schedule: "also on Fridays".
func (c *changing) timeToo(m []string) error {
	g, ok := outline.Trigger(c.t, c.quote(m[1]))
	old := slices.IndexFunc(c.t.Triggers, func(g tree.Trigger) bool { return g.Cron != "" })
	if !ok || g.Cron == "" || old < 0 {
		return ErrNone
	}
	sameClock(&g, c.t.Triggers[old].Cron, m[1])
	c.t.Triggers = append(c.t.Triggers, g)
	c.say("It starts %s, too.", strings.TrimSpace(m[1]))
	return nil
}

var clocked = regexp.MustCompile(`(?i)[0-9]|\b(?:noon|midday|midnight|hour|hourly|minutes?|morning|afternoon|evening|night)`)

// sameClock keeps the time of day of another schedule, when the words of a new one name none.
func sameClock(g *tree.Trigger, other, words string) {
	to, from := strings.Fields(g.Cron), strings.Fields(other)
	if len(to) == 5 && len(from) == 5 && !clocked.MatchString(words) && !strings.ContainsAny(from[0]+from[1], "*/-") {
		to[0], to[1] = from[0], from[1]
		g.Cron = strings.Join(to, " ")
	}
}

// schedule sets a schedule that the words are, and nothing else: "daily"; or what else starts the flow, where that is open.
func (c *changing) schedule(m []string) error {
	g, ok := outline.Trigger(c.t, c.quote(m[1]))
	open := slices.ContainsFunc(c.t.Triggers, func(g tree.Trigger) bool { return g.Open() })
	timed := g.Cron != "" || g.Open() && len(times.Nearest(g.Words)) > 0
	event := slices.IndexFunc(c.t.Triggers, func(g tree.Trigger) bool { return g.Cron == "" && !g.Open() && !g.By })
	switch {
	case !ok || !timed && !open:
		return ErrNone
	case event >= 0:
		return Cannot("This flow starts at no set times: “%s” does. To start it at times instead, write “remove the trigger” first.", c.starts(&c.t.Triggers[event]))
	}
	return c.retime(m)
}

// rewordOnly changes the text of the message or question that words name: "the last message should be ...". Without a name it is the only one.
func (c *changing) rewordOnly(m []string) error {
	kind, of := tree.Tell, "message"
	if strings.EqualFold(m[2], "question") {
		kind, of = tree.Ask, "question"
	}
	nth, err := c.nth(m[1] + m[2])
	who := c.present(m[3])
	fits := c.all(func(s *tree.Step) bool {
		switch {
		case m[1] != "":
			return s.ID == nth
		case c.numbers[strings.ToLower(m[3])] != "":
			return c.names[s.ID] == strings.ToLower(m[3])
		}
		return s.Kind == kind && (m[3] == "" || who != "" && isName(slices.Concat(s.Who, s.To), who))
	})
	if err != nil {
		return err
	}
	s, err := c.only(fits, "There is a %[3]s in the steps %[1]s: say which one is meant, such as “step %[2]s should say ...”.", of)
	if err != nil {
		return err
	}
	return c.reword([]string{"", c.names[s.ID], m[4]})
}

// behind adds a step beside another one that stands first in the words: "after the refund tell bob". Where the one ends and the other begins
// is tried word by word.
func (c *changing) behind(m []string) error {
	fields := strings.Fields(m[2])
	const longest = 6 // words that name a step
	for n := 1; n < len(fields) && n <= longest; n++ {
		where, what := strings.Trim(strings.Join(fields[:n], " "), ",:"), strings.Join(fields[n:], " ")
		if n == 1 && strings.EqualFold(where, "the") || !strings.Contains(m[2], what) || !outline.OnlySteps(c.t, c.quote(what)) {
			continue
		}
		if err := c.add([]string{"", m[1], where, what}); !errors.Is(err, ErrNone) {
			return err
		}
	}
	return ErrNone
}

// together applies several changes that stand in one text: "drop 3 and ask @bob instead". Each of them must be one; a verb of the first one
// is meant in the others, too. An *Error says why one of them cannot be made.
func together(t *tree.Tree, text, author string, people []string) (*tree.Tree, []string, error) {
	why := ErrNone
	for _, split := range []func(string) []string{atVerbs, atStops, atCommas} {
		parts := split(strings.TrimSpace(text))
		if len(parts) < 2 || len(parts) > mostTogether {
			continue
		}
		next, said, verb, ok := t, []string(nil), leadVerb.FindString(parts[0]), true
		for i, part := range parts {
			changed, sentences, err := Apply(next, part, author, people...)
			if errors.Is(err, ErrNone) && i > 0 && verb != "" && !leadVerb.MatchString(part) {
				changed, sentences, err = Apply(next, verb+part, author, people...)
			}
			if ok = err == nil; !ok {
				if i > 0 && !errors.Is(err, ErrNone) { // the others were read
					why = err
				}
				break
			}
			next, said = changed, append(said, sentences...)
		}
		if ok {
			return next, said, nil
		}
	}
	return nil, nil, why
}

const mostTogether = 6 // changes in one text

var (
	stops    = regexp.MustCompile(`[.!;]\s+|\n+`)
	commas   = regexp.MustCompile(`(?i),?\s+(?:and|then|and then)\s+|,\s+`)
	verbs    = regexp.MustCompile(`(?i)(?:[,;]|,?\s+(?:and then|and|then))\s+(change|replace|swap|remove|drop|delete|make|ask|tell|move|add|run|start|call|set|give|remind)\b`)
	leadVerb = regexp.MustCompile(`(?i)^\s*(?:change|replace|swap|remove|drop|delete|ask|tell|move|add)\s+`)
)

func atStops(text string) []string  { return stops.Split(text, -1) }
func atCommas(text string) []string { return commas.Split(text, -1) }

// atVerbs cuts a text where another change begins with its verb: "swap 3 and 4 and drop 1".
func atVerbs(text string) (parts []string) {
	from := 0
	for _, m := range verbs.FindAllStringSubmatchIndex(text, -1) {
		parts, from = append(parts, text[from:m[0]]), m[2]
	}
	return append(parts, text[from:])
}
