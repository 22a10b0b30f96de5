package flow

import (
	"fmt"

	"sluice/engine/naming"
)

// KindSet is the kind of SetSpec.
const KindSet Kind = "set"

// SetSpec writes variables.
type SetSpec struct {
	Vars map[string]any `json:"vars"`
}

// Kind is KindSet.
func (*SetSpec) Kind() Kind { return KindSet }

func (s *SetSpec) check(v *Checker, a At, _ *Node) {
	if len(s.Vars) == 0 {
		v.Error(a.In("vars"), "empty", "'vars' must not be empty"+a.On, "")
	}
	for name := range s.Vars {
		if !identifier.MatchString(name) {
			v.Error(a.In("vars"), "bad-name", fmt.Sprintf("'%s' is not a name of a variable%s", name, a.On), "use letters, digits and _")
		}
	}
	v.Templates(a.In("vars"), s.Vars, false)
}

func (s *SetSpec) describe(_ *Node) string {
	return "sets " + naming.List(sortedKeys(s.Vars), "and")
}

func (*SetSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeProcess
}

func (*SetSpec) does() int { return doesNothing }

func (s *SetSpec) checkCeilings(v *Checker, a At, c Ceilings) {
	for _, name := range sortedKeys(s.Vars) {
		v.overCeiling(a.In("vars."+name), name, float64(jsonSize(s.Vars[name])), ceiling{"SLUICE_MAX_VARIABLE_KB", float64(c.Variable), size})
	}
}

func (s *SetSpec) parts() []Part { return []Part{{Key: "vars", Form: FormValue, Value: s.Vars}} }
