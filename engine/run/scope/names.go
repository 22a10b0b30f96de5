package scope

import (
	"maps"
	"slices"

	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// variableSeen gives a variable as a token sees it: its value, or the fact that holds it.
func variableSeen(s *history.State, t *history.Token, name string) (v any, seq int64) {
	eachLayer(s, t, func(b *history.Branch) bool {
		sv := varsOfBranch(s, b)
		value, known := sv.Values[name]
		v, seq = value, sv.Large[name]
		return known || seq != 0
	})
	return v, seq
}

// variablesSeen gives all variables that the token sees.
func variablesSeen(s *history.State, t *history.Token) history.ScopeVars {
	all := history.ScopeVars{Values: map[string]any{}, Large: map[string]int64{}}
	eachLayer(s, t, func(b *history.Branch) bool {
		inner := history.ScopeVars{Values: maps.Clone(all.Values), Large: maps.Clone(all.Large)}
		sv := varsOfBranch(s, b)
		for name, v := range sv.Values {
			if !hasVar(inner, name) {
				all.Values[name] = v
			}
		}
		for name, seq := range sv.Large {
			if !hasVar(inner, name) {
				all.Large[name] = seq
			}
		}
		return false
	})
	return all
}

func varsOfBranch(s *history.State, b *history.Branch) history.ScopeVars {
	if b == nil {
		return history.ScopeVars{Values: s.Vars, Large: s.Large}
	}
	return history.ScopeVars{Values: b.Vars, Large: b.Large}
}

func hasVar(sv history.ScopeVars, name string) bool {
	_, value := sv.Values[name]
	return value || sv.Large[name] != 0
}

// largeVar reads a variable's value from its fact; nil when it must be loaded first.
func (rd *Reader) largeVar(seq int64, name string) any {
	data, known := rd.Decoded[seq]
	if !known {
		out, ok := rd.fetch(seq)
		if !ok {
			return nil
		}
		data = history.Decode(out.Data)
		history.Put(&rd.Decoded, seq, data)
	}
	return member(data, name)
}

// wantVars notes the large variables that may be read as a token sees them.
func (rd *Reader) wantVars(t history.Token, p compile.Paths) {
	for _, name := range p.Vars {
		_, seq := variableSeen(rd.State, &t, name)
		rd.want(seq)
	}
	if p.EveryVar {
		rd.wantLarge(variablesSeen(rd.State, &t).Large, p)
	}
}

// wantLarge notes those of some large variables that may be read.
func (rd *Reader) wantLarge(large map[string]int64, p compile.Paths) {
	for name, seq := range large {
		if p.EveryVar || slices.Contains(p.Vars, name) {
			rd.want(seq)
		}
	}
}

// roundNumber is the number of the present round, or at the block's own node of the one to come.
func roundNumber(b *history.Block, at *history.Token) int {
	if at.Step == b.Step {
		return b.Next
	}
	return b.Next - 1
}

// eachRepeat calls visit for everything that repeats around a token, innermost first, until visit returns true: a block of the token
// at, or an item of a foreach.
func eachRepeat(s *history.State, t *history.Token, visit func(at *history.Token, b *history.Block, fr *history.Frame, br *history.Branch) bool) {
	for t != nil {
		for i := len(t.Blocks) - 1; i >= 0; i-- {
			if visit(t, &t.Blocks[i], nil, nil) {
				return
			}
		}
		fr := s.Frame(t.Frame)
		if t.Frame == 0 || fr == nil || t.Branch < 0 || t.Branch >= len(fr.Branches) {
			return
		}
		if fr.Each != nil && visit(nil, nil, fr, &fr.Branches[t.Branch]) {
			return
		}
		t = s.Token(fr.Token)
	}
}

// eachLayer calls visit for every scope that a token reads, innermost first, until visit returns true: its branch, the branch around that,
// ..., then the run itself (a nil branch).
func eachLayer(s *history.State, t *history.Token, visit func(*history.Branch) bool) {
	for frame, branch := t.Frame, t.Branch; frame != 0; {
		fr := s.Frame(frame)
		if fr == nil || branch >= len(fr.Branches) {
			return
		}
		if visit(&fr.Branches[branch]) {
			return
		}
		parent := s.Token(fr.Token)
		if parent == nil {
			return
		}
		frame, branch = parent.Frame, parent.Branch
	}
	visit(nil)
}

// outputSeen gives the fact of a node's latest output as the token sees it, or 0. For the step that it has just finished a token sees its own
// output, even if another token of its scope has finished that node since.
func outputSeen(s *history.State, t *history.Token, node string) (seq int64) {
	if t.Done != 0 && t.Node == node {
		return t.Done
	}
	eachLayer(s, t, func(b *history.Branch) bool {
		outputs := s.Frames[0].Outputs
		if b != nil {
			outputs = b.Outputs
		}
		seq = outputs[node]
		return seq != 0
	})
	return seq
}

// ApprovalSeen gives the latest answer at a gate node as a token sees it.
func ApprovalSeen(s *history.State, t *history.Token, node string) (a history.Approval, ok bool) {
	eachLayer(s, t, func(b *history.Branch) bool {
		approvals := s.Approvals
		if b != nil {
			approvals = b.Approvals
		}
		a, ok = approvals[node]
		return ok
	})
	return a, ok
}

// runFields are the fields of the run that expressions can read. The run's address is looked up only if an expression reads it.
type runFields struct{ sc *Scope }

// Member gives one field of the run.
func (r runFields) Member(key string) any {
	if key == "url" {
		return r.sc.rd.url()
	}
	return r.known()[key]
}

// Plain gives all fields of the run.
func (r runFields) Plain() any {
	all := r.known()
	all["url"] = r.sc.rd.url()
	return all
}

func (r runFields) known() map[string]any {
	m := r.sc.rd
	st := m.Start()
	outcome := history.OutcomeDone // that it would have if it ended here
	if e := r.sc.t.Ending; e != nil {
		outcome = e.Outcome
	}
	return map[string]any{
		"id": m.RunID, "name": st.Name, "title": st.Title, "started_by": st.By, "started_at": m.State.Started, "outcome": string(outcome),
	}
}

// state is what the token's latest step said for routing, and the verdicts about it.
func (sc *Scope) state() any {
	verdicts := map[string]any{}
	if n := sc.rd.Node(sc.t); n != nil {
		for _, c := range n.Criteria {
			if met, known := sc.t.Verdicts[c.ID]; known {
				verdicts[c.ID] = met
			}
		}
		sc.rd.Unknown = sc.rd.Unknown || sc.rd.Trial != nil && len(n.Criteria) > 0
	}
	return map[string]any{"next": sc.t.Next, "tool": sc.t.Tool, "verdicts": verdicts}
}
