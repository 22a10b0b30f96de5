package match

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
)

// Quoted reports whether words are one text in quotation marks.
func Quoted(words []english.Word) bool { return len(words) == 1 && words[0].Kind == english.QuotedWord }

// Pronoun reports whether words are nothing but "it", "the result" and the like.
func Pronoun(words []english.Word) bool {
	some := false
	for _, w := range words {
		switch {
		case w.Kind == english.PlainWord && english.Pronouns[w.Low]:
			some = true
		case w.Kind != english.SignWord && !Determiners[w.Low]:
			return false
		}
	}
	return some
}

// QuestionWords begin a clause that stands for something else: "who approved it" is no message.
var QuestionWords = english.WordSet(`what who whom whose which whether why how where`)

// Indirect reports whether words are a clause that begins with a question word.
func Indirect(words []english.Word) bool {
	return len(words) > 0 && words[0].Kind == english.PlainWord && QuestionWords[words[0].Low] && words[len(words)-1].Low != "?"
}

// Several reports whether words only stand for several values: "it all", "all of them", "all three".
func Several(words []english.Word) bool {
	rest := slices.DeleteFunc(slices.Clone(words), func(w english.Word) bool { return english.Wholes[w.Low] || w.Low == "of" })
	return len(rest) < len(words) && (Pronoun(rest) || len(rest) == 1 && numerals[rest[0].Low])
}

var numerals = english.WordSet("two three four five six")

// Listed reports whether something else of a list follows.
func Listed(rest []english.Word) bool {
	return len(rest) > 1 && (rest[0].Low == "and" || rest[0].Low == ",")
}

// complete are short messages that say something by themselves.
var complete = english.WordSet(`hi hello hey sorry thanks thank done ok okay yes no not welcome congratulations great good well go stop help please all
ready late open closed sent paid gone away here there over back soon now today tomorrow`)

// NounPhrase reports whether words only name a thing, without a statement: "the weekly numbers", "summary", "the first 3 orders".
func NounPhrase(words []english.Word) bool {
	if len(words) == 0 || len(words) > 12 || words[0].Low == "to" {
		return false
	}
	last := words[len(words)-1].Low
	some := Determiners[words[0].Low] || words[0].Low == "all" && len(words) > 1 && !complete[last]
	if at := slices.IndexFunc(words, func(w english.Word) bool { return w.Low == "that" || w.Low == "which" }); some && at > 1 && at < 4 { // "the version that was deployed"
		words = words[:at]
		last = words[at-1].Low
	}
	return !strings.HasSuffix(last, "ed") && !slices.ContainsFunc(words, func(w english.Word) bool {
		return !(some && (w.Kind == english.NumberWord || w.Kind == english.NameWord)) && (w.Kind != english.PlainWord || Finite[w.Low] || complete[w.Low] && !some || w.Literal())
	})
}

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

// NeedsTools reports whether a language model that has no tools cannot follow an instruction.
func NeedsTools(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(needs, func(r *regexp.Regexp) bool { return r.MatchString(text) })
}
