package plan

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sluice/engine/flow"
)

// ErrNoChange means that words are no change of a flow.
var ErrNoChange = errors.New("these words change nothing")

// ChangeError says why a change that was understood cannot be made.
type ChangeError struct{ Text string }

// Error gives the reason, a sentence.
func (e *ChangeError) Error() string { return e.Text }

func cannot(format string, args ...any) error {
	return &ChangeError{fmt.Sprintf(format, args...)}
}

// number is how people call a step in a change.
const number = `(?:step\s+)?([0-9]{1,3})`

var (
	changeWho    = regexp.MustCompile(`(?i)^\s*` + number + `\s*[:.,)]?\s+(?:goes\s+to|is\s+for|is\s+asked\s+of|asks)\s+(\S.*?)\s*[.!]?\s*$`)
	changeAsk    = regexp.MustCompile(`(?i)^\s*ask\s+(\S.*?)\s+(?:at|in|for)\s+` + number + `\s*[.!]?\s*$`)
	changeRemove = regexp.MustCompile(`(?i)^\s*(?:remove|delete|drop)\s+` + number + `\s*[.!]?\s*$`)
	changeAdd    = regexp.MustCompile(`(?is)^\s*(?:add|insert)\s+(?:a\s+step\s+)?(after|before|behind)\s+` + number + `\s*[:,.]?\s+(\S.*)$`)
	changeStep   = regexp.MustCompile(`(?is)^\s*` + number + `\s*[.):]\s+(\S.*)$`)
	changeTarget = regexp.MustCompile(`(?i)^(?:step\s+)?([0-9]{1,3}|(?:the\s+)?end)$`)
	nameBreak    = regexp.MustCompile(`\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+`)
)

// ChangeForms are examples of changes that Change understands.
const ChangeForms = "3 goes to @name\n3 goes to 5\n3. new words of the step\nadd after 2: tell #channel\nremove 4\nname: another-name"

// Change makes one edit of a flow that is written already: "3 goes to @name", "3 goes to 5", "3. new words", "add after 2: ...",
// "remove 4", "name: other". The numbers are those of [Lines]. Everything that the words do not name stays as it is. words say what
// changed. An error is ErrNoChange or a *ChangeError; the flow that was given is left alone.
func Change(f *flow.Flow, text string, opt Options) (next *flow.Flow, words string, notes []Note, err error) {
	if len(text) > maxOutline {
		return nil, "", nil, ErrNoChange
	}
	c := &change{builder: &builder{graph: newGraph(f.Name), opt: opt, cat: newCatalogue(opt.Tools), nothing: true, arrivals: map[int]known{}, entered: map[int]bool{}}}
	c.next, c.numbers = f.Clone(), Lines(f)
	words, err = c.apply(text)
	if err != nil {
		return nil, "", nil, err
	}
	if c.next.MaxVisits == 0 && (&graph{flow: c.next}).cyclic() {
		c.next.MaxVisits = cycleVisits
	}
	if problems := flow.Validate(c.next, checks()).Errors(); len(problems) > 0 {
		return nil, "", nil, cannot("The flow would not hold together any more: %s.", problems[0].Message)
	}
	return c.next, words, c.notes, nil
}

// change is one edit of a graph. Its builder makes the nodes of new words.
type change struct {
	*builder
	next    *flow.Flow
	numbers map[int][]string
}

func (c *change) apply(text string) (string, error) {
	if m := editName.FindStringSubmatch(text); m != nil {
		c.next.Name = slug(m[1])
		return "the name is now " + c.next.Name, nil
	}
	if m := changeWho.FindStringSubmatch(text); m != nil {
		if to := changeTarget.FindStringSubmatch(m[2]); to != nil {
			return c.at(m[1], func(s segment) (string, error) { return c.leadTo(s, to[1]) })
		}
		return c.at(m[1], func(s segment) (string, error) { return c.people(s, m[2]) })
	}
	if m := changeAsk.FindStringSubmatch(text); m != nil {
		return c.at(m[2], func(s segment) (string, error) { return c.people(s, m[1]) })
	}
	if m := changeRemove.FindStringSubmatch(text); m != nil {
		return c.at(m[1], c.remove)
	}
	if m := changeAdd.FindStringSubmatch(text); m != nil {
		return c.at(m[2], func(s segment) (string, error) { return c.insert(s, strings.EqualFold(m[1], "before"), m[3]) })
	}
	if m := changeStep.FindStringSubmatch(text); m != nil {
		return c.at(m[1], func(s segment) (string, error) { return c.reword(s, m[2]) })
	}
	return "", ErrNoChange
}

// segment is the nodes that share a number; the first is its head.
type segment struct {
	number int
	ids    []string
}

func (s segment) head() string { return s.ids[0] }

// at finds a step by its number.
func (c *change) at(digits string, do func(segment) (string, error)) (string, error) {
	n, err := strconv.Atoi(digits)
	if err != nil || len(c.numbers[n]) == 0 {
		return "", cannot("There is no step %s; the picture shows the numbers.", digits)
	}
	return do(segment{n, c.numbers[n]})
}

// people puts others in the place of who is asked at a step.
func (c *change) people(s segment, names string) (string, error) {
	var asked *flow.Node
	for _, id := range s.ids {
		switch n := c.next.Node(id); n.Spec.(type) {
		case *flow.ApprovalSpec, *flow.AskSpec:
			if asked != nil {
				return "", cannot("Step %d asks more than once; say it in the file.", s.number)
			}
			asked = n
		}
	}
	if asked == nil {
		return "", cannot("Step %d asks nobody.", s.number)
	}
	who := nameBreak.Split(strings.TrimSpace(names), -1)
	for i, name := range who {
		if strings.ContainsAny(strings.TrimSpace(name), " \t\n") {
			return "", ErrNoChange
		}
		who[i] = c.person(strings.TrimSpace(name), s.number)
	}
	if len(c.notes) > 0 {
		return "", &ChangeError{c.notes[0].Text}
	}
	now := c.whoOf(who, 0)
	switch spec := asked.Spec.(type) {
	case *flow.ApprovalSpec:
		keepWho(now, spec.Who)
		spec.Who = now
	case *flow.AskSpec:
		keepWho(now, spec.Who)
		spec.Who = now
	}
	return fmt.Sprintf("step %d asks %s", s.number, list(who, "or")), nil
}

// leadTo lets the one way out of a step lead to another step, or to the end.
func (c *change) leadTo(s segment, target string) (string, error) {
	to, words := flow.End, "the end"
	if n, err := strconv.Atoi(target); err == nil {
		if len(c.numbers[n]) == 0 {
			return "", cannot("There is no step %d; the picture shows the numbers.", n)
		}
		to, words = c.numbers[n][0], fmt.Sprintf("step %d", n)
	}
	out, err := c.wayOut(s)
	if err != nil {
		return "", err
	}
	c.lead(s.ids, out, to)
	return fmt.Sprintf("step %d leads to %s", s.number, words), nil
}

// remove takes a step out: what led to it leads to what came after it.
func (c *change) remove(s segment) (string, error) {
	out, err := c.free(s)
	if err != nil {
		return "", err
	}
	name := c.next.Node(s.head()).DisplayName()
	c.takeOut(s, out)
	return fmt.Sprintf("step %d (%s) is removed", s.number, quote(name)), nil
}

// insert puts the nodes of words before or after a step.
func (c *change) insert(s segment, before bool, words string) (string, error) {
	if before {
		entry, exits, err := c.build(s, words, false)
		if err != nil {
			return "", err
		}
		head := s.head()
		c.redirect(head, entry)
		c.splice(s, exits, head, true)
		return fmt.Sprintf("new before step %d: %s", s.number, quote(tidy(words))), nil
	}
	out, err := c.wayOut(s)
	if err != nil {
		return "", err
	}
	entry, exits, err := c.build(s, words, true)
	if err != nil {
		return "", err
	}
	c.lead(s.ids, out, entry)
	c.splice(s, exits, out, false)
	return fmt.Sprintf("new after step %d: %s", s.number, quote(tidy(words))), nil
}

// reword puts the nodes of new words in the place of a step. What a step of the same kind had beside its words stays.
func (c *change) reword(s segment, words string) (string, error) {
	out, err := c.free(s)
	if err != nil {
		return "", err
	}
	entry, exits, err := c.build(s, words, false)
	if err != nil {
		return "", err
	}
	was := *c.next.Node(s.head())
	c.splice(s, exits, out, false)
	c.takeOut(s, entry)
	if now := c.next.Node(entry); now.Kind == was.Kind {
		keepNode(c.next, now, &was)
	}
	return fmt.Sprintf("step %d is now %s", s.number, quote(tidy(words))), nil
}
