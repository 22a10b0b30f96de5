package flow

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// The defaults that Parse sets for keys that a file leaves out.
const (
	DefaultJoinTimeout  = time.Minute
	defaultBackoffMS    = 500
	defaultMultiplier   = 2
	defaultMaxBackoffMS = 30_000
	DefaultItemName     = "item"
)

// DefaultChoices are an approval's choices when it names none.
func DefaultChoices() []string { return []string{"approve", "reject"} }

// WithDefaults is a copy of the flow in which the defaults are written out.
func (f *Flow) WithDefaults() *Flow {
	f = f.Clone()
	fillDefaults(f)
	return f
}

// fillDefaults writes out defaults and normalizes spellings of the same meaning, so that other packages need not know them
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
	for i := range f.Agents {
		f.Agents[i].fill()
	}
	for i := range f.Nodes {
		fillNode(&f.Nodes[i])
	}
}

// fill writes the provider into the name of the model.
func (a *Agent) fill() {
	if a.Provider != "" {
		a.Model = strings.TrimSuffix(a.Provider+"/"+a.Model, "/")
		a.Provider = ""
	}
}

func fillNode(n *Node) {
	if n.Spec != nil {
		n.Kind = n.Spec.Kind()
	}
	n.FlowchartType, _ = n.FlowchartType.Canonical()
	settleRoutes(n.Routes)
	n.settlePolicies()
	if r := n.Retry; r != nil {
		fillRetry(r)
	}
	if s, ok := n.Spec.(defaulter); ok {
		s.fill(n)
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
		r.BackoffMS = defaultBackoffMS
	}
	r.Multiplier = cmp.Or(r.Multiplier, defaultMultiplier)
	if r.MaxBackoffMS == 0 {
		r.MaxBackoffMS = max(defaultMaxBackoffMS, r.BackoffMS)
	}
}

// settleDeadline moves the timeout of a node that asks people to the deadline of its question.
func (n *Node) settleDeadline(d *Deadline) *Deadline {
	if n.Timeout.IsZero() || d.Ends() {
		return d
	}
	within := *cmp.Or(d, &Deadline{})
	within.After, n.Timeout = n.Timeout, Duration{}
	return &within
}

func fillForm(form map[string]FormField) {
	names := InOrder(form)
	for i, name := range names {
		field := form[name]
		field.Type = cmp.Or(field.Type, "string")
		if field.Order = i + 1; slices.IsSorted(names) {
			field.Order = 0
		}
		form[name] = field
	}
}

// WithoutDefaults is a copy of the flow without the defaults, as people write it in a file.
func (f *Flow) WithoutDefaults() *Flow {
	f = f.WithDefaults()
	dropDefaults(f)
	return f
}

// dropDefaults removes the values that fillDefaults set.
func dropDefaults(f *Flow) {
	if f.OnLimit.Action == LimitEndPath {
		f.OnLimit.Action = ""
	}
	if f.Run.OnDuplicate == DuplicateShow && f.Run.Key != "" {
		f.Run.OnDuplicate = ""
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if len(n.Routes) > 1 {
			for k := range n.Routes {
				if n.Routes[k].When == "" {
					n.Routes[k].When = "default"
				}
			}
		}
		if r := n.Retry; r != nil {
			dropRetry(r)
		}
		if s, ok := n.Spec.(defaultDropper); ok {
			s.drop()
		}
	}
}

func dropRetry(r *Retry) {
	if r.MaxBackoffMS == max(defaultMaxBackoffMS, r.BackoffMS) {
		r.MaxBackoffMS = 0
	}
	if r.BackoffMS == defaultBackoffMS {
		r.BackoffMS = 0
	}
	if r.Multiplier == defaultMultiplier {
		r.Multiplier = 0
	}
}
