package direct

import (
	"errors"
	"regexp"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/change"
)

// Change is a change of a flow.
type Change struct {
	// Flows are the flows that the words may mean, the likeliest first: they differ in where they write the same words.
	Flows []*flow.Flow
	Said  string // what is different, in a sentence
}

// form is one way to ask for a change.
type form struct {
	pattern *regexp.Regexp
	step    int // which group of the pattern names the step; 0 = none does
	do      func(c *changing, n *flow.Node, m []string) error
}

const step = `(?:the )?(?:step |node )?(.+?)`

// forms are tried in order.
var forms = []form{
	{words(`(?:remove|delete|drop|take out|leave out) ` + step), 1, (*changing).remove},
	{words(`rename ` + step + ` (?:to|as|into) (.+)`), 1, (*changing).rename},
	{words(step + ` should (?:say|read|ask|do|be told)(?: that)?\s*:?\s+(.+)`), 1, (*changing).reword},
	{words(`(?:step )?([0-9]+[a-z]*)\s*[.:)]\s+(.+)`), 1, (*changing).reword},
	{words(`(?:(?:add|insert|put) )?(before|after) (?:the )?(?:step |node )?([^:,]+?)\s*[:,]\s*(.+)`), 2, (*changing).add},
	{words(`(?:set|change) (?:the )?(.+?) (?:of|in|for) ` + step + ` to:?\s+(.+)`), 2, (*changing).set},
	{words(`in ` + step + `,? (?:change|replace) (.+?) (?:to|with|by) (.+)`), 1, func(c *changing, n *flow.Node, m []string) error { return c.exchange(texts(c.f, n), m[2], m[3]) }},
	{words(`(?:change|replace) (.+?) (?:to|with|by) (.+)`), 0, func(c *changing, _ *flow.Node, m []string) error { return c.replace(m[1], m[2]) }},
	{words(`(?:make it |use |say )?(.+?),? (?:instead of|rather than) (.+)`), 0, func(c *changing, _ *flow.Node, m []string) error { return c.replace(m[2], m[1]) }},
}

// words compiles a pattern that all of a text must fit.
func words(pattern string) *regexp.Regexp {
	return change.Pattern(`(?:also,? +)?` + pattern + `(?:,? +(?:please|pls|thanks))?`)
}

// changing is one change under way.
type changing struct {
	f      *flow.Flow
	number map[string]string
	change Change
}

// Apply gives the change of a flow that words ask for. number has the number by which people know each node. change.ErrNone: the words are no
// change. A *change.Error says why a change cannot be made.
func Apply(f *flow.Flow, number map[string]string, text string) (Change, error) {
	for _, form := range forms {
		m := form.pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		c := &changing{f: f, number: number}
		var n *flow.Node
		var err error
		if form.step > 0 {
			n, err = c.step(m[form.step])
		}
		if err == nil {
			err = form.do(c, n, m)
		}
		if !errors.Is(err, change.ErrNone) {
			return c.change, err
		}
	}
	return Change{}, change.ErrNone
}

// also adds a flow that the words may mean: a copy of the flow with a change.
func (c *changing) also(edit func(f *flow.Flow)) {
	f := c.f.Clone()
	edit(f)
	c.change.Flows = append(c.change.Flows, f)
}

// step finds the step that words name. change.ErrNone: they name none.
func (c *changing) step(said string) (*flow.Node, error) {
	said = strings.TrimSpace(unquoted(said))
	var found []*flow.Node
	for i := range c.f.Nodes {
		n := &c.f.Nodes[i]
		if n.ID == said || c.number[n.ID] != "" && strings.EqualFold(c.number[n.ID], said) || strings.EqualFold(n.DisplayName(), said) {
			found = append(found, n)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, change.Cannot("Several steps are “%s”: name one by its number.", said)
	case number.MatchString(said):
		return nil, change.Cannot("There is no step %s.", said)
	}
	return nil, change.ErrNone
}

var number = regexp.MustCompile(`^[0-9]+[a-z]?$`)

// name is how people know a node.
func (c *changing) name(n *flow.Node) string {
	if number := c.number[n.ID]; number != "" {
		return "step " + number
	}
	return "“" + n.DisplayName() + "”"
}

// unquoted takes quotation marks off.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	for _, marks := range [][2]string{{`"`, `"`}, {"“", "”"}, {"'", "'"}, {"`", "`"}} {
		if inner, ok := strings.CutPrefix(s, marks[0]); ok && len(inner) > 0 {
			if inner, ok = strings.CutSuffix(inner, marks[1]); ok && !strings.Contains(inner, marks[0]) {
				return inner
			}
		}
	}
	return s
}
