package tool

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest gives the n names most like name, best first: names that differ by little, then names that share a word with it.
// It gives fewer, or none, rather than names that nobody can have meant.
func Nearest(name string, names []string, n int) []string {
	var out []string
	for _, f := range ranked(name, names) {
		if len(out) < n {
			out = append(out, f.name)
		}
	}
	return out
}

type rankedName struct {
	name  string
	score int // smaller is nearer
}

const wordScore = 100 // names that only share a word come behind every misspelling

// ranked orders the names that could be meant.
func ranked(name string, names []string) []rankedName {
	low := strings.ToLower(name)
	var found []rankedName
	for _, candidate := range names {
		if candidate == name {
			continue
		}
		if score, ok := likeness(low, strings.ToLower(candidate)); ok {
			found = append(found, rankedName{candidate, score})
		}
	}
	slices.SortFunc(found, func(a, b rankedName) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.name, b.name))
	})
	return slices.Compact(found)
}

// likeness scores two names in lower case; smaller is nearer.
func likeness(a, b string) (score int, ok bool) {
	d := distance(a, b)
	if d <= 1+min(len(a), len(b))/4 {
		return d, true
	}
	shared := 0
	words := nameWords(b)
	for _, w := range nameWords(a) {
		if len(w) > 2 && slices.Contains(words, w) {
			shared++
		}
	}
	if shared == 0 {
		return 0, false
	}
	return wordScore + 10*max(0, 8-shared) + d, true
}

func nameWords(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '_' || r == '-' || r == ' ' })
}

const maxCompared = 64 // letters of a name that are compared

// distance counts the letters to insert, drop or replace, and neighbours to swap, that turn a into b.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	from, to = from[:min(len(from), maxCompared)], to[:min(len(to), maxCompared)]
	table := make([][]int, len(from)+1)
	for i := range table {
		table[i] = make([]int, len(to)+1)
		table[i][0] = i
	}
	for j := range table[0] {
		table[0][j] = j
	}
	for i := 1; i <= len(from); i++ {
		for j := 1; j <= len(to); j++ {
			replace := table[i-1][j-1]
			if from[i-1] != to[j-1] {
				replace++
			}
			table[i][j] = min(replace, table[i-1][j]+1, table[i][j-1]+1)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				table[i][j] = min(table[i][j], table[i-2][j-2]+1)
			}
		}
	}
	return table[len(from)][len(to)]
}

// suggestion is "did you mean X or Y?", or nothing. Names that share a word are offered only if none is a misspelling.
func suggestion(name string, names []string) string {
	near := ranked(name, names)
	if len(near) == 0 {
		return ""
	}
	if near[0].score < wordScore {
		near = slices.DeleteFunc(near, func(f rankedName) bool { return f.score >= wordScore })
	}
	meant := near[0].name
	if len(near) > 1 {
		meant += " or " + near[1].name
	}
	return "did you mean " + meant + "?"
}
