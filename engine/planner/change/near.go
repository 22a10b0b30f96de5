package change

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest gives the n examples of Forms that share most words with a text, the nearest first. Those that are equally near keep their order.
func Nearest(text string, n int) []string {
	said := wordsOf(text)
	shared := func(line string) (count int) {
		for _, w := range wordsOf(line) {
			if slices.Contains(said, w) {
				count++
			}
		}
		return count
	}
	lines := strings.Split(Forms, "\n")
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(shared(b), shared(a)) })
	return lines[:min(n, len(lines))]
}

// wordsOf gives the different words of a text. Names, channels and numbers count as one word each.
func wordsOf(text string) (out []string) {
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		w = strings.Trim(w, ".,:;!?\"“”'()")
		switch {
		case w == "":
			continue
		case w[0] == '@' || w[0] == '#':
			w = w[:1]
		case w[0] >= '0' && w[0] <= '9':
			w = "0"
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
