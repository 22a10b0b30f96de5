//go:build !growth

package sqlstore_test

// crowdSize is how many runs the plans are made for. With the tag growth there are more.
const crowdSize = 20_000
