package text

import (
	_ "embed" // the fonts are part of the program
	"fmt"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"sluice/render/path"
)

var (
	//go:embed fonts/Inter-Regular.otf
	interRegular []byte
	//go:embed fonts/Inter-SemiBold.otf
	interSemiBold []byte
	//go:embed fonts/DroidSansFallback.ttf
	droidFallback []byte
	//go:embed fonts/NotoSansHebrew-Regular.ttf
	notoHebrew []byte
	//go:embed fonts/NotoSansArabic-Regular.ttf
	notoArabic []byte
)

var (
	regular  = sync.OnceValue(func() *face { return parse("Inter Regular", interRegular) })
	semibold = sync.OnceValue(func() *face { return parse("Inter SemiBold", interSemiBold) })
	fallback = sync.OnceValue(func() *face { return parse("Droid Sans Fallback", droidFallback) })
	hebrew   = sync.OnceValue(func() *face { return parse("Noto Sans Hebrew", notoHebrew) })
	arabic   = sync.OnceValue(func() *face { return parse("Noto Sans Arabic", notoArabic) })
)

// spare is the letter r of a font that has what the main fonts lack; known is false where none has it.
func spare(r rune) *glyph {
	switch {
	case r >= 0x590 && r < 0x600 || r >= 0xfb1d && r < 0xfb50:
		return hebrew().glyph(r)
	case r >= 0x600 && r < 0x700 || r >= 0xfb50 && r < 0xfe00 || r >= 0xfe70 && r < 0xfeff:
		return arabic().glyph(r)
	}
	return fallback().glyph(r)
}

// em is the size at which outlines and advances are read from the font; they are kept as shares of it.
const em = 1024

// glyphLimit bounds the outlines kept per font: a chart uses some dozens, and the fallback font has fifty thousand.
const glyphLimit = 4096

// face is a parsed font with the glyphs already read. Its lock makes it safe for concurrent use.
type face struct {
	font   *sfnt.Font
	mu     sync.Mutex
	buffer sfnt.Buffer
	glyphs map[rune]*glyph
	kerns  map[[2]sfnt.GlyphIndex]float64
}

// glyph is one letter; lengths are shares of the font size, y down from the baseline.
type glyph struct {
	known   bool
	index   sfnt.GlyphIndex
	advance float64
	outline path.Path
}

func parse(name string, data []byte) *face {
	f, err := sfnt.Parse(data)
	if err != nil {
		panic(fmt.Sprintf("text: the embedded font %s does not parse: %v", name, err))
	}
	return &face{font: f, glyphs: map[rune]*glyph{}, kerns: map[[2]sfnt.GlyphIndex]float64{}}
}

// glyph is the letter r of the font; a letter that the font lacks is known == false.
func (f *face) glyph(r rune) *glyph {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g := f.glyphs[r]; g != nil {
		return g
	}
	if len(f.glyphs) >= glyphLimit {
		clear(f.glyphs)
	}
	g := f.read(r)
	f.glyphs[r] = g
	return g
}

func (f *face) read(r rune) *glyph {
	index, err := f.font.GlyphIndex(&f.buffer, r)
	if err != nil || index == 0 {
		return &glyph{}
	}
	advance, err := f.font.GlyphAdvance(&f.buffer, index, fixed.I(em), font.HintingNone)
	if err != nil {
		return &glyph{}
	}
	segments, err := f.font.LoadGlyph(&f.buffer, index, fixed.I(em), nil)
	if err != nil {
		return &glyph{}
	}
	return &glyph{known: true, index: index, advance: float64(advance) / 64 / em, outline: outline(segments)}
}

func outline(segments sfnt.Segments) path.Path {
	var p path.Path
	at := func(q fixed.Point26_6) path.Point {
		return path.Point{X: float64(q.X) / 64 / em, Y: float64(q.Y) / 64 / em}
	}
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			p.Close()
			p.MoveTo(at(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			p.LineTo(at(s.Args[0]))
		case sfnt.SegmentOpQuadTo: // the same curve as a cubic one
			from, c, end := p.End(), at(s.Args[0]), at(s.Args[1])
			p.CubicTo(from.Lerp(c, 2.0/3), end.Lerp(c, 2.0/3), end)
		case sfnt.SegmentOpCubeTo:
			p.CubicTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
		}
	}
	p.Close()
	return p
}

// kern is how much nearer (when negative) b sits after a, as a share of the font size.
func (f *face) kern(a, b sfnt.GlyphIndex) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	pair := [2]sfnt.GlyphIndex{a, b}
	if k, ok := f.kerns[pair]; ok {
		return k
	}
	if len(f.kerns) >= glyphLimit {
		clear(f.kerns)
	}
	k := 0.0
	if v, err := f.font.Kern(&f.buffer, a, b, fixed.I(em), font.HintingNone); err == nil {
		k = float64(v) / 64 / em
	}
	f.kerns[pair] = k
	return k
}
