package render

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/render/group"
	"sluice/render/layout"
	"sluice/render/text"
)

// The size of an overview: what can still be read where a picture is seen, and few enough ways to follow them.
const (
	overviewShapes = 20
	overviewWays   = 44
	few            = 12 // so few nodes are never grouped, however many edges they have
)

// inset is what a shape shows beside its node: it stands for several, or for what is on another page.
type inset struct {
	badge string   // in the place of a number, such as "3–14"
	names []string // of the nodes that it stands for, for the tooltip
	away  bool     // on another page
}

// Overview is the request for the picture of a large chart in which runs of plain steps, parallel blocks and the branches
// of decisions are one shape each. A request whose chart can be drawn step by step (up to 60 nodes and 90 edges, those
// that a comparison adds included) is returned as it is. PNG, SVG and Alt take the overview of a large chart by themselves.
func (r *Renderer) Overview(q Request) Request {
	if !q.large() || r.budget.admit(q) != nil {
		return q
	}
	e := expand(q)
	return e.contract(e.divide(), q.Chart.Title, "overview · "+q.subtitle())
}

// large tells whether a chart is too much for one picture.
func (r Request) large() bool {
	if r.whole {
		return false
	}
	nodes, edges := r.size()
	return nodes > layout.MaxNodes || edges > layout.MaxEdges
}

// expanded is a request with what its comparison removed put back among nodes and edges, each with its mark.
type expanded struct {
	request Request
	nodes   []chart.Node
	index   map[string]int
	marks   []string // of the nodes
	edges   []chart.Edge
	edgeOf  []string // the marks of the edges
}

func expand(q Request) *expanded {
	e := &expanded{request: q, index: map[string]int{}}
	addNode := func(n chart.Node, mark string) {
		if _, ok := e.index[n.ID]; !ok {
			e.index[n.ID] = len(e.nodes)
			e.nodes, e.marks = append(e.nodes, n), append(e.marks, mark)
		}
	}
	addEdge := func(w chart.Edge, mark string) {
		_, ok1 := e.index[w.From]
		_, ok2 := e.index[w.To]
		if ok1 && ok2 {
			e.edges, e.edgeOf = append(e.edges, w), append(e.edgeOf, mark)
		}
	}
	marks := q.Diff.marks()
	for _, n := range q.Chart.Nodes {
		addNode(n, marks[n.ID])
	}
	if q.Diff != nil {
		for _, n := range q.Diff.RemovedNodes {
			addNode(n, markRemoved)
		}
	}
	edgeMarks := q.Diff.edgeMarks()
	for _, w := range q.Chart.Edges {
		addEdge(w, edgeMarks[w.ID])
	}
	if q.Diff != nil {
		for _, w := range q.Diff.RemovedEdges {
			addEdge(w, markRemoved)
		}
	}
	return e
}

// divide finds the groups.
func (e *expanded) divide() []cluster {
	g := group.Graph{Plain: make([]bool, len(e.nodes))}
	for i, n := range e.nodes {
		g.Plain[i] = n.Type != flow.TypeStart && n.Type != flow.TypeTerminal && n.Type != flow.TypeDecision
	}
	for _, w := range e.edges {
		g.Edges = append(g.Edges, group.Edge{From: e.index[w.From], To: e.index[w.To], Aside: w.Error})
	}
	var out []cluster
	if len(e.nodes) <= few {
		for i := range e.nodes {
			out = append(out, e.clusterOf([]int{i}))
		}
		return out
	}
	for _, members := range group.Divide(g, overviewShapes, overviewWays) {
		out = append(out, e.clusterOf(members))
	}
	return out
}

// cluster is one shape of a contracted picture: a node as it is, or one that stands for several.
type cluster struct {
	node    chart.Node
	members []int
	inset   inset
}

func (c *cluster) single() bool { return len(c.members) == 1 }

// clusterOf makes the shape of a group.
func (e *expanded) clusterOf(members []int) cluster {
	first := e.nodes[members[0]]
	if len(members) == 1 {
		return cluster{node: first, members: members, inset: e.request.insets[first.ID]}
	}
	c := cluster{members: members, node: chart.Node{ID: "group of " + first.ID, Name: first.Name, Type: flow.TypeSubprocess}}
	for e.has(c.node.ID) {
		c.node.ID += "'"
	}
	var steps []int
	for _, m := range members {
		n := e.nodes[m]
		if n.Number != "" {
			steps = append(steps, m)
		}
		c.node.Open = c.node.Open || n.Open
		c.inset.names = append(c.inset.names, numbered(n))
	}
	c.node.Description = plural(max(len(steps), 1), "step")
	if len(steps) == 0 {
		c.node.Description = fmt.Sprintf("%d shapes", len(members))
	}
	if last := text.Plain(e.nodes[members[len(members)-1]].Name); last != "" && last != text.Plain(first.Name) {
		c.node.Description += ", up to " + last
	}
	c.inset.badge = e.badgeOf(steps, len(members))
	return c
}

func (e *expanded) has(id string) bool {
	_, ok := e.index[id]
	return ok
}

// badgeOf is the range of the steps' numbers where it has no gaps, else how many shapes there are.
func (e *expanded) badgeOf(steps []int, members int) string {
	if len(steps) == 0 {
		return fmt.Sprintf("×%d", members)
	}
	lo, hi := slices.Min(steps), slices.Max(steps)
	between := 0
	for _, n := range e.nodes[lo : hi+1] {
		if n.Number != "" {
			between++
		}
	}
	first, last := e.nodes[lo].Number, e.nodes[hi].Number
	switch {
	case between != len(steps):
		return fmt.Sprintf("×%d", len(steps))
	case first == last:
		return first
	}
	return first + "–" + last
}

// contract is the request for a picture of clusters. Edges between the same two are one, those inside of one and those
// between two that are away are none.
func (e *expanded) contract(clusters []cluster, title, subtitle string) Request {
	q := e.request
	out := Request{Chart: chart.Chart{Title: title, Description: q.Chart.Description}, Theme: q.Theme, Scale: q.Scale, Subtitle: subtitle, whole: true, insets: map[string]inset{}}
	if q.Diff != nil {
		out.Diff = &Diff{}
	}
	if o := q.Overlay; o != nil {
		out.Overlay = &Overlay{Header: o.Header, Dry: o.Dry, Nodes: map[string]NodeStatus{}, Taken: map[string]Taken{}}
	}
	of := make([]int, len(e.nodes))
	for i := range of {
		of[i] = -1
	}
	for i := range clusters {
		for _, m := range clusters[i].members {
			of[m] = i
		}
		e.addCluster(&out, &clusters[i])
	}
	for _, w := range e.bundles(of, clusters) {
		e.addEdge(&out, w, clusters[of[e.index[w.first.From]]].node.ID, clusters[of[e.index[w.first.To]]].node.ID)
	}
	return out
}

// addCluster adds a shape with the state and the mark of what it stands for.
func (e *expanded) addCluster(out *Request, c *cluster) {
	if c.inset.badge != "" || c.inset.away {
		out.insets[c.node.ID] = c.inset
	}
	marks := make([]string, len(c.members))
	for i, m := range c.members {
		marks[i] = e.marks[m]
	}
	mark := together(marks)
	switch mark {
	case markRemoved:
		out.Diff.RemovedNodes = append(out.Diff.RemovedNodes, c.node)
	case markAdded:
		out.Diff.Added = append(out.Diff.Added, c.node.ID)
	case markChanged:
		out.Diff.Changed = append(out.Diff.Changed, c.node.ID)
	}
	if mark != markRemoved {
		out.Chart.Nodes = append(out.Chart.Nodes, c.node)
	}
	if o := e.request.Overlay; o != nil {
		var states []NodeStatus
		for _, m := range c.members {
			states = append(states, o.Nodes[e.nodes[m].ID])
		}
		out.Overlay.Nodes[c.node.ID] = sumOf(states)
	}
}

// together is the mark of several: their own where all have it, changed where some have one.
func together(marks []string) string {
	mark := marks[0]
	for _, m := range marks[1:] {
		if m != mark {
			return markChanged
		}
	}
	return mark
}

// sumOf is the state of several nodes: what most needs to be seen, and how many are complete. One that has begun but is
// nowhere at work has no state of its own.
func sumOf(all []NodeStatus) NodeStatus {
	if len(all) == 1 {
		return all[0]
	}
	n := map[State]int{}
	for _, s := range all {
		n[s.State]++
	}
	var sum NodeStatus
	for _, s := range []State{Error, Rejected, TimedOut, Waiting, Running} {
		if n[s] > 0 {
			sum.State = s
			break
		}
	}
	settled := n[Complete] + n[ByHand] + n[Skipped] + n[Cancelled]
	switch {
	case sum.State != Pending:
	case n[Possible] > 0:
		return NodeStatus{State: Possible, Note: fmt.Sprintf("%d of %d would run", n[Possible], len(all))}
	case n[ByHand] > 0 && settled == len(all):
		sum.State = ByHand
	case n[Complete] > 0 && settled == len(all):
		sum.State = Complete
	case n[Cancelled] > 0 && settled == len(all):
		sum.State = Cancelled
	case n[Skipped] == len(all):
		sum.State = Skipped
	}
	if settled > 0 || sum.State != Pending {
		sum.Note = fmt.Sprintf("%d of %d complete", n[Complete], len(all))
	}
	return sum
}

// bundle is the edges that become one.
type bundle struct {
	first  chart.Edge
	labels []string
	words  []string // of the descriptions, each with its label
	marks  []string
	taken  Taken
}

// bundles joins the edges between the same two clusters; those between two single nodes stay apart where they are few.
func (e *expanded) bundles(of []int, clusters []cluster) []*bundle {
	type ends struct {
		from, to int
		onError  bool
		edge     int // of one that stays apart, else 0
	}
	var out []*bundle
	at := map[ends]*bundle{}
	for i, w := range e.edges {
		a, b := of[e.index[w.From]], of[e.index[w.To]]
		if a < 0 || b < 0 || clusters[a].inset.away && clusters[b].inset.away || a == b && !clusters[a].single() {
			continue
		}
		key := ends{from: a, to: b, onError: w.Error}
		if clusters[a].single() && clusters[b].single() && len(e.edges) <= layout.MaxEdges {
			key.edge = i + 1
		}
		k := at[key]
		if k == nil {
			k = &bundle{first: w}
			at[key] = k
			out = append(out, k)
		}
		k.add(w, e.edgeOf[i], e.request.Overlay)
	}
	return out
}

func (b *bundle) add(w chart.Edge, mark string, o *Overlay) {
	b.marks = append(b.marks, mark)
	if len(b.labels) < 3 { // more than two are a count
		if l := text.Plain(w.Label); !slices.Contains(b.labels, l) {
			b.labels = append(b.labels, l)
		}
	}
	if len(b.words) < 6 {
		if d := text.Plain(w.Description); d != "" && !slices.Contains(b.words, d) {
			b.words = append(b.words, d)
		}
	}
	if o != nil {
		t := o.Taken[w.ID]
		b.taken.Count += t.Count
		if t.Why != "" {
			b.taken.Why = t.Why
		}
	}
}

// addEdge adds a bundle as one edge under the id of its first.
func (e *expanded) addEdge(out *Request, b *bundle, from, to string) {
	w := b.first
	w.From, w.To = from, to
	if len(b.marks) > 1 {
		w.Description = strings.Join(b.words, "\n")
		switch {
		case len(b.labels) > 2:
			w.Label = fmt.Sprintf("%d ways", len(b.marks))
		default:
			w.Label = strings.Trim(strings.Join(b.labels, " / "), " /")
		}
	}
	mark := together(b.marks)
	if out.Diff != nil && slices.ContainsFunc(out.Diff.RemovedNodes, func(n chart.Node) bool { return n.ID == from || n.ID == to }) {
		mark = markRemoved
	}
	switch mark {
	case markRemoved:
		out.Diff.RemovedEdges = append(out.Diff.RemovedEdges, w)
		return
	case markAdded:
		out.Diff.AddedEdges = append(out.Diff.AddedEdges, w.ID)
	case markChanged:
		out.Diff.ChangedEdges = append(out.Diff.ChangedEdges, w.ID)
	}
	out.Chart.Edges = append(out.Chart.Edges, w)
	if b.taken.Count > 0 {
		out.Overlay.Taken[w.ID] = b.taken
	}
}
