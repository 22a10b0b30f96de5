package change

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// dropped gives a clause that a change of a tree leaves out: the steps hold none of its words, and what is said of the change has none. "Use the
// blue one, and 300 instead of 100" is not only the 300.
func dropped(c *changing, base *tree.Tree) string {
	text := c.t.Texts[c.text].Words
	clauses := clausesOf(text)
	if len(clauses) < 2 {
		return ""
	}
	whole := tree.Quote{Text: c.text, To: len(text)}
	held := slices.DeleteFunc(tree.Quotes(c.t), func(q tree.Quote) bool {
		return q.Text != c.text || q == whole || slices.Contains(c.t.Replaced, q)
	})
	said := saidOf(c, base)
	i := slices.IndexFunc(clauses, func(clause []phrase.Token) bool {
		content := false
		for _, t := range clause {
			at := tree.Quote{Text: c.text, From: t.From, To: t.To}
			if slices.ContainsFunc(held, at.Overlaps) {
				return false
			}
			for _, w := range english.Scan(t.Text) {
				if (w.Content() || w.Literal()) && (said[w.Stem] || said[strings.TrimPrefix(w.Low, "@")]) {
					return false
				}
				content = content || w.Content() && !asking[w.Low]
			}
		}
		return content
	})
	if i < 0 {
		return ""
	}
	return text[clauses[i][0].From:clauses[i][len(clauses[i])-1].To]
}

// saidOf gives the words that are said of a change, with those of the steps that it names and of what starts the flow, as they were.
func saidOf(c *changing, base *tree.Tree) map[string]bool {
	said := map[string]bool{}
	add := func(text string) {
		for _, w := range english.Scan(quotes.Replace(text)) {
			said[w.Stem], said[strings.TrimPrefix(w.Low, "@")] = true, true
		}
	}
	add(strings.Join(c.said, " "))
	for id, number := range base.Numbers() {
		if s := base.Step(id); said[number] {
			add(spoken(s))
		}
	}
	if said["starts"] {
		for _, g := range base.Triggers {
			add(g.Words)
		}
	}
	return said
}

var quotes = strings.NewReplacer("“", " ", "”", " ", `"`, " ")

// clausesOf cuts a text at its signs, at the ends of its lines, and where words are joined.
func clausesOf(text string) (out [][]phrase.Token) {
	var clause []phrase.Token
	end := func() {
		if len(clause) > 0 {
			out, clause = append(out, clause), nil
		}
	}
	last := 0
	for _, t := range phrase.Scan(text, 0, len(text)) {
		if strings.Contains(text[last:t.From], "\n") {
			end()
		}
		last = t.To
		if t.Kind == phrase.Sign || t.Is("and", "but") {
			end()
			continue
		}
		clause = append(clause, t)
	}
	end()
	return out
}

// asking are words with which people ask for a change, besides those that only join others.
var asking = phrase.Set(`no nope wait sorry input inputs name message question text starts person somebody someone ok okay actually oh yes hm well please pls
	plz thanks thx hi hello instead now again also too rather better change make use add need needs want wanted let think really just
	forgot forget mistake typo wrong right sure good great nice perfect fine must should can could would step steps flow draft`)
