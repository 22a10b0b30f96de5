package flow

// FlowchartType is one of the nine types of a plan node; it decides shape and colour.
type FlowchartType string

// The nine flowchart types.
const (
	TypeStart      FlowchartType = "start"
	TypeTerminal   FlowchartType = "terminal"
	TypeProcess    FlowchartType = "process"
	TypeDecision   FlowchartType = "decision"
	TypeIO         FlowchartType = "io"
	TypeDocument   FlowchartType = "document"
	TypeDatabase   FlowchartType = "database"
	TypeSubprocess FlowchartType = "subprocess"
	TypeBrowser    FlowchartType = "browser"
)

// Plan is the picture of a flow: nodes and edges with flowchart types, and the map from run-time nodes to plan nodes.
// It holds no coordinates; room render lays it out.
type Plan struct {
	Title       string     `json:"title"`
	Description string     `json:"description,omitempty"`
	Nodes       []PlanNode `json:"nodes"`
	Edges       []PlanEdge `json:"edges"`
	// Map names, for every run-time node id, the plan nodes that show its status.
	Map map[string][]string `json:"map,omitempty"`
}

// PlanNode is one shape of the picture.
type PlanNode struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	Type        FlowchartType `json:"type"`
	// Number is what people call the node in chat ("3 goes to Ana"); 0 for the drawn start and end, which have none.
	Number int `json:"number,omitempty"`
	// Tools are the names of the tools that the step may call, and Criteria what its result is judged by. They show when
	// the pointer rests on the shape.
	Tools    []string `json:"tools,omitempty"`
	Criteria []string `json:"criteria,omitempty"`
	// Link is an address to open when the shape is clicked, such as a page of the subflow.
	Link string `json:"link,omitempty"`
}

// PlanEdge is one arrow of the picture. Its ID equals the edge id that facts of a run name when the route is taken.
type PlanEdge struct {
	ID    string `json:"id"`
	From  string `json:"from"`
	To    string `json:"to"`
	Label string `json:"label,omitempty"`
	// Description is the condition in words or as an expression, for tooltips.
	Description string `json:"description,omitempty"`
	// Error marks a route that is taken on a technical error.
	Error bool `json:"error,omitempty"`
}
