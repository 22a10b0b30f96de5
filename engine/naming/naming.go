// Package naming writes names into messages: lists of names, and the hint "did you mean".
//
// It depends on no flow, tool or error: callers pass the wrong name and the existing names.
//
// # Decisions
//
//   - The distance of two names is that of github.com/hbollon/go-edlib: characters to insert, drop or replace, and neighbours to swap.
//     Everything that suggests a name asks this package, so that a chat, a file and a terminal suggest the same.
//   - Only the beginnings of long names are compared: the time to compare grows with the square of the length.
package naming

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hbollon/go-edlib"
)

// List writes a, b or c.
func List(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// Quoted writes 'a', 'b' or 'c'.
func Quoted(names []string, last string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "'" + n + "'"
	}
	return List(quoted, last)
}

// DidYouMean makes a hint of the names that may be meant, or "".
func DidYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "did you mean " + Quoted(names, "or") + "?"
}

// Suggest is the hint "did you mean ...?" with those of the names that may be meant, or "".
func Suggest(name string, names []string) string { return DidYouMean(Nearest(name, names)) }

// Nearest gives up to three of the names that may be meant, best first: names that differ by little, and names that begin with name or
// that name begins with.
func Nearest(name string, names []string) []string {
	return first(ranked(name, names, beginnings(4)), 3)
}

// Best gives the one name that most likely is meant, or "". Names may be short, as those of functions are.
func Best(name string, names []string) string {
	return strings.Join(first(ranked(name, names, beginnings(3)), 1), "")
}

// Related gives up to n names that may be meant, best first: names that differ by little, then names that share a word with name.
func Related(name string, names []string, n int) []string {
	return first(ranked(name, names, sharedWords), n)
}

// Misspelled gives up to n names that differ by little; when there are none, the names that share a word with name.
func Misspelled(name string, names []string, n int) []string {
	all := ranked(name, names, sharedWords)
	if len(all) > 0 && all[0].score < wordScore {
		all = slices.DeleteFunc(all, func(r rankedName) bool { return r.score >= wordScore })
	}
	return first(all, n)
}

type rankedName struct {
	name  string
	score int // a smaller score is nearer
}

func first(all []rankedName, n int) []string {
	var out []string
	for _, r := range all[:min(len(all), n)] {
		out = append(out, r.name)
	}
	return out
}

// ranked orders the names that may be meant. otherwise scores, in lower case, two names that differ by more than a few characters.
func ranked(name string, names []string, otherwise func(a, b string) (score int, ok bool)) []rankedName {
	low := strings.ToLower(name)
	var found []rankedName
	for _, candidate := range names {
		lowCandidate := strings.ToLower(candidate)
		score, ok := misspelling(low, lowCandidate)
		if !ok {
			score, ok = otherwise(low, lowCandidate)
		}
		if ok && candidate != name {
			found = append(found, rankedName{candidate, score})
		}
	}
	slices.SortFunc(found, func(a, b rankedName) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.name, b.name))
	})
	return slices.Compact(found)
}

// misspelling gives the distance of two names that differ by few characters: one, and one more for each four of the shorter name.
func misspelling(a, b string) (int, bool) {
	a, b = beginning(a), beginning(b)
	x, y := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	most := 1 + (min(x, y)-1)/4
	if max(x, y)-min(x, y) > most { // the distance is at least that
		return 0, false
	}
	d := edlib.OSADamerauLevenshteinDistance(a, b)
	return d, d <= most && d < max(x, y)
}

// beginnings scores two names of which one begins with the other. A beginning that is shorter than shortest bytes says nothing.
func beginnings(shortest int) func(a, b string) (int, bool) {
	return func(a, b string) (int, bool) {
		begins := strings.HasPrefix(b, a) || strings.HasPrefix(a, b)
		return 2 + max(len(a), len(b)) - min(len(a), len(b)), begins && min(len(a), len(b)) >= shortest
	}
}

const maxCompared = 32 // characters of a name that are compared

// beginning is the part of a name that is compared.
func beginning(s string) string {
	n := 0
	for i := range s {
		if n == maxCompared {
			return s[:i]
		}
		n++
	}
	return s
}

const wordScore = 100 // names that only share a word come after every misspelling

// sharedWords scores two names that have a word of at least three characters in common.
func sharedWords(a, b string) (int, bool) {
	shared, words := 0, nameWords(b)
	for _, w := range nameWords(a) {
		if len(w) > 2 && slices.Contains(words, w) {
			shared++
		}
	}
	if shared == 0 {
		return 0, false
	}
	return wordScore + 10*max(0, 8-shared) + edlib.OSADamerauLevenshteinDistance(beginning(a), beginning(b)), true
}

func nameWords(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("._- ", r) })
}
