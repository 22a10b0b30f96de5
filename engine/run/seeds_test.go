//go:build !race

package run_test

// seeds is how many random runs each property looks at.
const seeds = 300
