package canvas

import (
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	"maps"
	"slices"
)

// exact is how many of the most used colours keep their value: fills, strokes and text, of which a chart has some dozens.
const exact = 96

// run is a stretch of pixels of one colour; most of a chart is long ones.
type run struct {
	colour uint32 // 0xBBGGRR
	length int
}

// paletted turns flat, opaque art into a picture of at most 256 colours. The rest, mostly blends at edges, goes to the
// nearest.
func paletted(m *image.RGBA) *image.Paletted {
	runs := runsOf(m.Pix)
	index, palette := choose(runs)
	out := image.NewPaletted(m.Rect, make(color.Palette, len(palette)))
	for i, c := range palette {
		out.Palette[i] = color.RGBA{uint8(c), uint8(c >> 8), uint8(c >> 16), 255}
	}
	at := 0
	for _, r := range runs {
		i := index(r.colour)
		if i != 0 { // a new picture is all 0
			stretch := out.Pix[at : at+r.length]
			for j := range stretch {
				stretch[j] = i
			}
		}
		at += r.length
	}
	return out
}

func runsOf(pix []uint8) []run {
	const opaque = 0xffffff
	runs := make([]run, 0, len(pix)/64)
	for i := 0; i < len(pix); {
		c := binary.LittleEndian.Uint32(pix[i:]) & opaque
		j := i + 4
		for j < len(pix) && binary.LittleEndian.Uint32(pix[j:])&opaque == c {
			j += 4
		}
		runs = append(runs, run{c, (j - i) / 4})
		i = j
	}
	return runs
}

// choose makes a palette, and a function that gives every colour of the picture its place in it.
func choose(runs []run) (index func(uint32) uint8, palette []uint32) {
	counts := map[uint32]int{}
	for _, r := range runs {
		counts[r.colour] += r.length
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	places := make(map[uint32]uint8, exact)
	for _, c := range colours[:min(exact, len(colours))] {
		places[c] = uint8(len(palette))
		palette = append(palette, c)
	}
	// The blends are many and alike: of those that share the upper six bits of each channel, the most used stands for all.
	var blends []uint32
	cells := map[uint32]uint8{}
	for _, c := range colours[min(exact, len(colours)):] {
		if _, ok := cells[cell(c)]; !ok {
			cells[cell(c)] = 0
			blends = append(blends, c)
		}
	}
	palette = spread(palette, blends)
	for _, c := range blends {
		i, _ := nearest(palette, c)
		cells[cell(c)] = uint8(i)
	}
	return func(c uint32) uint8 {
		if i, ok := places[c]; ok {
			return i
		}
		return cells[cell(c)]
	}, palette
}

func cell(c uint32) uint32 { return c & 0xfcfcfc }

// spread fills the palette with blends: first those far from all that is in it, then ever nearer ones.
func spread(palette, blends []uint32) []uint32 {
	for _, tolerance := range []int{4500, 1200, 240, 60} {
		var near []uint32
		for _, c := range blends {
			if len(palette) == 256 {
				return palette
			}
			if _, d := nearest(palette, c); d > tolerance {
				palette = append(palette, c)
			} else {
				near = append(near, c)
			}
		}
		blends = near
	}
	return palette
}

// nearest is the palette's colour that looks most like c; the eye sees green best.
func nearest(palette []uint32, c uint32) (best, distance int) {
	distance = 1 << 30
	for i, p := range palette {
		b, g, r := int(p>>16)-int(c>>16), int(p>>8&255)-int(c>>8&255), int(p&255)-int(c&255)
		if d := r*r*2 + g*g*4 + b*b; d < distance {
			best, distance = i, d
		}
	}
	return best, distance
}
