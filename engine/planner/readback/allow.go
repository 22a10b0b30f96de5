package readback

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/planner/english"
	"sluice/engine/tool"
)

// Newly says in plain sentences what a revision of a flow newly allows. base is the revision before it; nil = there is none. Tool names,
// node ids and hosts are left out: [Details] and the words of the allowances have them. number gives the number by which people know a
// node; "" = it has none.
func Newly(base, f *flow.Flow, allows []approval.Allowance, tools []tool.Tool, number func(node string) string) []string {
	r := newReader(f, tools)
	var u groups
	var out, others []string
	for _, a := range allows {
		switch a.Kind {
		case approval.AllowsEffect, approval.AllowsHost, approval.AllowsChannel:
			if !r.allowed(&u, a) {
				others = append(others, english.SentenceCase(a.Words)+".")
			}
		case approval.AllowsSecret, approval.AllowsGateRemoved, approval.AllowsGateWeakened:
			others = append(others, english.SentenceCase(plainPlaces(a.Words, r, base, number))+".")
		}
	}
	out = append(u.sentences(), others...)
	if slices.ContainsFunc(allows, func(a approval.Allowance) bool { return a.Kind == approval.AllowsTrigger }) {
		var had []string
		if base != nil {
			had = newReader(base, nil).starts()
		}
		for _, words := range r.starts() {
			if !slices.Contains(had, words) {
				out = append(out, words)
			}
		}
	}
	return slices.Compact(out)
}

// allowed adds what an allowance of a node or an agent means; false = the catalogue has no words for it.
func (r *reader) allowed(u *groups, a approval.Allowance) bool {
	if g := r.f.AgentByID(a.Node); g != nil {
		r.mayAlone(u, g)
		return true
	}
	n := r.f.Node(a.Node)
	if n == nil {
		return false
	}
	switch n.Spec.(type) {
	case *flow.ToolSpec, *flow.SubflowSpec:
		r.may(u, n)
		return true
	}
	return false
}

// namedPlace finds the ids and the names of tools in the words of an allowance.
var namedPlace = regexp.MustCompile(`'[^']+'|\b\w+\.\w+\b`)

// plainPlaces writes nodes as people know them, and tools by what they do.
func plainPlaces(words string, r *reader, base *flow.Flow, number func(node string) string) string {
	words = strings.ReplaceAll(words, "the gate '", "'")
	return namedPlace.ReplaceAllStringFunc(words, func(part string) string {
		if t, ok := r.tools[part]; ok && t.Description != "" {
			return english.Quoted(strings.TrimRight(t.Description, ". "))
		}
		id := strings.Trim(part, "'")
		n := r.f.Node(id)
		if n == nil && base != nil {
			n = base.Node(id)
		}
		switch {
		case n == nil:
			return part
		case number != nil && number(id) != "":
			return "step " + number(id) + " (" + n.DisplayName() + ")"
		}
		return english.Quoted(n.DisplayName())
	})
}
