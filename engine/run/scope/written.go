package scope

import (
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// Written is a text that a node gives to people, and which bytes of it a language model wrote, from and to.
type Written struct {
	Text  string
	Model [][2]int
}

// Written lists those texts of a node, as they are rendered for a token, in which a language model's words are.
func (rd *Reader) Written(n *compile.Node, t history.Token) (all []Written) {
	if rd.Trial != nil {
		return nil
	}
	add := func(of *expr.Template, sc *Scope) {
		text, at, err := of.Stretches(sc, rd.Options(t), sc.byModel)
		if err == nil && len(at) > 0 {
			all = append(all, Written{text, at})
		}
	}
	if of := n.TemplateFor(t); of != nil {
		add(of, rd.Scope(t).Masked())
	}
	if params := n.ParamsFor(t); params != nil && slices.Contains(n.Tools(), flow.PostMessage) {
		for _, of := range params.Templates() {
			add(of, rd.Scope(t))
		}
	}
	return all
}

// ByModel gives the bytes of a text that a language model wrote. A text that is none of those is somebody's words.
func ByModel(all []Written, text string) [][2]int {
	for _, w := range all {
		if w.Text == text {
			return w.Model
		}
	}
	return nil
}

// Whole is the text of an output, when a language model wrote it.
func Whole(out history.Output) [][2]int {
	if !out.Model || out.Text == "" {
		return nil
	}
	return [][2]int{{0, len(out.Text)}}
}

// ByModel says whether the value of an expression consists of a language model's words.
func (rd *Reader) ByModel(e *expr.Expr, t history.Token) bool {
	return rd.Trial == nil && rd.Scope(t).byModel(e)
}

// byModel says whether everything that an expression reads is from outputs that a language model wrote.
func (sc *Scope) byModel(e *expr.Expr) bool {
	reads := e.Reads()
	for _, path := range reads {
		if from := sc.outputOf(path); from == nil || !from.out.Model {
			return false
		}
	}
	return len(reads) > 0
}

// outputOf is the output that a path leads into, nil when it leads elsewhere.
func (sc *Scope) outputOf(path []string) *outputValue {
	switch v, _ := sc.Get(path[0]); v := v.(type) {
	case *outputValue:
		return v
	case nodes:
		if len(path) > 1 {
			from, _ := v.Member(path[1]).(*outputValue)
			return from
		}
	case string: // it may be a field of the latest agent answer
		if p := sc.rd.Program; !p.Flow().Rules.Memory && !p.Items[path[0]] {
			from, _ := sc.value(sc.t.LastJSON, "").(*outputValue)
			return from
		}
	}
	return nil
}
