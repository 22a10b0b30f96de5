package run

import (
	"fmt"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/scope"
)

// writeVars sets variables. The token's step fails if one of them is too large or if there are too many. Large values stay in the fact, and so
// do others for which there is no space in the state.
func (m *machine) writeVars(t history.Token, vars map[string]any) bool {
	if len(vars) == 0 {
		return true
	}
	sizes := make(map[string]int, len(vars))
	for name, v := range vars {
		if sizes[name] = len(expr.JSON(v)); sizes[name] > m.Program.Most.Variable {
			varsAtLimit(m, t, sizes[name], fmt.Sprintf("the variable %s may take %d KiB; this value would take %d; an operator can raise SLUICE_MAX_VARIABLE_KB", name, m.Program.Most.Variable>>10, (sizes[name]+1023)>>10))
			return false
		}
	}
	large, fits := scope.SpaceFor(m.State, &t, sizes)
	if !fits {
		if least := scope.LeastSize(m.State, &t, sizes); least > scope.VarsMost {
			varsAtLimit(m, t, least, fmt.Sprintf("all variables together may take %d KiB; with these they would take %d", scope.VarsMost>>10, (least+1023)>>10))
			return false
		}
	}
	b := &history.VarsSet{Vars: vars, Large: large}
	if seq := m.emit(t, b); len(large) > 0 {
		history.Put(&m.Decoded, seq, any(b.Stored()))
	}
	return true
}

// remember makes the fields of an agent's answer variables, where the rules of the flow's format say so. It reports false when the step fails.
func remember(m *machine, t history.Token, out history.Output) bool {
	n := m.Node(t)
	if n == nil || n.Kind != flow.KindAgent || !m.Program.Flow().Rules.Memory {
		return true
	}
	fields, _ := history.Decode(out.Data).(map[string]any)
	return m.writeVars(t, history.NormalMap(fields))
}

func varsAtLimit(m *machine, t history.Token, size int, message string) {
	m.emit(t, &history.LimitReached{Limit: history.LimitVars, Action: flow.LimitFail, Value: int64(size)})
	m.fail(t.ID, history.NodeError{Node: t.Node, Type: history.ErrorLimit, Permanent: true, Message: message})
}
