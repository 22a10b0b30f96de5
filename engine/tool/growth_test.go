package tool

import (
	"testing"

	"sluice/engine/growth"
)

// The time of what is done with somebody's words grows with the words and no faster.
func TestTextGrowth(t *testing.T) {
	for _, c := range []struct {
		name string
		work func(string)
	}{
		{"template", func(s string) { _, _ = parseTemplate(s) }},
	} {
		t.Run(c.name, func(t *testing.T) { growth.Texts(t, 1<<20, c.work) })
	}
}
