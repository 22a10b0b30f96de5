package chaos_test

import (
	"testing"

	"sluice/engine"
)

// weather has a storm and judges what is left.
func weather(t *testing.T, p plan) {
	if *stormFlag != "" && *stormFlag != p.name {
		t.Skip("another storm was asked for")
	}
	s := newStorm(t, p)
	s.rage()
	s.judge()
	s.report()
}

// everywhere is one death at every position.
func everywhere() (fates []*fate) {
	for i, at := range engine.Positions() {
		fates = append(fates, &fate{At: at, Nth: 1 + i%3})
	}
	return fates
}
