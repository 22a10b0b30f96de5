package plan

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/tool"
)

// entry is a tool with the words by which it is found.
type entry struct {
	tool    tool.Tool
	phrases [][]string // how people ask for it, and its action as words
	name    []string   // words of its name
	about   []string   // words of its description
	message *messaging // set for the tool that writes to people
}

// catalogue is every tool that words can mean.
type catalogue struct {
	entries []entry
	names   []string
}

func newCatalogue(tools []tool.Tool) *catalogue {
	c := &catalogue{}
	for _, t := range tools {
		if t.Policy == tool.Deny {
			continue
		}
		_, action, found := strings.Cut(t.Name, ".")
		if !found {
			action = t.Name
		}
		e := entry{tool: t, name: nameStems(t.Name), about: stems(scan(t.Description)), message: messagingOf(t)}
		for _, w := range t.Words {
			if p := stems(scan(w)); len(p) > 0 {
				e.phrases = append(e.phrases, p)
			}
		}
		e.phrases = append(e.phrases, nameStems(action))
		c.entries = append(c.entries, e)
		c.names = append(c.names, t.Name)
	}
	slices.SortFunc(c.entries, func(a, b entry) int { return cmp.Compare(a.tool.Name, b.tool.Name) })
	return c
}

// match is how well a tool fits a step.
type match struct {
	entry *entry
	score int
	sure  bool // the step says what the tool does
}

const (
	scorePhrase = 100 // one of the tool's phrases is there in full
	scoreWord   = 10  // each word of that phrase
	scoreName   = 3   // each further word of the step that the name has
	scoreAbout  = 1   // each further word that the description has
)

// matches ranks the tools for the words of a step, best first; those that share nothing with it are left out.
func (c *catalogue) matches(words []word) []match {
	step := stems(words)
	var out []match
	for i := range c.entries {
		if m := c.entries[i].match(step); m.score > 0 {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b match) int {
		if a.sure != b.sure {
			if a.sure {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.score, a.score)
	})
	return out
}

// match compares a step with the tool. It is sure only if the step begins with the verb of the tool: a step that merely names
// the same thing ("cancel the order") means something else.
func (e *entry) match(step []string) match {
	m := match{entry: e}
	if len(step) == 0 {
		return m
	}
	var used []string
	for _, p := range e.phrases {
		if p[0] == step[0] && within(p, step) && (used == nil || len(p) > len(used)) {
			used = p
		}
	}
	if used != nil {
		m.sure, m.score = true, scorePhrase+scoreWord*len(used)
	}
	known := 0
	for _, w := range step {
		switch {
		case slices.Contains(used, w):
			known++
		case slices.Contains(e.name, w) || e.inPhrases(w):
			m.score += scoreName
			known++
		case slices.Contains(e.about, w):
			m.score += scoreAbout
			known++
		}
	}
	if !m.sure && known*3 >= len(step)*2 && known > 1 && (slices.Contains(e.name, step[0]) || e.inPhrases(step[0]) || slices.Contains(e.about, step[0])) {
		m.sure = true
	}
	return m
}

func (e *entry) inPhrases(w string) bool {
	return slices.ContainsFunc(e.phrases, func(p []string) bool { return slices.Contains(p, w) })
}

func (e *entry) knows(w string) bool {
	return slices.Contains(e.name, w) || slices.Contains(e.about, w) || e.inPhrases(w)
}

// within reports whether all words of a phrase stand in the step, in any order.
func within(phrase, step []string) bool {
	return !slices.ContainsFunc(phrase, func(w string) bool { return !slices.Contains(step, w) })
}

// find gives the one tool that a step means. Without one, ambiguous says whether several fit equally well, and nearest names
// the two that come closest.
func (c *catalogue) find(words []word) (found *entry, ambiguous bool, nearest []string) {
	for _, w := range words {
		if w.kind == plainWord && denials[w.low] {
			return nil, false, c.nearest(words)
		}
	}
	all := c.matches(words)
	switch {
	case len(all) == 0 || !all[0].sure:
		return nil, false, c.nearest(words)
	case len(all) > 1 && all[1].sure && all[1].score == all[0].score:
		return nil, true, []string{all[0].entry.tool.Name, all[1].entry.tool.Name}
	}
	return all[0].entry, false, nil
}

// nearest names two tools: those that share words with the step, then those whose names look like it, then any.
func (c *catalogue) nearest(words []word) []string {
	var out []string
	add := func(names ...string) {
		for _, n := range names {
			if len(out) < 2 && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for _, m := range c.matches(words) {
		add(m.entry.tool.Name)
	}
	add(tool.Nearest(strings.Join(stems(words), "_"), c.names, 2)...)
	for _, e := range c.entries {
		if e.message == nil {
			add(e.tool.Name)
		}
	}
	return out
}

// messenger is the tool that writes to people, or nil. Of several the one that is asked for with "tell" wins.
func (c *catalogue) messenger() *entry {
	for i := range c.entries {
		if c.entries[i].message != nil {
			return &c.entries[i]
		}
	}
	return nil
}
