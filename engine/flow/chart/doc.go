// Package chart makes the chart of a flow: the nodes and edges of its picture with flowchart types, and the map from run-time nodes to
// them.
//
// [Of] makes the chart. Ids of edges are those that the facts of a run name, so that a picture can show the path of a run. A chart
// holds no coordinates and no status.
//
// The package is pure. It does not know runs, pixels or Slack.
//
// Where to look next: package flow has the document, what a node does in words ([flow.Node.Describe]) and its flowchart type
// ([flow.Flow.ChartType]); render lays a chart out and draws it.
//
// # Decisions
//
//   - All paths outside of branches and bodies that end without a terminal node share one end: that is easier to read than one end for each.
//   - A value that is made when it is read (compute with pull) is no step: no edge leads to it, and the chart leaves it out.
//   - A loop and a sequence keep the token, a foreach and a parallel node do not. A path that ends inside one of them leads back to its node, or
//     to the join.
package chart
