package main

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// gone are words that the code does not use, because a reader would need a glossary for them: neither as part of a name, nor in comments,
// nor in the strings of the product.
var gone = []struct {
	words   string // separated by spaces
	instead string
	except  []string // phrases that hold such a word in its ordinary meaning, and packages (with a slash at the end) that need it
}{
	// These packages are about the letters of texts.
	{"letter letters", "signal", []string{
		"IsLetter", "small letters", "or letters (DD", "lower-case letters", "render/", "engine/secret/", "engine/growth/", "engine/flow/", "engine/expr/", "engine/tool/", "engine/typecheck/", "engine/planner/", "bot/", "firstSmall",
	}},
	{"seat seats seated", "reservation", nil},
	{"align aligns aligned alignment", "sync", []string{"render/", "bot/slacksim/"}},
	{"contend contends contended contention", "lock", nil},
	{"promise promises promised", "accept, guarantee or state", nil},
	// The kind of a job in River's table is a stored name.
	{"carry carries carried carrying carrier carriers", "hold, perform, have or contain", []string{"engine/dispatch/river/"}},
	{"trouble troubles", "outage or fault", nil},
	{"sociable", "batchable", nil},
	{"stillborn", "ended before it began", nil},
	{"doubt doubts doubtful undoubted", "unknown", []string{"Doubtful", "engine/flow/refusal/"}},
	{"selfless", "not the requester", nil},
	// What is left of a picture or a message is room in ordinary English.
	{"room rooms", "package, space or channel", []string{"render/", "bot/"}},
	{"house houses", "program or repository", nil},
	{"joint", "batch", nil},
	{"conductor", "engine", nil},
	{"whoever", "the person, process or run that is meant", []string{"|whoever"}}, // one of several words that people write
	// What was measured names positions as they were called then.
	{"bury buries buried burying", "end or remove", []string{"after bury", "before bury"}},
	{"poison poisons poisoned", "refused, broken or heavy", nil},
	{"veil veils veiled", "mask, or dots", nil},
	{"whomever", "the person, process or run that is meant", nil},
}

// phrases go, too.
var phrases = regexp.MustCompile(`(?i)the other system|nobody says why|\bS\d+-x?\d+\b|\bS\d+x\d+\b|\bstand(s|ing)? in line\b|\bkeys?'s? line|\bperson's (word|yes)\b|\bold news\b|\bnobody's (subflow|sake)\b`)

// TestWordsThatAreGone looks at names and comments everywhere, and at strings outside tests: those of tests are what people write.
func TestWordsThatAreGone(t *testing.T) {
	t.Parallel()
	for _, s := range goFiles(t) {
		if s.folder() == "cmd/check" && strings.HasSuffix(s.name, "words_test.go") {
			continue
		}
		for _, found := range s.goneWords() {
			t.Error(found)
		}
	}
	for _, s := range sources(t) {
		if path.Ext(s.name) == ".md" {
			if found := goneWord(s.folder(), s.text); found != "" {
				t.Errorf("%s: the document uses %s", s.name, found)
			}
		}
	}
}

// goneWords lists where a file uses a word that is gone.
func (s source) goneWords() (all []string) {
	look := func(n ast.Node, text, as string) {
		if found := goneWord(s.folder(), text); found != "" {
			all = append(all, s.line(n)+": "+as+" "+found)
		}
	}
	for _, g := range s.syntax.Comments {
		for _, c := range g.List {
			look(c, c.Text, "a comment uses")
		}
	}
	seen := map[string]bool{}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if seen[n.Name] {
				return true
			}
			seen[n.Name] = true
			look(n, strings.Join(camel(n.Name), " "), "the name "+n.Name+" uses")
		case *ast.BasicLit:
			if n.Kind == token.STRING && !s.test {
				look(n, n.Value, "a string uses")
			}
		}
		return true
	})
	return all
}

// regexes finds the words of each entry of gone.
var regexes = sync.OnceValue(func() (all []*regexp.Regexp) {
	for _, g := range gone {
		all = append(all, regexp.MustCompile(`(?i)\b(`+strings.ReplaceAll(g.words, " ", "|")+`)\b`))
	}
	return all
})

// anyRegex finds the words of all entries of gone.
var anyRegex = sync.OnceValue(func() *regexp.Regexp {
	var words []string
	for _, g := range gone {
		words = append(words, strings.Fields(g.words)...)
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(words, "|") + `)\b`)
})

// goneWord gives the first word of a text that is gone, and what to write instead.
func goneWord(pkg, text string) string {
	if found := phrases.FindString(text); found != "" {
		return found
	}
	if !anyRegex().MatchString(text) {
		return ""
	}
	for i, g := range gone {
		rest := text
		if slices.ContainsFunc(g.except, func(e string) bool { return strings.HasSuffix(e, "/") && strings.HasPrefix(pkg+"/", e) }) {
			continue
		}
		for _, e := range g.except {
			rest = strings.ReplaceAll(rest, e, "")
		}
		if word := regexes()[i].FindString(rest); word != "" {
			return word + ": write " + g.instead
		}
	}
	return ""
}

// camel splits a name into its words.
func camel(name string) []string {
	var words []string
	from := 0
	for i, r := range name {
		if i > from && unicode.IsUpper(r) && !unicode.IsUpper(rune(name[i-1])) {
			words = append(words, name[from:i])
			from = i
		}
	}
	return append(words, name[from:])
}
