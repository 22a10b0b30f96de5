package draftchart_test

import "testing"

// pictures are the statements about drawing in a browser. Sluice draws the chart of a document itself, in package render.
func pictures() map[string]func(t *testing.T) {
	all := map[string]func(t *testing.T){}
	for number, instead := range map[string]string{
		"S0-74": "render/layout gives layers, and a circle does not keep it busy",
		"S0-75": "render/layout orders a layer by the nodes before it",
		"S0-76": "a picture is as wide as its texts need",
		"S0-77": "distances follow the size of the texts",
		"S0-78": "edges are routed around nodes",
		"S0-79": "edges back are routed around nodes",
		"S0-81": "texts are broken into lines and not cut",
		"S0-82": "a picture has no legend: every shape has its text",
		"S0-83": "the header of a picture names the state of the run",
		"S0-84": "render/shape has a shape for each of the nine types",
	} {
		all[number] = func(t *testing.T) { t.Skip(instead) }
	}
	all["S0-80"] = func(t *testing.T) {
		doc := decode(t, draft(ids("a b c"), arrows("a>b:on_failure a>c::Go")))
		equal(t, []string{doc.Chart.Edges[0].Label, doc.Chart.Edges[1].Label}, []string{"on_failure", "Go"})
	}
	return all
}
