package flow

import (
	"slices"
	"time"
)

// The values that Parse fills in where a file is silent.
const (
	DefaultJoinTimeout  = time.Minute
	DefaultBackoffMS    = 500
	DefaultMultiplier   = 2
	DefaultMaxBackoffMS = 30_000
	DefaultItemName     = "item"
)

// DefaultChoices are an approval's choices when it names none.
func DefaultChoices() []string { return []string{"approve", "reject"} }

// fillDefaults writes out defaults and settles spellings of the same meaning, so that rooms above need not know them
// and equal flows have equal bytes.
func fillDefaults(f *Flow) {
	if f.OnLimit.Action == "" {
		f.OnLimit.Action = LimitEndPath
	}
	if f.Run.Key != "" && f.Run.OnDuplicate == "" {
		f.Run.OnDuplicate = DuplicateShow
	}
	for i := range f.Inputs {
		if f.Inputs[i].Type == "" {
			f.Inputs[i].Type = "string"
		}
	}
	for i := range f.Nodes {
		fillNode(&f.Nodes[i])
	}
}

func fillNode(n *Node) {
	if n.Spec != nil {
		n.Kind = n.Spec.Kind()
	}
	n.FlowchartType, _ = canonicalType(n.FlowchartType)
	settleRoutes(n.Routes)
	n.settlePolicies()
	if r := n.Retry; r != nil {
		fillRetry(r)
	}
	switch s := n.Spec.(type) {
	case *ParallelSpec:
		settleRoutes(s.Branches)
		fillJoin(&s.Join)
	case *ApprovalSpec:
		if len(s.Choices) == 0 {
			s.Choices = DefaultChoices()
		}
		s.Deadline = n.settleDeadline(s.Deadline)
		s.Who = settleWho(s.Who)
		fillForm(s.Form)
	case *AskSpec:
		s.Deadline = n.settleDeadline(s.Deadline)
		s.Who = settleWho(s.Who)
		fillForm(s.Form)
	case *ForeachSpec:
		if s.As == "" {
			s.As = DefaultItemName
		}
		if s.MaxParallel == 0 {
			s.MaxParallel = 1
		}
		if s.OnItemError == "" {
			s.OnItemError = "stop"
		}
	default:
		fillForeign(s)
	}
}

func settleRoutes(routes []Route) {
	for i := range routes {
		if routes[i].Default() {
			routes[i].When = ""
		}
	}
}

func fillRetry(r *Retry) {
	if r.BackoffMS == 0 {
		r.BackoffMS = DefaultBackoffMS
	}
	if r.Multiplier == 0 {
		r.Multiplier = DefaultMultiplier
	}
	if r.MaxBackoffMS == 0 {
		r.MaxBackoffMS = max(DefaultMaxBackoffMS, r.BackoffMS)
	}
}

func fillJoin(j *Join) {
	switch j.Type {
	case "":
		j.Type = "all"
	case "first":
		j.Type = "any"
	case "min":
		j.Type = "count"
	}
	if j.Timeout.IsZero() && !j.TimeoutSet {
		j.Timeout = Duration{Clock: DefaultJoinTimeout}
	}
}

// settleWho fills a who; one that says nothing is none.
func settleWho(w *Who) *Who {
	if w == nil {
		return nil
	}
	if w.Quorum == 0 {
		w.Quorum = 1
	}
	if w.SelfApproval != nil && *w.SelfApproval {
		w.SelfApproval = nil
	}
	if len(w.Groups) == 0 && len(w.Users) == 0 && w.Quorum == 1 && w.SelfApproval == nil {
		return nil
	}
	return w
}

// settleDeadline writes the timeout of a node that asks people as what it is, the deadline of the question.
func (n *Node) settleDeadline(d *Deadline) *Deadline {
	if n.Timeout.IsZero() || d != nil && !d.After.IsZero() {
		return d
	}
	within := &Deadline{After: n.Timeout}
	if d != nil {
		within.Remind, within.Escalate = d.Remind, d.Escalate
	}
	n.Timeout = Duration{}
	return within
}

func fillForm(form map[string]FormField) {
	for name, field := range form {
		if field.Type == "" {
			field.Type = "string"
			form[name] = field
		}
	}
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

// FlowchartTypes lists the nine types, in the order of a legend.
func FlowchartTypes() []FlowchartType {
	return []FlowchartType{
		TypeStart, TypeTerminal, TypeProcess, TypeDecision, TypeIO, TypeDocument, TypeDatabase, TypeSubprocess, TypeBrowser,
	}
}

// canonicalType gives the type that a name means; the name itself and false if there is none. Empty is known.
func canonicalType(t FlowchartType) (FlowchartType, bool) {
	if now, old := oldTypes[t]; old {
		return now, true
	}
	return t, t == "" || slices.Contains(FlowchartTypes(), t)
}
