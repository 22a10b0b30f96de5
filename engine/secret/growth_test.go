package secret

import (
	"testing"

	"sluice/engine/growth"
)

// The time of taking secrets out of a text grows with the text and no faster.
func TestTextGrowth(t *testing.T) {
	r := NewRedactor(map[string]string{"A": "aaaaaaaa", "B": "a b a b a b", "C": "\\\\\\\\\\\\", "D": "<<<<<<<<<<<<<<<<", "E": "((((((((((((((((((((((((((((((("})
	growth.Texts(t, 1<<20, func(s string) { r.Redact(s) })
}
