package canvas

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// exact is how many of the most used colours keep their value: fills, strokes and text, of which a chart has some dozens.
const exact = 96

// paletted turns flat art into a picture of at most 256 colours. The rest, mostly blends at edges, goes to the nearest.
func paletted(m *image.RGBA) *image.Paletted {
	counts := count(m.Pix)
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	index, palette := choose(colours)
	out := image.NewPaletted(m.Rect, make(color.Palette, len(palette)))
	for i, c := range palette {
		out.Palette[i] = color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255}
	}
	last, at := rgb(m.Pix, 0), index[rgb(m.Pix, 0)]
	for i, o := 0, 0; i < len(m.Pix); i, o = i+4, o+1 {
		if c := rgb(m.Pix, i); c != last {
			last, at = c, index[c]
		}
		out.Pix[o] = at
	}
	return out
}

func rgb(pix []uint8, i int) uint32 {
	return uint32(pix[i])<<16 | uint32(pix[i+1])<<8 | uint32(pix[i+2])
}

// count says how often each colour is used; runs of one colour, most of a chart, cost one lookup.
func count(pix []uint8) map[uint32]int {
	n := map[uint32]int{}
	for i := 0; i < len(pix); {
		c, j := rgb(pix, i), i+4
		for j < len(pix) && rgb(pix, j) == c {
			j += 4
		}
		n[c] += (j - i) / 4
		i = j
	}
	return n
}

// choose makes the palette from colours in order of use, and the place in it of each of them.
func choose(colours []uint32) (index map[uint32]uint8, palette []uint32) {
	index = make(map[uint32]uint8, len(colours))
	keep := func(c uint32) {
		index[c] = uint8(len(palette))
		palette = append(palette, c)
	}
	for _, c := range colours[:min(exact, len(colours))] {
		keep(c)
	}
	rest := colours[min(exact, len(colours)):]
	for _, tolerance := range []int{4500, 1200, 240, 60, 0} { // spread the palette over the colours in use, then refine
		var far []uint32
		for _, c := range rest {
			if _, d := nearest(palette, c); len(palette) < 256 && d > tolerance {
				keep(c)
			} else {
				far = append(far, c)
			}
		}
		rest = far
	}
	for _, c := range rest {
		i, _ := nearest(palette, c)
		index[c] = uint8(i)
	}
	return index, palette
}

// nearest is the palette's colour that looks most like c; the eye sees green best.
func nearest(palette []uint32, c uint32) (best, distance int) {
	distance = 1 << 30
	for i, p := range palette {
		r, g, b := int(p>>16)-int(c>>16), int(p>>8&255)-int(c>>8&255), int(p&255)-int(c&255)
		if d := r*r*2 + g*g*4 + b*b; d < distance {
			best, distance = i, d
		}
	}
	return best, distance
}
