package flow

// NodeFields are the fields that all kinds of nodes share, in their order in a file.
type NodeFields struct {
	ID            string        `json:"id"`
	Type          Kind          `json:"type"`
	Name          string        `json:"name,omitempty"`
	Description   string        `json:"description,omitempty"`
	FlowchartType FlowchartType `json:"flowchart_type,omitempty"`
	Routes        []Route       `json:"routes,omitempty"`
	OnError       []ErrorRoute  `json:"on_error,omitempty"`
	Retry         *Retry        `json:"retry,omitempty"`
	Timeout       Duration      `json:"timeout,omitzero"`
}
