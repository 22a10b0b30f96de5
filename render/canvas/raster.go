package canvas

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"github.com/fogleman/gg"

	"sluice/render/path"
	"sluice/render/text"
)

// MaxPixels bounds a picture's memory (four bytes a pixel while it is drawn); a bigger one is drawn at a smaller scale.
const MaxPixels = 16_000_000

// Raster is a canvas of pixels.
type Raster struct {
	context *gg.Context
	scale   float64
	offsets []path.Point // of the open groups, each the sum of those around it
}

// NewRaster makes a canvas of w by h CSS pixels at scale device pixels each, filled with an opaque colour.
func NewRaster(w, h, scale float64, back Colour) *Raster {
	scale = min(scale, math.Sqrt(MaxPixels/(w*h)))
	r := &Raster{gg.NewContext(int(math.Ceil(w*scale)), int(math.Ceil(h*scale))), scale, []path.Point{{}}}
	r.fill([2]path.Point{{}, {X: w + 1, Y: h + 1}}, back)
	return r
}

// PNG encodes the picture with a palette.
func (r *Raster) PNG() ([]byte, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, paletted(r.image())); err != nil {
		return nil, fmt.Errorf("encode the picture: %w", err)
	}
	return b.Bytes(), nil
}

func (r *Raster) image() *image.RGBA { return r.context.Image().(*image.RGBA) }

// Path draws a path.
func (r *Raster) Path(p path.Path, ink Ink) {
	if area, ok := rectangle(p); ok && ink.Fill.A == 1 && ink.Stroke.A == 0 {
		r.fill(area, ink.Fill)
		return
	}
	if ink.Fill.A > 0 {
		r.trace(p, path.Point{}, 1)
		r.context.SetRGBA(ink.Fill.R, ink.Fill.G, ink.Fill.B, ink.Fill.A)
		r.context.Fill()
	}
	if ink.Stroke.A == 0 {
		return
	}
	r.trace(p, path.Point{}, 1)
	r.context.SetRGBA(ink.Stroke.R, ink.Stroke.G, ink.Stroke.B, ink.Stroke.A)
	r.context.SetLineWidth(ink.Width * r.scale)
	r.context.SetLineJoin(gg.LineJoinRound)
	r.context.SetLineCap(gg.LineCapButt)
	if ink.RoundCap {
		r.context.SetLineCap(gg.LineCapRound)
	}
	dash := make([]float64, len(ink.Dash))
	for i, d := range ink.Dash {
		dash[i] = d * r.scale
	}
	r.context.SetDash(dash...)
	r.context.Stroke()
}

// rectangle tells whether a path is an upright rectangle with sharp corners, and its first and third corner.
func rectangle(p path.Path) (corners [2]path.Point, ok bool) {
	if len(p) != 5 || p[4].Op != path.Close {
		return corners, false
	}
	for i := range 4 {
		a, b := p[i].P[0], p[(i+1)%4].P[0]
		if p[i].Op == path.Cubic || i%2 == 0 && a.Y != b.Y || i%2 == 1 && a.X != b.X {
			return corners, false
		}
	}
	return [2]path.Point{p[0].P[0], p[2].P[0]}, true
}

// fill paints an opaque rectangle whose sides are rounded to whole pixels: crisp, and without blending millions of them.
func (r *Raster) fill(corners [2]path.Point, c Colour) {
	o := r.offsets[len(r.offsets)-1]
	at := func(p path.Point) image.Point {
		p = p.Add(o).Mul(r.scale)
		return image.Pt(int(math.Round(p.X)), int(math.Round(p.Y)))
	}
	red, green, blue := c.bytes()
	area := image.Rectangle{at(corners[0]), at(corners[1])}.Canon()
	draw.Draw(r.image(), area, image.NewUniform(color.RGBA{red, green, blue, 255}), image.Point{}, draw.Src)
}

// trace hands the path, stretched by k and moved to at, to the context in device pixels.
func (r *Raster) trace(p path.Path, at path.Point, k float64) {
	o := r.offsets[len(r.offsets)-1].Add(at).Mul(r.scale)
	k *= r.scale
	for i := range p {
		q := p[i].P
		for j := range q {
			q[j] = q[j].Mul(k).Add(o)
		}
		switch p[i].Op {
		case path.Move:
			r.context.MoveTo(q[0].X, q[0].Y)
		case path.Line:
			r.context.LineTo(q[0].X, q[0].Y)
		case path.Cubic:
			r.context.CubicTo(q[0].X, q[0].Y, q[1].X, q[1].Y, q[2].X, q[2].Y)
		case path.Close:
			r.context.ClosePath()
		}
	}
}

// Text draws the letters as outlines: placed to a fraction of a pixel, as they were measured.
func (r *Raster) Text(line string, at path.Point, st text.Style, c Colour) {
	for _, g := range text.Glyphs(line, st) {
		r.trace(g.Outline, path.Point{X: at.X + g.X, Y: at.Y}, st.Size)
	}
	r.context.SetRGBA(c.R, c.G, c.B, c.A)
	r.context.Fill()
}

// Begin moves what follows by the group's offset.
func (r *Raster) Begin(g Group) {
	r.offsets = append(r.offsets, r.offsets[len(r.offsets)-1].Add(g.Offset))
}

// End undoes the last Begin.
func (r *Raster) End() { r.offsets = r.offsets[:len(r.offsets)-1] }
