package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a problem prevents a flow from being saved.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is one error or warning about a flow, with its place in the file if it was read from one.
type Problem struct {
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`   // from 1; 0 = the flow was not read from a file
	Column   int      `json:"column,omitempty"` // from 1, in characters
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`              // stable, for machines: unknown-key, unknown-target, ...
	Message  string   `json:"message"`           // what is wrong, one line
	Hint     string   `json:"hint,omitempty"`    // what to do about it, in the document; a terminal or a chat may know more by the code
	About    string   `json:"about,omitempty"`   // the name that it is about: of a tool, a person, a secret, another flow
	Node     string   `json:"node,omitempty"`    // id of the node concerned
	Path     string   `json:"path,omitempty"`    // place in the document, such as flow.nodes[2].routes[0].to
	Snippet  string   `json:"snippet,omitempty"` // the source line and, below it, a caret
}

// Error gives the place and the message on one line.
func (p Problem) Error() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File + ":")
	}
	if p.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", p.Line, p.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if p.Severity == SeverityWarning {
		b.WriteString("warning: ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// String gives the place and the message, then the source line with a caret, then the suggestion.
func (p Problem) String() string {
	s := p.Error()
	if p.Snippet != "" {
		s += "\n" + p.Snippet
	}
	if p.Hint != "" {
		s += "\n  " + p.Hint
	}
	return s
}

// Problems are all problems of one flow, ordered by place.
type Problems []Problem

// Error gives every problem as [Problem.String] does. Use [Problems.Err] to get an error that is nil without errors.
func (ps Problems) Error() string {
	all := make([]string, len(ps))
	for i, p := range ps {
		all[i] = p.String()
	}
	return strings.Join(all, "\n")
}

// HasErrors reports whether a problem is an error and not only a warning.
func (ps Problems) HasErrors() bool {
	return slices.ContainsFunc(ps, func(p Problem) bool { return p.Severity == SeverityError })
}

// Err returns the problems as an error, or nil if there are only warnings.
func (ps Problems) Err() error {
	if !ps.HasErrors() {
		return nil
	}
	return ps
}

// Errors returns the problems that are errors.
func (ps Problems) Errors() Problems { return ps.only(SeverityError) }

// Warnings returns the problems that are warnings.
func (ps Problems) Warnings() Problems { return ps.only(SeverityWarning) }

func (ps Problems) only(s Severity) Problems {
	var out Problems
	for _, p := range ps {
		if p.Severity == s {
			out = append(out, p)
		}
	}
	return out
}

// Sorted orders problems by place and drops repetitions, which a YAML alias makes.
func (ps Problems) Sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Severity, b.Severity))
	})
	return slices.CompactFunc(ps, func(a, b Problem) bool {
		a.Path, b.Path = "", ""
		return a == b && a.Line > 0
	})
}
