package history

import (
	"encoding/json"
	"maps"

	"sluice/engine/expr"
)

// ScopeVars are the variables of one scope: a name has either a value or the fact that holds it.
type ScopeVars struct {
	Values map[string]any
	Large  map[string]int64
}

// setVars sets variables in the scope that the token writes to. It replaces a value or a reference of the same name.
func (s *State) setVars(t *Token, sv ScopeVars) error {
	vars, large := &s.Vars, &s.Large
	if t.Frame != 0 {
		br, err := s.branch(t.Frame, t.Branch)
		if err != nil {
			return err
		}
		vars, large = &br.Vars, &br.Large
	}
	for name, v := range sv.Values {
		Put(vars, name, v)
		delete(*large, name)
	}
	for name, seq := range sv.Large {
		Put(large, name, seq)
		delete(*vars, name)
	}
	return nil
}

func (b *VarsSet) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if len(b.Large) == 0 {
		return s.setVars(t, ScopeVars{Values: b.Vars})
	}
	sv := ScopeVars{maps.Clone(b.Vars), map[string]int64{}}
	for _, name := range b.Large {
		delete(sv.Values, name)
		sv.Large[name] = f.Seq
	}
	return s.setVars(t, sv)
}

// Stored gives the values that the state only refers to.
func (b *VarsSet) Stored() map[string]any {
	all := make(map[string]any, len(b.Large))
	for _, name := range b.Large {
		all[name] = b.Vars[name]
	}
	return all
}

// Read holds the large values, by name.
func (b *VarsSet) Read() Output { return Output{Data: json.RawMessage(expr.JSON(b.Stored()))} }

// takeVars records the variables of an item that has ended: each name has the value or reference of the item with the highest index.
func (e *Each) takeVars(br Branch) {
	older := func(name string) bool {
		value, known := e.Vars[name]
		ref, referred := e.Large[name]
		return known && value.Item > br.Index || referred && ref.Item > br.Index
	}
	for name, v := range br.Vars {
		if !older(name) {
			Put(&e.Vars, name, Latest[any]{br.Index, v})
			delete(e.Large, name)
		}
	}
	for name, seq := range br.Large {
		if !older(name) {
			Put(&e.Large, name, Latest[int64]{br.Index, seq})
			delete(e.Vars, name)
		}
	}
}
