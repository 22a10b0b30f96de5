// Package render turns a chart, and if there is one the state of a run, into the picture that people approve and watch:
// PNG for Slack, SVG for pages, DOT and Mermaid for other tools, and the same in words.
//
// A picture is made in steps, one file or package each:
//
//	flow.Chart ── compose (chart.go) ──► chart: words measured, boxes sized (text, shape), placed (layout) ── kept per chart
//	chart + Request ── newScene (scene.go) ──► scene ── draw (node.go, edge.go, legend.go) ──► canvas: SVG or PNG
//
// States, theme and scale enter after the layout: when a run moves on, its picture is drawn anew and nothing in it jumps.
//
// A chart of more than 60 nodes or 90 edges is too much for one picture. Its picture is an overview, in which runs of
// steps, loops, parallel blocks and the branches of decisions are one shape each, with a count (overview.go, package
// group); Pages gives a picture for each of these shapes.
//
// Package render does not know runs, Slack or storage. It is told states by chart node and the edges really taken; it
// guesses nothing from one about the other. Next to read: chart.go for the measures, layout.Arrange for the places.
//
// # Figures
//
// A picture took so many milliseconds of the processor, on 22 November 2026 on a virtual machine with two AMD EPYC cores that
// had much else to do (BenchmarkPicture and BenchmarkStatusChange, the median of five rounds of 60 pictures; the first
// start of Graphviz is shared among them):
//
//	nodes  PNG at scale 2  SVG   PNG of a status change
//	    5              14    1                       16
//	   15              42    7                       58
//	   40              81   15                      107
//
// A chart that is too wide for Graphviz costs one or two of its layouts and then a stack, which takes less than one of them.
// 2000 pictures of 40 charts leave the heap as large as it was; a chart that is new leaves about 22 KiB, see growth_test.go.
//
// # Decisions
//
//   - Graphviz places the shapes and leads the edges, we measure and draw: its PNG lacks strokes, and its text metrics do
//     not know the font. How it is contained, and what it costs at start, is said in package layout.
//   - A state's note takes the place of the description and never of new room, so that a live picture has the layout of
//     its draft.
//   - No picture is wider than 415 px: shown 340 px wide, as on a phone, its smallest words still have 9 px. What does not
//     fit is set narrower, and then stacked, see package layout; nothing is scaled down.
//   - Types and states have the shapes and colours of the draft flowcharts that Sluice imports; what a colour means is said
//     a second time by shape, icon, mark or dash. A wait for a person has a mark and a colour of its own, indigo.
//   - What a person does is a card with a figure, whatever its type: nobody should take an approval for a decision by value.
//     Endings that only tell the requester are small, so that the main way stays in view. Open steps are dashed and say so.
//   - The legend explains states and marks. Shapes explain themselves by their words, and a draft needs no legend.
//   - Ways back are led by us and not by Graphviz: arcs and lanes at the right, each with its own offset. Branches leave a
//     decision or gate by the foot and the sides, on the side where they cross least.
//   - A label that finds no free place is shortened, and a count without one is left out; tooltip and alt text have them.
//   - An edge is green only when the overlay says that it was taken.
//   - Pictures are opaque. Text that suits Slack's light ground is lost on its dark one.
//   - A dry run is an overlay like a run, but blue, with marks of its own, and all that it does not reach is faint: nobody
//     should take it for something that happened.
//   - An overview sums up states: an error before a wait before work, and how many are complete. It says complete only of
//     what is over as a whole. On a page, the shapes of other pages are faint, dotted and say where they are.
//   - Links lead to pages, mails and places in Slack; a chart's text cannot make them run a script.
//   - A node removed in a revision stays as a ghost, struck through and without its number: that number may be
//     another node's by now.
package render
