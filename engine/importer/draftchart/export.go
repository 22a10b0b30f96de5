package draftchart

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/importer/document"
)

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write a draft: %w", err)
	}
	return b.Bytes(), nil
}

// DraftOf gives the enriched draft of a flow, whatever its format: that of its source, or one that is made of its chart.
func DraftOf(f *flow.Flow) (Draft, map[string][]string) {
	src, ok := document.Original(f)
	if ok && f.Profile == Profile {
		if d, mapped, err := ReadDraft(f.Name, src); err == nil {
			d, _ = Enrich(d)
			return d, mapped
		}
	}
	return drawn(f, chart.Of(f))
}

// Chart gives the chart that the author of a flow drew. Other flows have none.
func Chart(f *flow.Flow) (chart.Chart, bool) {
	src, ok := document.Original(f)
	if !ok || f.Profile != Profile {
		return chart.Chart{}, false
	}
	doc, err := Decode(f.Name, src)
	if err != nil {
		return chart.Chart{}, false
	}
	return *doc.Chart, true
}

// drawn makes a draft of the chart of a flow.
func drawn(f *flow.Flow, c chart.Chart) (Draft, map[string][]string) {
	d := Draft{AgentName: f.Name, Goal: f.Description}
	for _, n := range c.Nodes {
		d.Nodes = append(d.Nodes, Node{ID: n.ID, Name: n.Name, Description: n.Description, Tools: n.Tools, FlowchartType: n.Type})
	}
	for _, e := range c.Edges {
		condition := onSuccess
		if e.Error {
			condition = onFailure
		}
		d.Edges = append(d.Edges, Edge{ID: e.ID, Source: e.From, Target: e.To, Condition: condition, Description: e.Description, Label: e.Label})
	}
	d, _ = Enrich(d)
	return d, maps.Clone(c.Map)
}

// Export writes the enriched draft of a flow, as it is shown while it is discussed.
func Export(f *flow.Flow) ([]byte, error) {
	d, _ := DraftOf(f)
	return indented(d)
}

// ExportPublished writes the file that is published beside the runtime graph of a flow: its draft, and the map from runtime nodes to the
// nodes of the draft.
func ExportPublished(f *flow.Flow) ([]byte, error) {
	p, err := PlanningOf(f)
	if err != nil {
		return nil, err
	}
	a := p.MapAnswer()
	return indented(struct {
		OriginalDraft *Draft              `json:"original_draft"`
		FlowchartMap  map[string][]string `json:"flowchart_map"`
	}{a.OriginalDraft, a.Map})
}

// ExportRuntime writes the runtime graph of a flow: its draft without decisions, and the map. The criteria of a node are one text, so that it
// does not say which clause of several was not met.
func ExportRuntime(f *flow.Flow) ([]byte, error) {
	d, mapped := DraftOf(f)
	keep := map[string]bool{}
	if f.Profile == Profile {
		for id := range mapped {
			keep[id] = true
		}
	}
	x := Dissolve(d, keep)
	return indented(x)
}
