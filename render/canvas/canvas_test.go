package canvas

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"sluice/render/path"
	"sluice/render/text"
)

var paper = Hex("#FCFBF8")

func TestHexRoundTrip(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"#000000", "#ffffff", "#8aad3f", "#cc8850"} {
		if got := Hex(s).Hex(); got != s {
			t.Errorf("%s became %s", s, got)
		}
	}
	if got := Hex("#000000").Alpha(.5).Over(Hex("#ffffff")).Hex(); got != "#808080" {
		t.Errorf("half black on white is %s", got)
	}
}

// drawing puts everything that a canvas can do on it.
func drawing(cv Canvas) {
	cv.Begin(Group{Class: "a <b>", ID: `"><x`, Tooltip: "]]> & \x01\nsecond", Offset: path.Point{X: 10, Y: 5}})
	cv.Path(path.Rect(0, 0, 40, 20, 0), Ink{Fill: Hex("#d06818")})
	cv.Path(path.Circle(path.Point{X: 60, Y: 10}, 9), Ink{Fill: Hex("#508878").Alpha(.5), Stroke: Hex("#508878"), Width: 2})
	cv.Path(path.Polyline(path.Point{X: 0, Y: 30}, path.Point{X: 80, Y: 30}), Ink{Stroke: Hex("#000000"), Width: 1.5, Dash: []float64{4, 2}, RoundCap: true})
	cv.Text("<&> 漢字", path.Point{X: 0, Y: 50}, text.Style{Size: 13, Bold: true}, Hex("#1D1C1D"))
	cv.End()
}

func TestSVGIsWellFormed(t *testing.T) {
	t.Parallel()
	s := NewSVG(100, 60, "<title>", "what it shows & more")
	drawing(s)
	doc := s.Bytes()
	for d := xml.NewDecoder(bytes.NewReader(doc)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, doc)
		}
	}
	for _, want := range []string{`fill-opacity="0.5"`, `stroke-dasharray="4 2"`, `translate(10,5)`, "&lt;&amp;&gt; 漢字", `<desc id="sluice-desc">what it shows &amp; more</desc>`} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("%s is missing in\n%s", want, doc)
		}
	}
}

func TestRasterKeepsExactColours(t *testing.T) {
	t.Parallel()
	r := NewRaster(100, 60, 2, paper)
	drawing(r)
	b, err := r.PNG()
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Bounds().Size(); got != image.Pt(200, 120) {
		t.Errorf("it is %v pixels large", got)
	}
	for at, want := range map[image.Point]string{{X: 190, Y: 110}: "#fcfbf8", {X: 50, Y: 30}: "#d06818"} {
		red, green, blue, _ := m.At(at.X, at.Y).RGBA()
		got := Colour{float64(red) / 0xffff, float64(green) / 0xffff, float64(blue) / 0xffff, 1}.Hex()
		if got != want {
			t.Errorf("at %v it is %s, want %s", at, got, want)
		}
	}
}

func TestHugePicturesAreScaledDown(t *testing.T) {
	t.Parallel()
	r := NewRaster(4000, 40000, 2, paper)
	if s := r.image().Rect.Size(); float64(s.X*s.Y) > MaxPixels*1.01 {
		t.Errorf("%v pixels", s)
	}
}

// With few colours the palette is exact; with more than it holds, none is far off.
func TestPalette(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	m := image.NewRGBA(image.Rect(0, 0, 200, 200))
	for i := range 200 * 200 {
		c := color.RGBA{uint8(i % 200), 100, 50, 255}
		if i > 200*150 { // the busy quarter: blends between two colours
			k := r.IntN(256)
			c = color.RGBA{uint8(k), uint8(255 - k), uint8(100 + k/4), 255}
		}
		m.SetRGBA(i%200, i/200, c)
	}
	p := paletted(m)
	if len(p.Palette) > 256 {
		t.Fatalf("%d colours", len(p.Palette))
	}
	worst := 0
	for i := range p.Pix {
		red, green, blue, _ := p.Palette[p.Pix[i]].RGBA()
		for j, v := range []uint32{red, green, blue} {
			worst = max(worst, abs(int(v>>8)-int(m.Pix[4*i+j])))
		}
	}
	if worst > 12 {
		t.Errorf("a pixel is off by %d of 255", worst)
	}
}

func abs(v int) int { return max(v, -v) }

func TestRectangle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path path.Path
		want bool
	}{
		"sharp":   {path.Rect(1, 2, 3, 4, 0), true},
		"round":   {path.Rect(1, 2, 3, 4, 1), false},
		"slanted": {path.Polygon(path.Point{}, path.Point{X: 4, Y: 1}, path.Point{X: 4, Y: 5}, path.Point{Y: 4}), false},
		"open":    {path.Polyline(path.Point{}, path.Point{X: 4}), false},
	} {
		if _, got := rectangle(c.path); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
