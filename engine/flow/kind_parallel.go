package flow

import "fmt"

// KindParallel is the kind of ParallelSpec.
const KindParallel Kind = "parallel"

// ParallelSpec starts every branch and joins them.
type ParallelSpec struct {
	Branches []Route `json:"branches"` // only To and Label
	Join     Join    `json:"join,omitzero"`
}

// Join says when a parallel node continues.
type Join struct {
	Type       string   `json:"type,omitempty"` // all (default), any, first, count
	Count      int      `json:"count,omitempty"`
	Timeout    Duration `json:"timeout,omitzero"`
	TimeoutSet bool     `json:"timeout_set,omitempty"` // written out in the file, see engine.md on the clock under a join
}

// Kind is KindParallel.
func (*ParallelSpec) Kind() Kind { return KindParallel }

func (s *ParallelSpec) check(v *Checker, a At, n *Node) {
	if len(s.Branches) < 2 {
		v.Error(a.In("branches"), "too-few-branches", fmt.Sprintf("a parallel node needs at least 2 branches, not %d%s", len(s.Branches), a.On),
			"with one branch a route does the same")
	}
	j, at := s.Join, a.In("join")
	switch {
	case !v.Intact(at):
	case j.Type == "count" && j.Count < 1:
		v.Error(at, "out-of-range", "join type count needs 'count' of at least 1"+a.On, "")
	case j.Type == "count" && j.Count > len(s.Branches):
		v.Error(at.In("count"), "out-of-range", fmt.Sprintf("join waits for %d branches, but there are %d%s", j.Count, len(s.Branches), a.On), "")
	case j.Type != "count" && j.Count != 0:
		v.Warn(at.In("count"), "out-of-place", fmt.Sprintf("'count' means nothing with join type %s%s", j.Type, a.On), "write type: count")
	}
	if j.TimeoutSet && j.Timeout.Clock <= 0 && j.Timeout.WorkingDays <= 0 {
		v.Error(at.In("timeout"), "out-of-range", "'timeout' must be more than 0"+a.On, "")
	} else if j.TimeoutSet {
		v.shortJoin(at.In("timeout"), n, s)
	}
}

func (*ParallelSpec) describe(_ *Node) string {
	return ""
}

func (*ParallelSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeSubprocess
}

func (*ParallelSpec) does() int { return works }

func (s *ParallelSpec) branches() []Route { return s.Branches }

func (s *ParallelSpec) fill(*Node) {
	settleRoutes(s.Branches)
	fillJoin(&s.Join)
}

func (s *ParallelSpec) drop() {
	if s.Join.Type == "all" {
		s.Join.Type = ""
	}
	if !s.Join.TimeoutSet {
		s.Join.Timeout = Duration{}
	}
	s.Join.TimeoutSet = false
}

func (s *ParallelSpec) checkCeilings(v *Checker, a At, c Ceilings) {
	v.overCeiling(a.In("branches"), "branches", float64(len(s.Branches)), whole("SLUICE_MAX_BRANCHES", c.Branches))
}

// shortJoin warns when a written join timeout may end a branch that waits for people.
func (v *Checker) shortJoin(a At, n *Node, s *ParallelSpec) {
	var heads []int
	for _, b := range s.Branches {
		if i, ok := v.Graph.Index[b.To]; ok {
			heads = append(heads, i)
		}
	}
	for i, in := range v.Graph.Reachable(heads...) {
		if w, ok := v.Flow.Nodes[i].Spec.(waiter); in && ok && w.waits() && v.Flow.Nodes[i].ID != n.ID {
			v.Warn(a, "impatient-join", fmt.Sprintf("'%s' may still wait when the join of '%s' times out after %s", v.Flow.Nodes[i].ID, n.ID, s.Join.Timeout),
				"without 'timeout' the clock stands while branches wait for people")
			return
		}
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
