// Package path is the geometry of the picture: points, paths of lines and Bézier curves, and the few questions that
// drawing asks of them (is a point inside, which border point is nearest).
//
// It knows no colours, no text and no flowcharts. The nine shapes are in package shape, the pens in package canvas.
package path
