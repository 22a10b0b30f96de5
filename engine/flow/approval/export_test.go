package approval

import "sluice/engine/flow"

// Changes lists in words how now differs from old, without harmless changes.
func Changes(old, now *flow.Flow) []string {
	var words []string
	for _, c := range changes(old, now, nil) {
		words = append(words, c.words)
	}
	return words
}
