package render

import (
	"context"
	"fmt"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/render/text"
)

// neighbours is to how many other pages a page names its links; more become one shape.
const neighbours = 6

// Page is one picture of a chart that is shown in several.
type Page struct {
	// ID is "page-1" for the overview, "page-2" and so on for the groups in the order of the flow. In SVG the shapes of
	// other pages link to "#" and this id.
	ID    string
	Title string
	// Request can be given to PNG, SVG and Alt. Its chart may be larger than what is drawn: see Overview.
	Request Request
}

// Pages are the overview of a large chart and a page for each of its groups, with the way to the pages before and after
// it. A group that is itself too large for a page is again an overview, with pages of its own at the end. A chart that can
// be drawn step by step is one page. It fails where PNG does and when ctx ends.
func (r *Renderer) Pages(ctx context.Context, q Request) ([]Page, error) {
	if err := r.budget.admit(q); err != nil {
		return nil, fmt.Errorf("divide the flowchart into pages: %w", err)
	}
	all := []Page{{ID: pageID(0), Title: text.Plain(q.Chart.Title), Request: q}}
	for i := 0; i < len(all); i++ { // pages that are divided add theirs at the end
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("divide the flowchart into pages: %w", err)
		}
		if all[i].Request.large() {
			all = r.divide(all, i)
		}
	}
	for i := range all {
		if len(all) > 1 {
			all[i].Request.Subtitle += fmt.Sprintf(" · page %d of %d", i+1, len(all))
		}
	}
	return all, nil
}

func pageID(index int) string { return fmt.Sprintf("page-%d", index+1) }

// divide turns a page into an overview and adds a page for each of its groups.
func (r *Renderer) divide(all []Page, i int) []Page {
	whole := all[i].Request
	e := expand(whole)
	clusters := e.divide()
	at := make([]int, len(clusters)) // the page of each group, 0 for a node that stays in the overview
	next := len(all)
	for k := range clusters {
		if !clusters[k].single() {
			at[k] = next
			clusters[k].node.Link = "#" + pageID(next)
			next++
		}
	}
	all[i].Request = e.contract(slices.Clone(clusters), whole.Chart.Title, "overview · "+whole.subtitle())
	for k, c := range clusters {
		if at[k] == 0 {
			continue
		}
		title := text.Plain(c.node.Name)
		if c.inset.badge != "" {
			title = c.inset.badge + " " + title
		}
		page := e.contract(e.around(clusters, at, k, i), whole.Chart.Title+" · "+title, c.node.Description)
		nodes, _ := page.size()
		page.whole = nodes >= len(e.nodes) // dividing it would give the same page again, and never end
		all = append(all, Page{ID: pageID(at[k]), Title: title, Request: page})
	}
	return all
}

// around are the clusters of the page of group k: its nodes one by one, and a shape for each place that they are linked
// with. home is the page with the overview.
func (e *expanded) around(clusters []cluster, at []int, k, home int) []cluster {
	var out []cluster
	inside := map[int]bool{}
	for _, m := range clusters[k].members {
		inside[m] = true
		out = append(out, e.clusterOf([]int{m}))
	}
	linked := map[int]bool{}
	for _, w := range e.edges {
		if a, b := e.index[w.From], e.index[w.To]; inside[a] != inside[b] {
			linked[a], linked[b] = true, true
		}
	}
	var near []cluster
	before := 0 // how many of them stand before the group in the flow, and so above it
	for i, c := range clusters {
		if i == k || !slices.ContainsFunc(c.members, func(m int) bool { return linked[m] }) {
			continue
		}
		page := at[i]
		if page == 0 {
			page = home
		}
		c.node = chart.Node{ID: c.node.ID, Name: c.node.Name, Type: kindOf(c.node), Number: c.node.Number, Link: "#" + pageID(page)}
		c.node.Description = fmt.Sprintf("on page %d", page+1)
		c.inset.away = true
		near = append(near, c)
		if i < k {
			before = len(near)
		}
	}
	if len(near) > neighbours {
		all := cluster{node: chart.Node{ID: "other pages", Name: "Other pages", Type: flow.TypeSubprocess, Link: "#" + pageID(home)}}
		for e.has(all.node.ID) {
			all.node.ID += "'"
		}
		for _, c := range near {
			all.members = append(all.members, c.members...)
		}
		all.node.Description = fmt.Sprintf("%d of them", len(near))
		all.inset = inset{away: true}
		near, before = []cluster{all}, 0
	}
	return slices.Concat(near[:before], out, near[before:])
}
