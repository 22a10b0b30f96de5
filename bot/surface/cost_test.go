package surface_test

import (
	"testing"

	"sluice/bot/surface"
	"sluice/engine/llm"
)

func TestCost(t *testing.T) {
	t.Parallel()
	for want, u := range map[string]llm.Usage{
		"model cost 0.04 USD":                          {Model: "a", Input: 5, USD: 0.0412, Priced: true},
		"model cost 0.00 USD":                          {Model: "free", Input: 5, Priced: true},
		"model cost less than 0.01 USD":                {Model: "a", Input: 5, USD: 0.00001, Priced: true},
		"cost unknown: no price for acme/x":            {Model: "acme/x", Input: 5},
		"model cost 1.50 USD and more: no price for b": (llm.Usage{Model: "a", Input: 5, USD: 1.5, Priced: true}).Add(llm.Usage{Model: "b", Input: 1}),
	} {
		if got := surface.Cost(u); got != want {
			t.Errorf("%+v: %q, want %q", u, got, want)
		}
	}
}
