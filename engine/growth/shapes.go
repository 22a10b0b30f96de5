package growth

import "strings"

// Shape is a sort of text in any size.
type Shape struct {
	Name string
	// Text has about size bytes.
	Text func(size int) string
}

// Shapes are the texts that people, programs and attackers write.
var Shapes = []Shape{
	{"one long word", repeated("a")},
	{"one long word of wide letters", repeated("W")},
	{"many short words", repeated("a b ")},
	{"words of a sentence", repeated("check the order, then pay it and tell #ops. ")},
	{"spaces", repeated(" ")},
	{"spaces around letters", repeated("      a")},
	{"newlines", repeated("\n")},
	{"very many lines", repeated("a\n")},
	{"lines of two sorts of ends", repeated("a\r\nb\r")},
	{"one letter with many marks", func(n int) string { return "a" + strings.Repeat("\u0301", n/2) }},
	{"letters with marks", repeated("e\u0301o\u0308\u0323")},
	{"marks in the wrong order", func(n int) string { return "a" + strings.Repeat("\u0301\u0323", n/4) }},
	{"emoji joined to one", func(n int) string { return "👩" + strings.Repeat("\u200d💻", n/7) }},
	{"emoji with skin", repeated("👍🏽")},
	{"flags", repeated("🇩🇪")},
	{"joiners", repeated("\u200d")},
	{"direction marks", repeated("\u202ea\u2066b\u2069")},
	{"words to the left", repeated("עברית ")},
	{"one long word to the left", repeated("א")},
	{"joined letters to the left", repeated("ب")},
	{"both directions", repeated("a א1(ב)")},
	{"ideographs", repeated("日")},
	{"ideographs and brackets", repeated("日「")},
	{"Hangul in parts", repeated("\u1112\u1161\u11ab")},
	{"letters of no font", repeated("ไ")},
	{"bytes that are not UTF-8", repeated("\xff")},
	{"halves of surrogates", repeated("\xed\xa0\x80")},
	{"cut letters", repeated("\xe2\x82")},
	{"zeros", repeated("\x00")},
	{"escapes of a terminal", repeated("\x1b[31m")},
	{"breakable marks", repeated("abcd/")},
	{"angle brackets", repeated("<")},
	{"mentions", repeated("<@U01> <!channel> ")},
	{"links", repeated("<https://a.b|c>")},
	{"opened links", repeated("<https://a.b|")},
	{"ampersands", repeated("&")},
	{"entities", repeated("&amp;")},
	{"backticks", repeated("`")},
	{"code fences", repeated("```\n")},
	{"stars", repeated("*")},
	{"stars and underscores", repeated("*_")},
	{"emphasised letters", repeated("*a* _b_ ~c~ ")},
	{"backslashes", repeated(`\`)},
	{"quotes", repeated(`"`)},
	{"quoted words", repeated(`"a", `)},
	{"apostrophes", repeated("'")},
	{"opened brackets", repeated("(")},
	{"opened square brackets", repeated("[")},
	{"opened braces", repeated("{")},
	{"opened templates", repeated("{{")},
	{"templates", repeated("{{ a }}")},
	{"dollars", repeated("${")},
	{"commas", repeated(",")},
	{"colons", repeated("a: ")},
	{"dashes", repeated("- ")},
	{"nested dashes", repeated("- - ")},
	{"dots", repeated(".")},
	{"names in names", repeated("a.")},
	{"hashes", repeated("#")},
	{"at signs", repeated("@a ")},
	{"digits", repeated("1")},
	{"numbered lines", repeated("1. a\n")},
	{"question marks", repeated("?")},
	{"and", repeated("a and ")},
	{"and behind a comma", repeated(", and ")},
	{"if", repeated("if a ")},
	{"otherwise", repeated("otherwise a, ")},
	{"in turn", func(n int) string { return indented(n) }},
}

func repeated(s string) func(int) string {
	return func(n int) string { return strings.Repeat(s, max(n/len(s), 1)) }
}

// indented are lines each further in than the one before, up to a depth of 40.
func indented(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strings.Repeat(" ", i%40))
		b.WriteString("a:\n")
	}
	return b.String()
}
