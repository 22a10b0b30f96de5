package match

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// Entry is a tool with the words by which it is found.
type Entry struct {
	Tool    tool.Tool
	phrases []wording
	Name    []string // words of its name
	About   []string // words of its description
	Object  []string // all words of it but the finite
	Params  []env.Param
	Fields  []env.Field
	called  []string        // words of its name and of its phrases
	codes   map[string]bool // numbers and the like in how it describes itself: "365"
	message bool            // it sends messages: words that mean it are a message, not a step of their own
}

// Does says what the tool does.
func (e *Entry) Does() string {
	return cmp.Or(strings.TrimSuffix(e.Tool.Description, "."), e.Tool.Name)
}

// lists reports whether the tool only reads, and gives a list.
func (e *Entry) lists() bool {
	return e.Tool.Effects == flow.EffectsRead && slices.ContainsFunc(e.Fields, func(f env.Field) bool { return f.Typ == "array" })
}

// wording is one way to ask for a tool.
type wording struct {
	stems []string
	own   bool // declared with the tool, not made of its name
}

// same are words that mean the same in front of an object. The table is small on purpose: a wrong entry chooses a wrong tool.
var same = synonyms("get fetch retrieve look load pull", "create make open raise", "delete remove", "update change edit", "search find", "run execute start",
	"ticket issue", "email mail", "production prod", "show display", "doc document", "repo repository")

func synonyms(groups ...string) map[string]string {
	out := map[string]string{}
	for _, g := range groups {
		words := strings.Fields(g)
		for _, w := range words {
			out[english.Stem(w)] = english.Stem(words[0])
		}
	}
	return out
}

// meaning is the word that stands for all of the same meaning.
func meaning(w string) string { return cmp.Or(same[w], w) }

// Catalogue is every tool that words can mean, by name.
type Catalogue struct {
	Entries []Entry
}

// NewCatalogue lists the tools that may be called.
func NewCatalogue(tools []tool.Tool) *Catalogue {
	c := &Catalogue{}
	for _, t := range tools {
		if t.Policy == tool.Deny {
			continue
		}
		e := Entry{
			Tool: t, Name: english.NameStems(t.Name), About: english.Stems(english.Scan(t.Description)),
			Params: env.ParamsOf(t.Params), Fields: env.FieldsOf(t.Result), codes: map[string]bool{}, message: env.MessagingOf(t) != nil,
		}
		for _, w := range english.Scan(strings.Join(append([]string{t.Description}, t.Words...), " ")) {
			e.codes[w.Low] = w.Literal()
		}
		for _, w := range t.Words {
			e.add(english.Stems(english.Scan(w)), true)
		}
		e.add(english.NameStems(t.Name[strings.Index(t.Name, ".")+1:]), false)
		e.called = append(e.called, e.Name...)
		c.Entries = append(c.Entries, e)
	}
	slices.SortFunc(c.Entries, func(a, b Entry) int { return cmp.Compare(a.Tool.Name, b.Tool.Name) })
	return c
}

func (e *Entry) add(p []string, own bool) {
	if len(p) == 0 {
		return
	}
	e.phrases = append(e.phrases, wording{p, own})
	e.called = append(e.called, p...)
	e.Object = append(e.Object, p[1:]...)
	if own && len(e.About) > 0 && e.About[0] == p[0] {
		e.Object = append(e.Object, e.About[1:]...)
	}
}

// coded reports whether words name a thing by nothing but its number: "get the W-9" does not say what a W-9 is.
func coded(words []english.Word) bool {
	code := func(w english.Word) bool {
		return w.Kind == english.PlainWord && w.Literal() && !strings.Contains(w.Text, "@")
	}
	return slices.ContainsFunc(words, code) && !slices.ContainsFunc(words, func(w english.Word) bool { return !w.Stop() && w.Kind != english.SignWord && !code(w) })
}

// Find gives the tool of a name; nil = there is none.
func (c *Catalogue) Find(name string) *Entry {
	if i, ok := slices.BinarySearchFunc(c.Entries, name, func(e Entry, n string) int { return cmp.Compare(e.Tool.Name, n) }); ok {
		return &c.Entries[i]
	}
	return nil
}

// match is how well a tool fits the phrase of a step.
type match struct {
	Entry  *Entry
	score  int
	Sure   bool // the phrase begins with the verb of the tool, and its object fits
	Verb   bool // the phrase begins with the verb of the tool
	Likely bool // so it does, and has only words that the tool knows
	whole  bool // verb and object are a phrase of the tool
}

const (
	scoreSure   = 1e6 // more than all others together
	scorePhrase = 100 // a phrase of the tool is there in full
	scoreWord   = 10  // each word of that phrase
	scoreOwn    = 5   // the phrase is declared, not made of the name
	scoreName   = 3   // each further word that the tool's name or phrases have
	scoreAbout  = 1   // each further word that only the description has
)

// generalVerbs leave open how something is done: says are these verbs, does those of the tools that do it.
type generalVerbs struct{ says, does map[string]bool }

var general = []generalVerbs{
	{english.StemSet("read get look see check collect grab gather pull take find fetch"), english.StemSet("get fetch retrieve list find search check extract")},
	{english.StemSet("decide determine"), english.StemSet("classify categorize check")},
	{english.StemSet("put save store record enter write written make made produce output turn"), english.StemSet("create make write add append insert log update generate draft convert save store record")},
	{english.StemSet("send sent dispatch drop shoot forward return inform notify reply respond mail"), english.StemSet("send email")},
	{english.StemSet("issue make process settle execute paid"), english.StemSet("refund pay")},
	{english.StemSet("open file raise log report"), english.StemSet("create")},
	{receiving, english.StemSet("send email append add insert")},
}

// receiving is said of whom or what something is sent or added to: "the customer gets a mail".
var receiving = english.StemSet("get go goes receive")

var beings = english.WordSet("is are was were be been being gets")

// General marks a general verb as understood where the tool has one of the verbs that do this, and the words name what it deals with: "put
// both into a new document". It is for tools that a model chose from all words: words alone choose no tool so.
func (f *Filling) General() {
	first, object := slices.IndexFunc(f.Words, english.Word.Content), f.Passed
	for i, w := range f.Words { // "the revenue and the order count" is what the tool gives
		f.used[i] = f.used[i] || w.Content() && slices.ContainsFunc(f.Entry.Fields, func(d env.Field) bool { return slices.Contains(d.Stems, w.Stem) })
		object = object || f.used[i] && !w.Stop()
	}
	if first < 0 || !object {
		return
	}
	if _, verb := f.Entry.phrase(english.Stems(f.Words)); verb { // what else it says is something else
		return
	}
	for i, w := range f.Words {
		f.used[i] = f.used[i] || f.Entry.deed(w)
		said := i == first || i > first && (receiving[w.Stem] || beings[f.Words[i-1].Low] || w.Low == "whether" && f.used[i-1])
		f.used[i] = f.used[i] || said && (w.Low == "whether" || slices.ContainsFunc(general, func(g generalVerbs) bool {
			return g.says[w.Stem] && slices.ContainsFunc(f.Entry.phrases, func(p wording) bool { return g.does[p.stems[0]] })
		}))
	}
}

// deed reports whether a noun names what the tool does: "a translation".
func (e *Entry) deed(w english.Word) bool {
	const most = 3 // letters of "ion", or of what stands for it
	stem, noun := strings.CutSuffix(w.Low, "ion")
	return noun && slices.ContainsFunc(e.phrases, func(p wording) bool {
		return strings.HasPrefix(stem, p.stems[0]) && len(stem)-len(p.stems[0]) < most
	})
}

// match compares a phrase with a tool. A verb alone is never sure, unless the tool declares it and nothing else is said: object says
// whether what the verb is done to fits the tool.
func (e *Entry) match(step []string, object bool) match {
	m := match{Entry: e}
	if len(step) == 0 {
		return m
	}
	used, verb := e.phrase(step)
	m.Verb = verb
	m.Likely = verb && (meaning(step[0]) == "email" || !slices.ContainsFunc(step, func(w string) bool { return !e.knows(w) })) // behind "email" stands who gets it
	if used != nil {
		m.score = scorePhrase + scoreWord*len(used.stems)
		if used.own {
			m.score += scoreOwn
		}
		m.whole = len(used.stems) > 1 || used.own && len(step) == 1
	}
	for _, w := range step {
		switch {
		case used != nil && contains(used.stems, w):
		case contains(e.called, w):
			m.score += scoreName
		case contains(e.About, w):
			m.score += scoreAbout
		}
	}
	m.Sure = m.whole || verb && (object || e.objectIn(step[1:]))
	return m
}

// phrase finds the longest phrase of the tool that stands in the step and begins as the step does. verb reports whether any of its phrases
// begins like that.
func (e *Entry) phrase(step []string) (used *wording, verb bool) {
	for i := range e.phrases {
		p := &e.phrases[i]
		if meaning(p.stems[0]) != meaning(step[0]) {
			continue
		}
		verb = true
		all := !slices.ContainsFunc(p.stems, func(w string) bool { return !contains(step, w) })
		if all && (used == nil || len(p.stems) > len(used.stems) || len(p.stems) == len(used.stems) && p.own && !used.own) {
			used = p
		}
	}
	return used, verb
}

// objectIn reports whether a word of a phrase names what the tool deals with.
func (e *Entry) objectIn(rest []string) bool {
	return slices.ContainsFunc(rest, func(w string) bool { return contains(e.Object, w) || contains(e.Name, w) && !contains(e.Name[:1], w) })
}

// contains looks for a word or one that means the same.
func contains(words []string, w string) bool {
	m := meaning(w)
	return slices.ContainsFunc(words, func(o string) bool { return meaning(o) == m })
}

// knows reports whether a word belongs to how the tool describes itself.
func (e *Entry) knows(w string) bool { return contains(e.called, w) || contains(e.About, w) }

// Fits reports whether the tool has the address that it needs: one that sends to any address is never chosen without one in the words.
func (e *Entry) Fits(words []english.Word) bool {
	return !strings.HasPrefix(e.Tool.Name, "http.") || slices.ContainsFunc(words, func(w english.Word) bool { return w.Kind == english.URLWord })
}

// Rank lists all tools, the best for a phrase first.
func (c *Catalogue) Rank(step []string) (out []match) {
	for i := range c.Entries {
		out = append(out, c.Entries[i].match(step, false))
	}
	rank := func(m match) int {
		if m.Sure {
			return m.score + scoreSure
		}
		return m.score
	}
	slices.SortStableFunc(out, func(a, b match) int { return cmp.Compare(rank(b), rank(a)) })
	return out
}

// Does reports whether a tool does what words begin with, to what they name: "deploys the change to production".
func (c *Catalogue) Does(words []english.Word) bool {
	stems := english.Stems(words)
	return slices.ContainsFunc(c.Entries, func(e Entry) bool { return !e.message && e.match(stems, false).Sure })
}

// Choose finds the one tool that the phrase of a step means, with its parameters; nil = none does it, or several do equally well. checked are
// the values that a condition has looked at.
func (c *Catalogue) Choose(s *tree.Step, words []english.Word, k Scope, checked []tree.Ref) *Filling {
	step := english.Stems(words)
	if len(step) == 0 || slices.ContainsFunc(words, func(w english.Word) bool { return w.Kind == english.PlainWord && english.Denials[w.Low] }) {
		return nil
	}
	var best *Filling // nil = none, or a tie
	top := 0
	for i := range c.Entries {
		e := &c.Entries[i]
		if _, verb := e.phrase(step); !verb || e.message || !e.Fits(words) {
			continue
		}
		f := Fill(e, s, words, k, checked)
		m := e.match(step, f.takesObject() && !(same[step[0]] != "" && coded(words[1:])))
		if !m.Sure || !f.acceptable(m.whole) || len(words) == 1 && !f.knowsObject() {
			continue
		}
		if m.score > top {
			best, top = f, m.score
		} else if m.score == top {
			best = nil
		}
	}
	return best
}
