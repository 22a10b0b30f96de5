package planner

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// A language model without tools answers with a text and reaches nothing outside of the run. Some instructions need more: data that must be
// fetched first, or a file, picture or sound as the result.
var (
	media = `(?:file|pdf|docx|image|picture|illustration|photo|audio|video|recording)s?\b`
	needs = []*regexp.Regexp{
		regexp.MustCompile(`^(?:and |then |first )*(?:retriev|fetch|download|brows|crawl|scrap|look(?:ing|s)? up|search)`),
		regexp.MustCompile(`\b(?:search engine|search(?:ing|es)? the (?:web|internet))\b`),
		regexp.MustCompile(`\b(?:of|from) (?:the|a|an|this|each|every) (?:\w+ )?(?:webpage|web page|website|url|link|repository)\b`),
		regexp.MustCompile(`\b(?:as|into|in|to) (?:an?|the) (?:[\w.-]+ ){0,2}` + media),
		regexp.MustCompile(`(?:^|\b(?:and|then|subsequently) )(?:generat|produc|creat|mak|export|render|draw|record)(?:e|es|ing|s)? (?:(?:an?|the|[\w.'’-]+) ){0,4}?` + media),
		regexp.MustCompile(`^(?:(?:an?|the) )?(?:[\w.-]+ ){0,3}` + media + `\W*$`),
	}
)

// askAgent asks who performs an agent step that needs tools and has none.
func (p *planning) askAgent(s *tree.Step) {
	text := strings.ToLower(s.Text)
	if len(s.Tools) > 0 || slices.Contains(p.t.Settled, s.ID+".doer") || !slices.ContainsFunc(needs, func(r *regexp.Regexp) bool { return r.MatchString(text) }) {
		return
	}
	p.askDoer(s, english.Scan(s.Text))
}
