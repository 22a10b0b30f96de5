//go:build race

package run_test

// seeds is how many random runs each property looks at. Under the race detector everything takes some five times longer.
const seeds = 120
