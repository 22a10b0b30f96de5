package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// chat are words of the conversation: only the packages that talk to people use them.
var chat = regexp.MustCompile("/invite\\b|(^|[`\" ])/flow [a-z<]|\\bcard\\b|\\bHome tab\\b")

// TestErrorsBelowTheBotKnowNoChat: the engine gives codes and data; bot and cmd/sluice say what to do.
func TestErrorsBelowTheBotKnowNoChat(t *testing.T) {
	t.Parallel()
	for _, s := range goFiles(t) {
		below := strings.HasPrefix(s.folder(), "engine") || strings.HasPrefix(s.folder(), "storage") || strings.HasPrefix(s.folder(), "render")
		if s.test || !below {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && chat.MatchString(l.Value) {
				t.Errorf("%s: %s is a sentence of the conversation: give a code and data, and let bot say it", s.line(l), l.Value)
			}
			return true
		})
	}
}
