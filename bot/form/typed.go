package form

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/naming"
)

// pair finds the beginning of a typed value: a name and an equals sign, at the start of a line or behind a space or comma.
var pair = regexp.MustCompile(`(?m)(?:^|[,;]?[ \t]+|[,;])([\p{L}_][\p{L}\p{N}_-]*)=`)

// wholeQuote finds a value in quotation marks, behind which another one or nothing comes.
var wholeQuote = regexp.MustCompile(`^([ \t]*(?:"[^"]*"|\x{201c}[^\x{201c}\x{201d}]*\x{201d}|\x{201e}[^\x{201c}\x{201e}]*\x{201c}))(?:[,;\s]|$)`)

// Typed reads values that somebody typed as name=value. A value runs to the next known name with an equals sign, or to the end: spaces, commas
// and quotation marks need no care. Quotation marks around a whole value are dropped, and a name between them is text. rest is what stands before the first value. A name that
// is not known, or was there before, is part of the text.
func Typed(text string, names []string) (values map[string]string, rest string) {
	values = map[string]string{}
	raw, rest := typed(text, names)
	for name, value := range raw {
		values[name] = unquoted(value)
	}
	return values, rest
}

func typed(text string, names []string) (values map[string]string, rest string) {
	type place struct{ name, at, value int }
	values = map[string]string{}
	var found []place
	quoted := 0 // where the value in quotation marks ends that the last pair begins
	for _, m := range pair.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		if m[0] < quoted {
			continue
		}
		again := slices.ContainsFunc(found, func(p place) bool { return text[p.name:p.value-1] == name })
		if slices.Contains(names, name) && !again {
			found = append(found, place{name: m[2], at: m[0], value: m[1]})
			if whole := wholeQuote.FindStringSubmatch(text[m[1]:]); whole != nil {
				quoted = m[1] + len(whole[1])
			}
		}
	}
	if len(found) == 0 {
		return values, strings.TrimSpace(text)
	}
	for i, p := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1].at
		}
		values[text[p.name:p.value-1]] = strings.TrimSpace(text[p.value:end])
	}
	return values, strings.TrimSpace(text[:found[0].at])
}

// Mistyped finds a name=value inside of a value that is not in quotation marks, where the name is nearly one that was not given: it is more
// likely a value of its own than a part of the text. "" = there is none.
func Mistyped(text string, names []string) (written, meant string) {
	values, _ := typed(text, names)
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, given := values[name]; return given })
	for _, value := range values {
		if value != unquoted(value) {
			continue
		}
		for _, m := range pair.FindAllStringSubmatch(value, -1) {
			if near := naming.Related(m[1], missing, 1); len(near) > 0 && !slices.Contains(names, m[1]) {
				return m[1], near[0]
			}
		}
	}
	return "", ""
}

// unquoted is a value without the spaces and the quotation marks around it.
func unquoted(value string) string {
	for _, q := range []struct{ open, end string }{{`"`, `"`}, {"\u201c", "\u201d"}, {"\u201e", "\u201c"}, {"'", "'"}, {"\u2018", "\u2019"}} {
		inner, ok := strings.CutPrefix(value, q.open)
		if !ok {
			continue
		}
		inner, ok = strings.CutSuffix(inner, q.end)
		if ok && !strings.Contains(inner, q.open) && !strings.Contains(inner, q.end) {
			return inner
		}
	}
	return value
}
