package flow

import (
	"cmp"
	"slices"
	"strings"
)

// nearest returns up to three of the names that somebody may have meant, best first.
func nearest(name string, names []string) []string {
	type scored struct {
		name     string
		distance int
	}
	low := strings.ToLower(name)
	var found []scored
	for _, candidate := range names {
		if candidate == name {
			continue
		}
		lowCandidate := strings.ToLower(candidate)
		most := 1 + (min(len(low), len(lowCandidate))-1)/4
		d := distance(low, lowCandidate, most)
		switch {
		case d <= most && d < max(len(low), len(lowCandidate)):
		case len(low) >= 4 && len(lowCandidate) >= 4 && (strings.HasPrefix(lowCandidate, low) || strings.HasPrefix(low, lowCandidate)):
			d = 2
		default:
			continue
		}
		found = append(found, scored{candidate, d})
	}
	slices.SortStableFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, f := range found[:min(len(found), 3)] {
		if !slices.Contains(out, f.name) {
			out = append(out, f.name)
		}
	}
	return out
}

// didYouMean makes a hint of the nearest names, or "".
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "did you mean " + quoteList(names, "or") + "?"
}

// quoteList writes 'a', 'b' or 'c'.
func quoteList(names []string, last string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "'" + n + "'"
	}
	return wordList(quoted, last)
}

// wordList writes a, b or c.
func wordList(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

const maxCompared = 32 // bytes of a name that distance looks at

// distance is the number of letters to insert, drop, replace or swap with a neighbour, or more than most if it is more
// than most: only cells that near the diagonal can count.
func distance(a, b string, most int) int {
	ra, rb := []rune(a[:min(len(a), maxCompared)]), []rune(b[:min(len(b), maxCompared)])
	far := most + 1
	if len(rb) > len(ra)+most || len(ra) > len(rb)+most {
		return far
	}
	before, last, row := make([]int, len(rb)+1), make([]int, len(rb)+1), make([]int, len(rb)+1)
	for j := range last {
		last[j] = min(j, far)
	}
	for i := range ra {
		from, to := max(0, i-most), min(len(rb), i+most+1)
		row[from] = far
		if from == 0 {
			row[0] = min(i+1, far)
		}
		for j := from; j < to; j++ {
			cost := 1
			if ra[i] == rb[j] {
				cost = 0
			}
			above := far
			if j+1 < i+most+1 { // the last cell of a row has none above it
				above = last[j+1]
			}
			d := min(above+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && ra[i] == rb[j-1] && ra[i-1] == rb[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = min(d, far)
		}
		before, last, row = last, row, before
	}
	return last[len(rb)]
}
