package canvas

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"

	"sluice/render/path"
	"sluice/render/text"
)

// SVG is a canvas that writes a self-contained SVG document.
type SVG struct {
	buf   bytes.Buffer
	links []bool // of the open groups: whether an anchor is around it
}

// NewSVG starts a document of w by h CSS pixels. Title and description are what screen readers say.
func NewSVG(w, h float64, title, description string) *SVG {
	s := &SVG{}
	fmt.Fprintf(&s.buf, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="sluice-title sluice-desc" font-family="Inter, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif">`,
		number(w), number(h), number(w), number(h))
	fmt.Fprintf(&s.buf, "\n<title id=\"sluice-title\">%s</title>\n<desc id=\"sluice-desc\">%s</desc>", escape(title), escape(description))
	return s
}

// Bytes ends the document and returns it.
func (s *SVG) Bytes() []byte {
	s.buf.WriteString("\n</svg>\n")
	return s.buf.Bytes()
}

// Path writes a path element.
func (s *SVG) Path(p path.Path, ink Ink) {
	s.buf.WriteString("\n<path d=\"")
	for i := range p {
		s.buf.WriteByte(byte(p[i].Op))
		for j, q := range p[i].Points() {
			if j > 0 {
				s.buf.WriteByte(' ')
			}
			s.buf.WriteString(number(q.X))
			s.buf.WriteByte(',')
			s.buf.WriteString(number(q.Y))
		}
	}
	s.buf.WriteByte('"')
	s.colour("fill", ink.Fill)
	if ink.Stroke.A > 0 {
		s.colour("stroke", ink.Stroke)
		fmt.Fprintf(&s.buf, ` stroke-width="%s" stroke-linejoin="round"`, number(ink.Width))
		if ink.RoundCap {
			s.buf.WriteString(` stroke-linecap="round"`)
		}
		if ink.Dash != nil {
			dash := make([]string, len(ink.Dash))
			for i, d := range ink.Dash {
				dash[i] = number(d)
			}
			fmt.Fprintf(&s.buf, ` stroke-dasharray="%s"`, strings.Join(dash, " "))
		}
	}
	s.buf.WriteString("/>")
}

func (s *SVG) colour(attribute string, c Colour) {
	if c.A == 0 {
		fmt.Fprintf(&s.buf, ` %s="none"`, attribute)
		return
	}
	r, g, b := c.bytes()
	fmt.Fprintf(&s.buf, ` %s="#%02x%02x%02x"`, attribute, r, g, b)
	if c.A < 1 {
		fmt.Fprintf(&s.buf, ` %s-opacity="%s"`, attribute, number(c.A))
	}
}

// Text writes a text element as long as it was measured.
func (s *SVG) Text(line string, at path.Point, st text.Style, c Colour) {
	if line == "" {
		return
	}
	fmt.Fprintf(&s.buf, "\n<text x=\"%s\" y=\"%s\" font-size=\"%s\"", number(at.X), number(at.Y), number(st.Size))
	if st.Bold {
		s.buf.WriteString(` font-weight="600"`)
	}
	s.colour("fill", c)
	fmt.Fprintf(&s.buf, ` textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`, number(text.Width(line, st)), escape(line))
}

// Begin opens a g element.
func (s *SVG) Begin(g Group) {
	s.links = append(s.links, g.Link != "")
	if g.Link != "" {
		fmt.Fprintf(&s.buf, "\n<a href=\"%s\">", escape(g.Link))
	}
	fmt.Fprintf(&s.buf, "\n<g class=\"%s\"", escape(g.Class))
	if g.ID != "" {
		fmt.Fprintf(&s.buf, ` data-id="%s"`, escape(g.ID))
	}
	if g.Offset != (path.Point{}) {
		fmt.Fprintf(&s.buf, ` transform="translate(%s,%s)"`, number(g.Offset.X), number(g.Offset.Y))
	}
	s.buf.WriteByte('>')
	if g.Tooltip != "" {
		fmt.Fprintf(&s.buf, "<title>%s</title>", escape(g.Tooltip))
	}
}

// End closes the g element opened last, with the link around it.
func (s *SVG) End() {
	s.buf.WriteString("</g>")
	last := len(s.links) - 1
	if s.links[last] {
		s.buf.WriteString("</a>")
	}
	s.links = s.links[:last]
}

// number writes hundredths of a pixel: finer steps cannot be seen.
func number(v float64) string {
	v = math.Round(v*100) / 100
	if v == 0 {
		return "0" // never -0
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// escape makes any bytes valid in XML text and attributes; characters that XML does not allow become U+FFFD.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}
