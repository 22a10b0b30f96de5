// Package group finds which nodes of a large chart to show as one: runs of plain steps, loops, blocks with one way in and
// one way out (a fork up to its join, a decision up to where its branches meet), and where a chart has none of these,
// stretches of its order. It knows no words, sizes or places.
//
// # Decisions
//
//   - Small groups come first, and a size is tried on the whole chart before the next: an overview in which one half is
//     one shape and the other is drawn step by step tells nobody how much there is.
//   - Ways on errors do not count: they lead out of every block, mostly to one place.
//   - There is a fixed number of steps, and none looks at more than a bounded neighbourhood of a node: any graph is
//     divided, quickly.
package group
