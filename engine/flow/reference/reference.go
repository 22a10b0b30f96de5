// Package reference finds the names in expressions and templates without parsing their language: dotted names outside of quotes, and the
// expressions of a template.
//
// [In] reads an expression, [InTemplate] finds the expressions of a template, and [SecretsIn] names the secrets that a template reads.
// engine/expr knows the language; checks that cannot import it use this package.
package reference

import (
	"regexp"
	"strings"
)

// Part is a part of a text, with the byte at which it begins.
type Part struct {
	Text   string
	Offset int
}

// InTemplate finds the expressions of a template. Braces inside quotes do not end one.
func InTemplate(src string) []Part {
	var parts []Part
	for from := 0; ; {
		open := strings.Index(src[from:], "{{")
		if open < 0 {
			return parts
		}
		start := from + open + 2
		end, quote := start, byte(0)
		for ; end < len(src); end++ {
			c := src[end]
			if quote != 0 {
				if c == '\\' {
					end++
				} else if c == quote {
					quote = 0
				}
				continue
			}
			if c == '\'' || c == '"' {
				quote = c
			} else if strings.HasPrefix(src[end:], "}}") {
				break
			}
		}
		end = min(end, len(src))
		parts = append(parts, Part{src[start:end], start})
		from = min(end+2, len(src))
	}
}

// SecretsIn names the secrets that the expressions of a template read.
func SecretsIn(template string) []string {
	var names []string
	for _, part := range InTemplate(template) {
		for _, ref := range In(part.Text) {
			if name, ok := strings.CutPrefix(ref.Text, "secret."); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

var dotted = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_]*(?:\s*\.\s*[\p{L}_][\p{L}\p{N}_-]*|\[\s*(?:'[^']*'|"[^"]*")\s*\])*`)

var indexed = regexp.MustCompile(`\[\s*['"]([^'"]*)['"]\s*\]`)

// In finds the dotted names that an expression reads, outside of quotes: nodes["a-b"].x becomes nodes.a-b.x.
func In(expr string) []Part {
	masked := maskQuotes(expr)
	var refs []Part
	for _, span := range dotted.FindAllIndex(masked, -1) {
		if span[0] > 0 && (masked[span[0]-1] == '.' || masked[span[0]-1] == '?') {
			continue
		}
		text := strings.ReplaceAll(indexed.ReplaceAllString(expr[span[0]:span[1]], ".$1"), " ", "")
		refs = append(refs, Part{text, span[0]})
	}
	return refs
}

// maskQuotes replaces quoted text by blanks, but not the quotes of an index such as nodes["a-b"].
func maskQuotes(expr string) []byte {
	masked := []byte(expr)
	for i := 0; i < len(masked); i++ {
		quote := masked[i]
		if quote != '\'' && quote != '"' {
			continue
		}
		index := strings.HasSuffix(strings.TrimRight(expr[:i], " "), "[")
		end := i + 1
		for end < len(expr) && expr[end] != quote {
			if expr[end] == '\\' {
				end++
			}
			end++
		}
		for k := i; k <= end && k < len(masked) && !index; k++ {
			masked[k] = ' '
		}
		i = end
	}
	return masked
}
