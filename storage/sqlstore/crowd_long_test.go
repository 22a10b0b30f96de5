//go:build growth

package sqlstore_test

// crowdSize is how many runs the plans are made for: most of them have ended.
const crowdSize = 1_000_000
