// Package canvas is what a picture is drawn on: one small interface and two pens behind it, SVG text and a raster that
// becomes a PNG with a palette. Both draw the same calls, so that one scene gives both pictures.
//
// It knows colours, strokes and lines of text; it knows no flowcharts.
//
// # Decisions
//
//   - Text in SVG stays text (it can be selected, searched and read aloud); textLength keeps every line in its measured
//     place where Inter is not installed.
//   - PNG has a palette of 256 colours: a third of the size of true colour, and quicker to write. The most used colours
//     keep their exact value, so that two fills that look alike stay apart.
package canvas
