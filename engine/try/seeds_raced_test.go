//go:build race

package try_test

// seeds is how many random runs are looked at. Under the race detector everything takes some five times longer.
const seeds = 60
