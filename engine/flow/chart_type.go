package flow

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// FlowchartType is one of the nine types of a chart node; it decides shape and colour.
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

// family is a flowchart type with the tools and words that suggest it. The first family that matches wins.
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

// ChartType is the type of a node in the chart: the explicit one, else by kind, else by its tools and description.
func (f *Flow) ChartType(n *Node) FlowchartType {
	if explicit, known := n.FlowchartType.Canonical(); known && explicit != "" {
		return explicit
	}
	if n.Spec == nil {
		return TypeProcess
	}
	return n.Spec.chartType(f, n)
}

// questionType is the type of a question to people: a decision when its answers lead to different nodes.
func questionType(n *Node) FlowchartType {
	if branching(n.Routes) {
		return TypeDecision
	}
	return TypeIO
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
	return cmp.Or(suggested(func(f family) bool { return f.hasTool(tools) || f.hasWord(description) }), TypeProcess)
}

// TypeOfTools is the type that the names of tools suggest, or "".
func TypeOfTools(tools []string) FlowchartType {
	return suggested(func(f family) bool { return f.hasTool(tools) })
}

// TypeOfWords is the type that the words of a description suggest, or "".
func TypeOfWords(description string) FlowchartType {
	return suggested(func(f family) bool { return f.hasWord(strings.ToLower(description)) })
}

func suggested(by func(f family) bool) FlowchartType {
	if i := slices.IndexFunc(families, by); i >= 0 {
		return families[i].typ
	}
	return ""
}

func (f family) hasTool(tools []string) bool {
	return slices.ContainsFunc(tools, func(tool string) bool {
		action := tool[strings.LastIndexByte(tool, '.')+1:]
		return slices.Contains(f.tools, action) || slices.Contains(f.tools, strings.ReplaceAll(tool, ".", "_"))
	})
}

func (f family) hasWord(description string) bool {
	return slices.ContainsFunc(f.words, func(word string) bool { return strings.Contains(description, word) })
}

// oldTypes are names of flowchart types that older documents use.
var oldTypes = map[FlowchartType]FlowchartType{
	"delay": TypeProcess, "manual_operation": TypeProcess, "preparation": TypeProcess, "merge": TypeProcess,
	"alternate_process": TypeProcess, "connector": TypeProcess, "offpage_connector": TypeProcess, "extract": TypeProcess,
	"sort": TypeProcess, "collate": TypeProcess, "summing_junction": TypeProcess, "or": TypeProcess, "comment": TypeProcess,
	"display": TypeIO, "manual_input": TypeIO,
	"multi_document": TypeDocument,
	"stored_data":    TypeDatabase, "internal_storage": TypeDatabase,
}

// OldFlowchartTypes lists the names that older documents use, sorted.
func OldFlowchartTypes() []FlowchartType { return slices.Sorted(maps.Keys(oldTypes)) }

// FlowchartTypes lists the nine types, in the order of a legend.
func FlowchartTypes() []FlowchartType {
	return []FlowchartType{
		TypeStart, TypeTerminal, TypeProcess, TypeDecision, TypeIO, TypeDocument, TypeDatabase, TypeSubprocess, TypeBrowser,
	}
}

// Canonical gives the type that a name means; the name itself and false if there is none. Empty is known.
func (t FlowchartType) Canonical() (FlowchartType, bool) {
	if now, old := oldTypes[t]; old {
		return now, true
	}
	return t, t == "" || slices.Contains(FlowchartTypes(), t)
}

// Known reports whether the name is empty, one of the nine types, or one that older documents use.
func (t FlowchartType) Known() bool {
	_, known := t.Canonical()
	return known
}
