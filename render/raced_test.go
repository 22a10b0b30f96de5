//go:build race

package render

// raced is true under the race detector, which makes everything some five times slower.
const raced = true
