package render

import (
	"context"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/render/layout"
	"sluice/render/path"
	"sluice/render/shape"
	"sluice/render/text"
)

var (
	nameStyle  = text.Style{Size: 13, Bold: true}
	descStyle  = text.Style{Size: 11}
	noteStyle  = text.Style{Size: 11, Bold: true}
	labelStyle = text.Style{Size: 11, Bold: true}
)

const (
	nameLine, descLine = 16.0, 14.0 // from baseline to baseline
	stubLimit          = 104.0      // the width of a line in a stub
	tagLine            = 21.0       // of a pill below the words
	labelLimit         = 140.0
	pillPad            = 7.0
)

// widest is how wide a picture may be: shown 340 px wide, as on a phone, its smallest words still have 9 px.
const widest = 415.0

// drawing is a chart measured and laid out: everything that does not depend on states, theme or scale. It is kept and shared
// between pictures; nothing changes it.
type drawing struct {
	boxes []box
	wires []wire
	w, h  float64
	by    string
	// makeshift is a layout that is not kept.
	makeshift bool
	// Where the boxes and the ways are, by index of boxes and wires.
	nodesAt grid[int]
	waysAt  grid[waypoint]
}

// waypoint is a point on the way of an edge.
type waypoint struct {
	path.Point
	wire int
}

// box is a node with its words set and its outline drawn.
type box struct {
	shape.Box
	node       chart.Node
	ghost      bool // removed; there for the comparison only
	border     path.Path
	inner      []path.Path
	outline    []path.Point
	style      text.Style // of the name
	name, desc []line
	tag        line // in a pill below them
}

// line is a row of words in a node: its baseline, and the package that the outline leaves it.
type line struct {
	words string
	y     float64
	room  float64
}

// wire is an edge with its label set and its way led.
type wire struct {
	edge     chart.Edge
	ghost    bool
	from, to int
	label    string
	route    layout.Route
	way      []path.Point // points on the route, some pixels apart
}

// compose measures and lays out a chart with what a comparison adds to it.
func compose(ctx context.Context, p chart.Chart, d *Diff, patience time.Duration) (*drawing, error) {
	c := &drawing{}
	index := map[string]int{}
	add := func(n chart.Node, ghost bool) {
		if _, ok := index[n.ID]; ok {
			return
		}
		n.Type = kindOf(n)
		index[n.ID] = len(c.boxes)
		c.boxes = append(c.boxes, measure(n, ghost, settings[0]))
	}
	link := func(e chart.Edge, ghost bool, mark string) {
		from, ok1 := index[e.From]
		to, ok2 := index[e.To]
		if ok1 && ok2 {
			c.wires = append(c.wires, wire{edge: e, ghost: ghost, from: from, to: to, label: labelOf(e, mark)})
		}
	}
	for _, n := range p.Nodes {
		add(n, false)
	}
	if d != nil {
		for _, n := range d.RemovedNodes {
			add(n, true)
		}
	}
	for _, e := range p.Edges {
		link(e, false, d.edgeMark(e.ID))
	}
	if d != nil {
		for _, e := range d.RemovedEdges {
			link(e, true, markRemoved)
		}
	}
	return c, c.arrange(ctx, patience)
}

// labelOf is the text of an edge's pill, with the mark of a comparison before it.
func labelOf(e chart.Edge, mark string) string {
	label := text.Clean(e.Label)
	if label == "" && e.Error {
		label = "on error"
	}
	if mark != "" {
		label = mark + " " + label
	}
	return text.Fit(label, labelStyle, labelLimit)
}

// arrange sends the sizes to the layout and takes the places from it.
func (c *drawing) arrange(ctx context.Context, patience time.Duration) error {
	var edges []layout.Edge
	for _, w := range c.wires {
		edges = append(edges, layout.Edge{From: w.from, To: w.to, Label: pillWidth(w.label), Aside: w.edge.Error})
	}
	sizes, boxes := make([]layout.Graph, len(settings)), make([][]box, len(settings))
	for i, as := range settings {
		for _, b := range c.boxes {
			if i > 0 {
				b = measure(b.node, b.ghost, as)
			}
			boxes[i] = append(boxes[i], b)
			sizes[i].Nodes = append(sizes[i].Nodes, layout.Node{W: b.W, H: b.H, Outline: b.outline, Corners: b.node.Type == flow.TypeDecision, Beside: b.node.Stub})
		}
		sizes[i].Edges = edges
	}
	placed, size, err := layout.Arrange(ctx, sizes, widest-2*pad, patience)
	if err != nil {
		return err
	}
	c.boxes = boxes[size]
	for i := range c.boxes {
		c.boxes[i].moveTo(placed.Centres[i])
	}
	step := 5.0
	if len(c.wires) > 150 {
		step = 20 // a coarse look at edges is enough where nobody can follow them all
	}
	for i := range c.wires {
		c.wires[i].route = placed.Routes[i]
		c.wires[i].way = path.Evenly(placed.Routes[i].Points, step)
	}
	c.w, c.h, c.by, c.makeshift = placed.W, placed.H, placed.By, placed.Makeshift
	c.index()
	return nil
}

func (c *drawing) index() {
	c.nodesAt, c.waysAt = newGrid[int](), newGrid[waypoint]()
	for i := range c.boxes {
		c.nodesAt.add(i, c.boxes[i].Centre, c.boxes[i].W/2, c.boxes[i].H/2)
	}
	for i := range c.wires {
		for _, p := range c.wires[i].way {
			c.waysAt.add(waypoint{p, i}, p, 0, 0)
		}
	}
}

func pillWidth(label string) float64 {
	if label == "" {
		return 0
	}
	return text.Width(label, labelStyle) + 2*pillPad
}

// setting is how wide the words of a chart are set: the width of a line in a node, and in a decision, whose room narrows
// upwards and downwards.
type setting struct{ line, diamond float64 }

// settings are those that are tried, in their order.
var settings = []setting{{158, 118}, {104, 88}}

// limit is the width of a line in a node of a type.
func (s setting) limit(t flow.FlowchartType) float64 {
	switch t {
	case flow.TypeDecision:
		return s.diamond
	case shape.Person:
		return s.line - shape.Band/2
	}
	return s.line
}

// measure sets a node's words around the middle of its outline, which is drawn around {0, 0}.
func measure(n chart.Node, ghost bool, as setting) box {
	b := box{node: n, ghost: ghost, style: nameStyle}
	limit, nameHeight := as.limit(n.Type), nameLine
	if n.Stub {
		b.style, limit, nameHeight = noteStyle, stubLimit, descLine
	}
	names, descs, tags := b.words(limit)
	y := -(nameHeight*float64(len(names)) + descLine*float64(len(descs)) + tagLine*float64(len(tags))) / 2
	var rows []shape.Row
	for _, s := range names {
		b.name = append(b.name, line{words: s, y: y + nameHeight*.75})
		rows = append(rows, shape.Row{Width: text.Width(s, b.style), Top: y + 2, Bottom: y + nameHeight - 1})
		y += nameHeight
	}
	for _, s := range descs {
		b.desc = append(b.desc, line{words: s, y: y + 11})
		rows = append(rows, shape.Row{Width: text.Width(s, descStyle), Top: y + 2, Bottom: y + 13.5})
		y += descLine
	}
	for _, s := range tags {
		b.tag = line{words: s, y: y + 15.5}
		rows = append(rows, shape.Row{Width: pillWidth(s), Top: y + 3, Bottom: y + tagLine})
	}
	var shift float64
	b.W, b.H, shift = shape.Fit(n.Type, rows)
	b.border, b.inner = shape.Outline(n.Type, b.Box)
	b.outline = b.border.Flat()
	b.tag.y += shift
	for i := range b.name {
		b.name[i].y += shift
	}
	for i := range b.desc {
		b.desc[i].y += shift
		b.desc[i].room = b.roomAt(b.desc[i].y-10, b.desc[i].y+3)
	}
	return b
}

// words are the lines of a node: its name, its description, and what stands in a pill below them.
func (b *box) words(limit float64) (names, descs, tags []string) {
	n := b.node
	name, desc := text.Clean(n.Name), text.Clean(n.Description)
	if name == "" {
		name = text.Clean(n.ID)
	}
	if desc == "" && !strings.EqualFold(name, word(n.Type)) {
		desc = word(n.Type)
	}
	names = text.Wrap(name, b.style, limit, 3)
	rows := descRows(n)
	if n.Open {
		tags = []string{openWords}
		rows--
	}
	if rows > 0 {
		descs = text.Wrap(desc, descStyle, limit, rows)
	}
	return names, descs, tags
}

// descRows is how many lines a description may have: the foot of a diamond has room for one, a stub for none.
func descRows(n chart.Node) int {
	switch {
	case n.Stub:
		return 0
	case n.Type == flow.TypeDecision:
		return 1
	}
	return 2
}

// middle is the x around which the words stand.
func (b *box) middle() float64 { return b.Centre.X + shape.Aside(b.node.Type) }

// roomAt is how wide a centred line between two heights may be inside the outline, with some air.
func (b *box) roomAt(top, bottom float64) float64 {
	const air = 8.0
	half, aside := b.W/2, shape.Aside(b.node.Type)
	half -= aside
	for _, y := range []float64{top, bottom} {
		x := 0.0
		for x < half && path.Inside(path.Point{X: aside + x, Y: y}, b.outline) && path.Inside(path.Point{X: aside - x, Y: y}, b.outline) {
			x++
		}
		half = min(half, x)
	}
	for _, p := range b.inner { // the bars of a subroutine stand in the way
		if at := p.End(); at.Y >= bottom {
			half = min(half, max(at.X, -at.X))
		}
	}
	return max(2*half-2*air, 0)
}

// moveTo puts a box, measured around {0, 0}, in its place.
func (b *box) moveTo(centre path.Point) {
	b.Centre = centre
	b.border, b.inner = shape.Outline(b.node.Type, b.Box)
	b.outline = b.border.Flat()
}

// corner is where a mark sits at a corner of the box (sx and sy are -1 or 1): on the nearest point of the outline, and
// on a diamond or a round end a little outside it, where the words do not reach.
func (b *box) corner(sx, sy float64) path.Point {
	if b.node.Type == flow.TypeDecision {
		up := min(max((10-b.name[0].y+11)/(b.H/2), .4), .75) // how far from the side corner to the top, as a share
		out := path.Point{X: sx * b.H, Y: sy * b.W}.Unit().Mul(4)
		return b.Centre.Add(path.Point{X: sx * b.W / 2 * (1 - up), Y: sy * b.H / 2 * up}).Add(out)
	}
	edge := path.Nearest(path.Point{X: b.Centre.X + sx*b.W/2, Y: b.Centre.Y + sy*b.H/2}, b.outline)
	if b.node.Type == flow.TypeStart || b.node.Type == flow.TypeTerminal {
		edge = edge.Add(path.Point{X: sx, Y: sy}.Unit().Mul(5))
	}
	if b.node.Type == flow.TypeIO || b.node.Type == flow.TypeBrowser {
		edge.X += 3 * sx
	}
	return edge
}

// The marks of a comparison: letters, so that they do not rely on colour.
const (
	markAdded   = "+"
	markRemoved = "−"
	markChanged = "~"
)

// marks are the marks of the chart's nodes by id.
func (d *Diff) marks() map[string]string {
	if d == nil {
		return nil
	}
	return marked(d.Added, d.Changed)
}

// edgeMarks are the marks of the chart's edges by id.
func (d *Diff) edgeMarks() map[string]string {
	if d == nil {
		return nil
	}
	return marked(d.AddedEdges, d.ChangedEdges)
}

func marked(added, changed []string) map[string]string {
	marks := make(map[string]string, len(added)+len(changed))
	for _, id := range changed {
		marks[id] = markChanged
	}
	for _, id := range added {
		marks[id] = markAdded
	}
	return marks
}

// nodeMark is the mark of a node of the chart, or "".
func (d *Diff) nodeMark(id string) string {
	switch {
	case d == nil:
		return ""
	case slices.Contains(d.Added, id):
		return markAdded
	case slices.Contains(d.Changed, id):
		return markChanged
	}
	return ""
}

// edgeMark is the mark of an edge of the chart, or "".
func (d *Diff) edgeMark(id string) string {
	switch {
	case d == nil:
		return ""
	case slices.Contains(d.AddedEdges, id):
		return markAdded
	case slices.Contains(d.ChangedEdges, id):
		return markChanged
	}
	return ""
}
