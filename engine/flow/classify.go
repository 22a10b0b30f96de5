package flow

import (
	"slices"
	"strings"
)

// family is what tools and words hint at a flowchart type. The order of families counts: the first that hints wins.
type family struct {
	typ   FlowchartType
	tools []string
	words []string // in the node's description
}

var families = []family{
	{
		TypeDatabase,
		[]string{"query_database", "sql_query", "read_table", "write_table", "save_data", "load_data"},
		[]string{"database", "data store", "storage", "persist", "cache"},
	},
	{
		TypeDocument,
		[]string{"generate_report", "create_document", "write_report", "render_template", "export_pdf"},
		[]string{"report", "document", "summary", "write up", "writeup"},
	},
	{
		TypeIO,
		[]string{
			"serve_file_to_user", "send_email", "post_message", "upload_file", "download_file", "fetch_url",
			"post_to_slack", "send_notification", "display_results",
		},
		[]string{"deliver", "send", "output", "notify", "publish"},
	},
}

// flowchartType is the type of a node in the picture: the explicit one, else by kind, else by what tools and
// description hint at.
func (f *Flow) flowchartType(n *Node) FlowchartType {
	if explicit, known := canonicalType(n.FlowchartType); known && explicit != "" {
		return explicit
	}
	switch s := n.Spec.(type) {
	case *DecisionSpec:
		return TypeDecision
	case *EntrySpec:
		return TypeStart
	case *ApprovalSpec, *AskSpec:
		if branching(n.Routes) {
			return TypeDecision
		}
		return TypeIO
	case *TerminalSpec:
		return TypeTerminal
	case *SaySpec, *EmitSpec:
		return TypeIO
	case *ParallelSpec, *SequenceSpec, *ForeachSpec, *LoopSpec, *SubflowSpec:
		return TypeSubprocess
	case *ToolSpec:
		return hinted([]string{s.Tool}, n.Description)
	case *LLMSpec:
		return hinted(s.Tools, n.Description)
	case *AgentSpec:
		agent := f.AgentByID(s.Agent)
		if agent == nil {
			return hinted(nil, n.Description)
		}
		if len(agent.Subagents) > 0 {
			return TypeSubprocess
		}
		return hinted(agent.Tools, n.Description)
	default:
		return TypeProcess
	}
}

// branching reports whether at least two routes lead to different nodes.
func branching(routes []Route) bool {
	return slices.ContainsFunc(routes, func(r Route) bool { return r.To != routes[0].To })
}

func hinted(tools []string, description string) FlowchartType {
	description = strings.ToLower(description)
	for _, t := range tools {
		if module, _, found := strings.Cut(t, "."); found && module == "browser" {
			return TypeBrowser
		}
	}
	for _, f := range families {
		names := func(tool string) bool {
			action := tool[strings.LastIndexByte(tool, '.')+1:]
			return slices.Contains(f.tools, action) || slices.Contains(f.tools, strings.ReplaceAll(tool, ".", "_"))
		}
		says := func(word string) bool { return strings.Contains(description, word) }
		if slices.ContainsFunc(tools, names) || slices.ContainsFunc(f.words, says) {
			return f.typ
		}
	}
	return TypeProcess
}
