package layout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	graphviz "github.com/goccy/go-graphviz"

	"sluice/render/path"
)

// graphvizTurn is held by the one call that may be inside Graphviz: it is a single WebAssembly instance per process, and
// two calls at once destroy it.
var graphvizTurn = newGate()

// gate lets one caller in at a time and knows since when: Graphviz cannot be interrupted, so a layout that does not end
// would otherwise cost every later plan its whole patience.
type gate struct {
	slot  chan struct{}
	since atomic.Int64 // when the caller inside came in, in nanoseconds; 0 when nobody is
}

func newGate() *gate { return &gate{slot: make(chan struct{}, 1)} }

// overdue tells whether the caller inside has been there for longer than another would wait.
func (t *gate) overdue(patience time.Duration) bool {
	since := t.since.Load()
	return since != 0 && time.Since(time.Unix(0, since)) > patience
}

// take waits for the turn as long as ctx lasts.
func (t *gate) take(ctx context.Context) error {
	select {
	case t.slot <- struct{}{}:
		t.since.Store(time.Now().UnixNano())
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *gate) leave() {
	t.since.Store(0)
	<-t.slot
}

var graphvizStart = sync.OnceValues(func() (*graphviz.Graphviz, error) { return graphviz.New(context.Background()) })

var errNoOutput = errors.New("graphviz gave no output")

// runGraphviz lays DOT out and returns Graphviz' JSON. Only sizes and numbers may be in the source, never a user's words.
func runGraphviz(ctx context.Context, source string) (out []byte, err error) {
	if err := graphvizTurn.take(ctx); err != nil {
		return nil, err
	}
	defer graphvizTurn.leave()
	defer func() { // a trap inside the instance surfaces as a panic; charts are then stacked
		if p := recover(); p != nil {
			err = fmt.Errorf("graphviz panicked: %v", p)
		}
	}()
	gv, err := graphvizStart()
	if err != nil {
		return nil, fmt.Errorf("start graphviz: %w", err)
	}
	g, err := graphviz.ParseBytes([]byte(source))
	if err != nil {
		return nil, fmt.Errorf("parse the graph: %w", err)
	}
	defer g.Close()
	var b bytes.Buffer
	if err := gv.Render(context.Background(), g, "json0", &b); err != nil {
		return nil, fmt.Errorf("lay the graph out: %w", err)
	}
	if b.Len() == 0 { // some failures are reported as no error and no output
		return nil, errNoOutput
	}
	return b.Bytes(), nil
}

// graphvizLayout places a graph with Graphviz.
func graphvizLayout(ctx context.Context, g Graph, back []bool) (*Chart, error) {
	out, err := runGraphviz(ctx, dotSource(g, back))
	if err != nil {
		return nil, err
	}
	return readGraphviz(out, g, back)
}

// dotSource describes the graph as boxes of fixed size and labels as filler letters of a known width. No node is without a
// label: go-graphviz would set one, with a dozen calls for each.
func dotSource(g Graph, back []bool) string {
	var s strings.Builder
	s.WriteString("digraph{dpi=72;nodesep=0.34;ranksep=0.4;node[shape=box,fixedsize=true,label=\".\"];" +
		"edge[fontname=\"Times-Roman\",fontsize=12,arrowsize=0.75];\n")
	for i, n := range g.Nodes {
		outline := "box"
		if n.Corners {
			outline = "diamond"
		}
		fmt.Fprintf(&s, "n%d[shape=%s,width=%.4f,height=%.4f];\n", i, outline, n.W/72, n.H/72)
	}
	ports := ports(g, back)
	for i, e := range g.Edges {
		from, to := e.From, e.To
		if back[i] { // laid out forwards, so that the ranks stay those of the forward flow
			from, to = to, from
		}
		label := ""
		if e.Label > 0 { // an n of the built-in Times is half an em wide
			label = fmt.Sprintf(",label=%q", strings.Repeat("n", int(math.Ceil(e.Label/6))))
		}
		fmt.Fprintf(&s, "n%d->n%d[id=e%d%s%s];\n", from, to, i, ports[i], label)
	}
	s.WriteString("}")
	return s.String()
}

// ports are the attributes that say where each edge leaves and arrives.
func ports(g Graph, back []bool) []string {
	attrs := make([]string, len(g.Edges))
	loops := make([]bool, len(g.Nodes)) // a way back leaves here: it has the right corner
	for i, e := range g.Edges {
		loops[e.From] = loops[e.From] || back[i]
	}
	first := make([]bool, len(g.Nodes))
	branches := make([]int, len(g.Nodes))
	kinds := branchings(g, back)
	for i, e := range g.Edges {
		if back[i] {
			attrs[i] = ",dir=back,weight=0,tailport=e,headport=e"
			continue
		}
		leave := ""
		if !e.Aside {
			leave = ",tailport=s"
		}
		switch {
		case kinds[e.From] == equals || e.Aside:
		case !first[e.From]:
			first[e.From] = true
			attrs[i] = ",weight=6" // the first way out is the main line: keep it straight
		case kinds[e.From] == choice:
			side := branches[e.From]
			if loops[e.From] && !g.Nodes[e.From].mirrored && side == 0 {
				side++ // the loop has the right side
			}
			branches[e.From] = side + 1
			sides := [...]string{",tailport=e", ",tailport=w", ""}
			if g.Nodes[e.From].mirrored {
				sides[0], sides[1] = sides[1], sides[0]
			}
			leave = sides[min(side, 2)]
		}
		attrs[i] += leave + ",headport=n"
	}
	return attrs
}

// branching is how a node's ways out relate.
type branching int

const (
	single branching = iota
	equals           // several without a label: all leave by the foot, none is the main line
	choice           // several of which one is taken: the first leaves by the foot, the next two by the sides
)

func branchings(g Graph, back []bool) []branching {
	ways, labels := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	for i, e := range g.Edges {
		if back[i] || e.Aside {
			continue
		}
		ways[e.From]++
		if e.Label > 0 {
			labels[e.From]++
		}
	}
	out := make([]branching, len(g.Nodes))
	for n := range out {
		switch {
		case g.Nodes[n].Corners || ways[n] > 1 && labels[n] > 0:
			out[n] = choice
		case ways[n] > 1:
			out[n] = equals
		}
	}
	return out
}

// readGraphviz turns Graphviz' JSON into a chart: y down, every route from its tail to its head.
func readGraphviz(out []byte, g Graph, back []bool) (*Chart, error) {
	var doc struct {
		BB      string
		Objects []struct{ Name, Pos string }
		Edges   []struct{ ID, Pos, Lp string }
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return nil, fmt.Errorf("read the layout: %w", err)
	}
	bb := numbers(doc.BB)
	if len(bb) != 4 || len(doc.Objects) != len(g.Nodes) || len(doc.Edges) != len(g.Edges) {
		return nil, errors.New("read the layout: it is not complete")
	}
	c := &Chart{W: bb[2], H: bb[3], By: "graphviz", Centres: make([]path.Point, len(g.Nodes)), Routes: make([]Route, len(g.Edges))}
	at := func(xy []float64) path.Point { return path.Point{X: xy[0], Y: bb[3] - xy[1]} }
	for _, o := range doc.Objects {
		i, err := strconv.Atoi(strings.TrimPrefix(o.Name, "n"))
		xy := numbers(o.Pos)
		if err != nil || i >= len(g.Nodes) || len(xy) != 2 {
			return nil, fmt.Errorf("read the layout: node %q at %q", o.Name, o.Pos)
		}
		c.Centres[i] = at(xy)
	}
	for _, e := range doc.Edges {
		i, err := strconv.Atoi(strings.TrimPrefix(e.ID, "e"))
		if err != nil || i >= len(g.Edges) {
			return nil, fmt.Errorf("read the layout: edge %q", e.ID)
		}
		points, err := spline(e.Pos, at, back[i])
		if err != nil {
			return nil, fmt.Errorf("read the layout: %w", err)
		}
		c.Routes[i] = Route{Points: points, Back: back[i]}
		if xy := numbers(e.Lp); len(xy) == 2 {
			c.Routes[i].Label = at(xy)
		} else {
			c.Routes[i].Label = middle(points)
		}
	}
	return c, nil
}

// spline reads an edge's position: Bézier points after an optional arrow tip "e,x,y" (or "s,x,y" where the edge was
// turned around).
func spline(pos string, at func([]float64) path.Point, turned bool) ([]path.Point, error) {
	pos, _, _ = strings.Cut(pos, ";")
	var points []path.Point
	var tip *path.Point
	for f := range strings.FieldsSeq(pos) {
		isTip := strings.HasPrefix(f, "e,") || strings.HasPrefix(f, "s,")
		if isTip {
			f = f[2:]
		}
		xy := numbers(f)
		if len(xy) != 2 {
			return nil, fmt.Errorf("edge at %q", pos)
		}
		if p := at(xy); isTip {
			tip = &p
		} else {
			points = append(points, p)
		}
	}
	if len(points) < 4 || len(points)%3 != 1 {
		return nil, fmt.Errorf("edge at %q", pos)
	}
	if turned {
		slices.Reverse(points)
	}
	if tip != nil { // continue the curve to the tip
		end := points[len(points)-1]
		points = append(points, end.Lerp(*tip, 1.0/3), end.Lerp(*tip, 2.0/3), *tip)
	}
	return points, nil
}

func middle(points []path.Point) path.Point {
	i := (len(points) - 1) / 3 / 2 * 3
	return path.Bezier(points[i], points[i+1], points[i+2], points[i+3], .5)
}

// numbers reads "1,2.5"; anything else is nil.
func numbers(s string) []float64 {
	var out []float64
	for f := range strings.SplitSeq(s, ",") {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}
