package flow

import (
	"cmp"
	"fmt"
	"strings"
)

// ForeignWords say in a few words what a node of a foreign kind does; "" for another kind.
func (n *Node) ForeignWords() string {
	switch s := n.Spec.(type) {
	case *EntrySpec:
		if s.Start == StartEvent && s.Event != "" {
			return "by the event " + s.Event
		}
		return "by " + map[StartKind]string{
			StartManual: "hand", StartRequest: "a message", StartEvent: "an event", StartSchedule: "schedule",
		}[s.Start]
	case *LLMSpec:
		return "asks a model: " + withoutTemplates(s.Prompt)
	case *ToolexecSpec:
		if len(s.Tools) > 0 {
			return "calls " + wordList(s.Tools, "or") + " as asked"
		}
		return "performs the tool calls of an agent"
	case *LoopSpec:
		return loopWords(s)
	case *SequenceSpec:
		return fmt.Sprintf("%d parts, one after the other", len(s.Branches))
	case *ComputeSpec:
		return "makes a value"
	case *OpaqueSpec:
		return strings.TrimSpace("cannot be run here: " + s.what())
	}
	return ""
}

func loopWords(s *LoopSpec) string {
	switch s.Type {
	case LoopWhile:
		return "while " + s.While
	case LoopEach:
		return "for each of " + s.Items
	default:
		return fmt.Sprintf("for %s from %s to below %s", cmp.Or(s.As, DefaultIndexName), cmp.Or(s.From, "0"), s.To)
	}
}

// what is the reason why an opaque node is one, or what the other program calls it.
func (s *OpaqueSpec) what() string {
	if s.Reason != "" {
		return s.Reason
	}
	return s.Type
}

// branchLabel is the label of the edge to a branch.
func (n *Node) branchLabel(i int) string {
	label := n.branches()[i].Label
	if label == "" && n.Kind == KindSequence {
		return fmt.Sprint(i + 1)
	}
	return label
}

// bodyLabel is the label of the edge to the body of a foreach or a loop.
func (n *Node) bodyLabel() string {
	switch s := n.Spec.(type) {
	case *ForeachSpec:
		return "each " + strings.ReplaceAll(s.As, "_", " ")
	case *LoopSpec:
		if s.Type != LoopWhile {
			return "each " + strings.ReplaceAll(s.As, "_", " ")
		}
	}
	return "again"
}
