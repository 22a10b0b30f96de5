package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// chat are words of the conversation and of the terminal: only the packages that talk to people use them.
var chat = regexp.MustCompile("/invite\\b|(^|[`\" ])/flow [a-z<]|\\bcards?\\b|\\bHome tab\\b" +
	"|\\b(invite|bring|add) (me|us|the bot|the app)\\b|\\b(an?|the|its|your) (button|modal)s?\\b|\\b([Pp]ress|[Cc]lick) .|slash command" +
	"|`sluice [a-z]|[ `]--[a-z]|\\bname=value\\b|\\bflags of the command\\b")

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

// TestHintsAreForCodes: a hint of the conversation or of the terminal is for a code that the engine gives.
func TestHintsAreForCodes(t *testing.T) {
	t.Parallel()
	given, hints := map[string]bool{}, map[string]string{}
	for _, s := range goFiles(t) {
		engine := strings.HasPrefix(s.folder(), "engine")
		if s.test || !engine && s.name != "bot/request/refusal.go" && s.name != "cmd/sluice/hints.go" {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if code, ok := n.Key.(*ast.BasicLit); ok && !engine {
					hints[code.Value] = s.line(n)
				}
			case *ast.BasicLit:
				given[n.Value] = given[n.Value] || engine
			}
			return true
		})
	}
	if len(hints) < 10 {
		t.Errorf("only %d hints were found", len(hints))
	}
	for code, line := range hints {
		if !given[code] {
			t.Errorf("%s: the engine gives no code %s", line, code)
		}
	}
}
