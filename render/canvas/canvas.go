package canvas

import (
	"fmt"

	"sluice/render/path"
	"sluice/render/text"
)

// Canvas takes the strokes of a picture in the order in which they lie on each other.
type Canvas interface {
	// Path fills and strokes a path.
	Path(p path.Path, ink Ink)
	// Text sets one cleaned line; at is the left end of its baseline.
	Text(line string, at path.Point, st text.Style, c Colour)
	// Begin opens a group and End closes the one opened last; the group's offset moves what is drawn in between.
	Begin(g Group)
	End()
}

// Group belongs together: in SVG it is an element that pages and scripts can find; the raster only needs its offset.
type Group struct {
	Class   string     // space-separated words
	ID      string     // of the node or edge that it shows, empty for none
	Tooltip string     // shown when the pointer rests on it, several lines allowed
	Link    string     // opened by a click, empty for none
	Offset  path.Point // added to every point inside
}

// Ink is how a path is drawn. A colour with A == 0 draws nothing.
type Ink struct {
	Fill, Stroke Colour
	Width        float64   // of the stroke, in CSS pixels at scale 1
	Dash         []float64 // lengths of stroke and gap; nil is a full line
	RoundCap     bool
}

// Colour is red, green, blue and opacity, each from 0 to 1, not premultiplied.
type Colour struct{ R, G, B, A float64 }

// Hex reads "#rrggbb" and panics on anything else: colours are written in the program, not by users.
func Hex(s string) Colour {
	var r, g, b uint8
	if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &r, &g, &b); err != nil {
		panic(fmt.Sprintf("canvas: %q is not a colour: %v", s, err))
	}
	return Colour{float64(r) / 255, float64(g) / 255, float64(b) / 255, 1}
}

// Alpha is the colour with another opacity.
func (c Colour) Alpha(a float64) Colour {
	c.A = a
	return c
}

// Over is the opaque colour that c makes on an opaque background.
func (c Colour) Over(back Colour) Colour {
	mix := func(a, b float64) float64 { return a*c.A + b*(1-c.A) }
	return Colour{mix(c.R, back.R), mix(c.G, back.G), mix(c.B, back.B), 1}
}

// bytes are the colour's red, green and blue from 0 to 255.
func (c Colour) bytes() (r, g, b uint8) {
	return uint8(c.R*255 + .5), uint8(c.G*255 + .5), uint8(c.B*255 + .5)
}

// Hex writes the colour as "#rrggbb", without its opacity.
func (c Colour) Hex() string {
	r, g, b := c.bytes()
	return fmt.Sprintf("#%02x%02x%02x", r, g, b)
}
