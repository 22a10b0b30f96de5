package typecheck

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/naming"
)

const maxProblems = 200 // reported for one flow

// reports takes the problems of a flow, up to a number.
type reports struct {
	send  flow.Report
	sent  int
	muted int // above 0 nothing is reported
}

// place is a part of the flow.
type place struct {
	path string
	node string // id
	on   string // " on flow node 'pay'", appended to messages
	name string // what a problem here is about, if it is a name
}

// about is the place for a problem about a name.
func (p place) about(name string) place {
	p.name = name
	return p
}

func (p place) in(key string) place {
	if p.path != "" {
		p.path += "."
	}
	p.path += key
	return p
}

func (p place) item(key string, i int) place { return p.in(fmt.Sprintf("%s[%d]", key, i)) }

func (p place) index(i int) place {
	p.path += fmt.Sprintf("[%d]", i)
	return p
}

func (r *reports) error(at place, offset int, code, message, hint string) {
	r.report(at, offset, flow.SeverityError, code, message, hint)
}

func (r *reports) warn(at place, offset int, code, message, hint string) {
	r.report(at, offset, flow.SeverityWarning, code, message, hint)
}

func (r *reports) report(at place, offset int, s flow.Severity, code, message, hint string) {
	if r.muted > 0 || r.sent >= maxProblems {
		return
	}
	r.sent++
	r.send(flow.Problem{Severity: s, Code: code, Message: message + at.on, Hint: hint, About: at.name, Node: at.node, Path: at.path}, offset)
}

// quiet says that nothing would be reported: what only makes a message may be left out.
func (r *reports) quiet() bool { return r.muted > 0 || r.sent >= maxProblems }

// suggest is a hint with the names that come nearest.
func (r *reports) suggest(name string, names []string) string {
	if r.quiet() {
		return ""
	}
	return naming.Suggest(name, names)
}
