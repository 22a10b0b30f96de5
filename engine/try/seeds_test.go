//go:build !race

package try_test

// seeds is how many random runs are looked at.
const seeds = 160
