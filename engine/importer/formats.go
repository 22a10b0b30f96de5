package importer

import (
	"bytes"
	"errors"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/importer/agentgraph"
	"sluice/engine/importer/app"
	"sluice/engine/importer/document"
	"sluice/engine/importer/draftchart"
	"sluice/engine/importer/routing"
	"sluice/engine/importer/visualflow"
)

// Format is a format of documents.
type Format struct {
	Profile flow.Profile
	Name    string // for people: "a flow file of Sluice"
	Looks   string // what it is recognised by, for people: "name and flow with nodes"
	Why     string // what a document was recognised by; only Read sets it

	// Recognise says from the content whether a text has the format, and why.
	Recognise func(src []byte) (why string, ok bool)
	// Decode reads a document. The error is for one that cannot be read at all.
	Decode func(name string, src []byte) (document.Document, error)
	// Encode gives the source where nothing changed, otherwise the source with what changed.
	Encode func(f *flow.Flow) ([]byte, error)
	// Upgrade writes a document of an older form of the format in its present one; nil = the format has had one form only.
	Upgrade func(src []byte) ([]byte, error)
}

// Formats lists the formats, the native one first.
func Formats() []Format {
	return []Format{
		{
			Profile: flow.ProfileNative, Name: "a flow file of Sluice", Looks: "name, and flow with entry and nodes",
			Recognise: recogniseNative, Decode: decodeNative, Encode: encodeNative,
		},
		{
			Profile: app.Profile, Name: "a Digitorn app", Looks: "flow or runtime.flow with an id, beside an app",
			Recognise: app.Recognise, Decode: app.Decode, Encode: app.Encode,
		},
		{
			Profile: routing.Profile, Name: "a 2nChat workflow", Looks: "entrypointNodeId, nodes with a nodeType, and edges with a conditionType",
			Recognise: routing.Recognise, Decode: routing.Decode, Encode: routing.Encode,
		},
		{
			Profile: agentgraph.Profile, Name: "a graph of agents", Looks: "a list of connections, and nodes such as start, agent, if and approval",
			Recognise: agentgraph.Recognise, Decode: agentgraph.Decode, Encode: agentgraph.Encode, Upgrade: agentgraph.Upgrade,
		},
		{
			Profile: draftchart.Profile, Name: "a draft flowchart or an agent's runtime graph",
			Looks:     "agent_name and nodes, original_draft, or goal and graph with nodes",
			Recognise: draftchart.Recognise, Decode: draftchart.Decode, Encode: draftchart.Encode,
		},
		{
			Profile: visualflow.Profile, Name: "a VisualFlow document", Looks: "nodes whose data has a nodeType, an entryNode, or edges to exec-in; or a bundle of such documents",
			Recognise: visualflow.Recognise, Decode: visualflow.Decode, Encode: visualflow.Encode,
		},
	}
}

// ByProfile gives the format of flows with a profile.
func ByProfile(p flow.Profile) (Format, bool) {
	for _, f := range Formats() {
		if f.Profile == p {
			return f, true
		}
	}
	return Format{}, false
}

// recogniseNative looks for a flow without the marks of other formats that have one.
func recogniseNative(src []byte) (string, bool) {
	s, err := document.YAML("", src)
	if err != nil || s.Root.Get("flow") == nil {
		return "", false
	}
	if _, other := app.Recognise(src); other {
		return "", false
	}
	return "it has a flow", true
}

func decodeNative(name string, src []byte) (document.Document, error) {
	doc, problems := file.Parse(name, src)
	if doc.Broken() {
		return document.Document{}, problems[0]
	}
	return document.Document{Flow: doc.Flow, Problems: problems}.ValidatedBy(doc.Validate), nil
}

func encodeNative(f *flow.Flow) ([]byte, error) { return file.Format(f), nil }

// ErrNewest means that a flow has the newest form of its format already.
var ErrNewest = errors.New("the document has the present form of its format already")

// Upgrade gives the source of a flow in the present form of its format. ErrNewest: it has this form.
func Upgrade(f *flow.Flow) ([]byte, error) {
	src, kept := document.Original(f)
	format, known := ByProfile(f.Profile)
	if !kept || !known || format.Upgrade == nil {
		return nil, ErrNewest
	}
	out, err := format.Upgrade(src)
	if err == nil && bytes.Equal(out, src) {
		err = ErrNewest
	}
	return out, err
}
