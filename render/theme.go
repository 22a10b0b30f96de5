package render

import (
	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/render/canvas"
	"sluice/render/shape"
)

// Theme is the ground that a picture is made for. Pictures are opaque: one text colour cannot suit both grounds.
type Theme string

// The themes. Any other value is Light.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// scheme is a theme's colours.
type scheme struct {
	back, panel, ink, muted, line, rule canvas.Colour
	added                               canvas.Colour // an edge that a revision adds
	tint                                float64       // how much of a type's colour is in its fill
}

var schemes = map[Theme]scheme{
	Light: {
		back: canvas.Hex("#FCFBF8"), panel: canvas.Hex("#F3F1EB"), ink: canvas.Hex("#1D1C1D"), muted: canvas.Hex("#5F5C55"),
		line: canvas.Hex("#85827A"), rule: canvas.Hex("#DFDBD0"), added: canvas.Hex("#2B8C52"), tint: .18,
	},
	Dark: {
		back: canvas.Hex("#222529"), panel: canvas.Hex("#2B2F34"), ink: canvas.Hex("#F2F1EE"), muted: canvas.Hex("#B9B6AE"),
		line: canvas.Hex("#918F89"), rule: canvas.Hex("#42464D"), added: canvas.Hex("#35B869"), tint: .2,
	},
}

func (t Theme) scheme() scheme {
	if s, ok := schemes[t]; ok {
		return s
	}
	return schemes[Light]
}

// typeOrder is the order in which types are listed.
var typeOrder = []flow.FlowchartType{
	flow.TypeStart, flow.TypeProcess, flow.TypeDecision, flow.TypeIO, flow.TypeDocument,
	flow.TypeDatabase, flow.TypeSubprocess, flow.TypeBrowser, shape.Person, flow.TypeTerminal,
}

var typeColours = map[flow.FlowchartType]canvas.Colour{
	flow.TypeStart:      canvas.Hex("#8aad3f"),
	flow.TypeTerminal:   canvas.Hex("#b5453a"),
	flow.TypeProcess:    canvas.Hex("#b5a575"),
	flow.TypeDecision:   canvas.Hex("#d89d26"),
	flow.TypeIO:         canvas.Hex("#d06818"),
	flow.TypeDocument:   canvas.Hex("#c4b830"),
	flow.TypeDatabase:   canvas.Hex("#508878"),
	flow.TypeSubprocess: canvas.Hex("#887a48"),
	flow.TypeBrowser:    canvas.Hex("#cc8850"),
	shape.Person:        canvas.Hex("#4a6fa5"),
}

// kindOf is what a node is drawn as: an ending for a stub, a card for what a person does, else its type.
func kindOf(n chart.Node) flow.FlowchartType {
	switch {
	case n.Stub:
		return flow.TypeTerminal
	case n.Person:
		return shape.Person
	}
	return known(n.Type)
}

// known is the type itself, or process for one that this program does not know.
func known(t flow.FlowchartType) flow.FlowchartType {
	if _, ok := typeColours[t]; ok {
		return t
	}
	return flow.TypeProcess
}

// word is what a type is called on the picture.
func word(t flow.FlowchartType) string {
	switch t = known(t); t {
	case flow.TypeIO:
		return "input / output"
	case flow.TypeTerminal:
		return "end"
	case shape.Person:
		return "by a person"
	}
	return string(t)
}

var (
	green  = canvas.Hex("#22C55E")
	amber  = canvas.Hex("#F59E0B")
	red    = canvas.Hex("#EF4444")
	indigo = canvas.Hex("#6366F1")
	azure  = canvas.Hex("#0A84C6")
	orange = canvas.Hex("#C2570C")
	purple = canvas.Hex("#9333EA")
	grey   = canvas.Hex("#8E8C86")
	white  = canvas.Hex("#FFFFFF")
)

// stateColours has no entry for Pending: a pending node looks as it does in a draft.
var stateColours = map[State]canvas.Colour{
	Running: amber, Complete: green, Error: red, Waiting: indigo, Skipped: grey, Cancelled: grey, Rejected: red, TimedOut: orange, ByHand: purple, Possible: azure,
}
