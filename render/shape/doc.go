// Package shape has the nine shapes of a flowchart and the card of a person's step: their outlines in a box, and the box that a block of text needs so
// that nothing leaves the outline.
//
// It knows no colours and no layout.
package shape
