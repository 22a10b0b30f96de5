package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// What variables may take, as JSON.
const (
	varsMost  = 64 << 10 // in the state of a run, of all its variables together
	varInline = 8 << 10  // a larger value stays in its fact
	varMost   = 1 << 20  // one value, as much as a tool may answer
)

// varRef is about what a variable takes in the state besides its name, when the state only refers to its value.
const varRef = 24

// writeVars sets variables, unless one of them is too large or there are too many: then the token's step fails. Large values stay in the
// fact, and so do others for which there is no room in the state.
func (m *machine) writeVars(t Token, vars map[string]any) bool {
	if len(vars) == 0 {
		return true
	}
	sizes := make(map[string]int, len(vars))
	for name, v := range vars {
		if sizes[name] = len(expr.JSON(v)); sizes[name] > varMost {
			m.varsLimit(t, sizes[name], fmt.Sprintf("the variable %s may take %d KiB; this value would take %d", name, varMost>>10, (sizes[name]+1023)>>10))
			return false
		}
	}
	large, fits := m.s.roomFor(&t, sizes)
	if !fits {
		if least := m.s.leastVars(&t, sizes); least > varsMost {
			m.varsLimit(t, least, fmt.Sprintf("all variables together may take %d KiB; with these they would take %d", varsMost>>10, (least+1023)>>10))
			return false
		}
	}
	b := &VarsSet{Vars: vars, Large: large}
	if seq := m.emit(t, b); len(large) > 0 {
		put(&m.decoded, seq, any(b.large()))
	}
	return true
}

func (m *machine) varsLimit(t Token, size int, message string) {
	m.emit(t, &LimitReached{Limit: LimitVars, Action: flow.LimitFail, Value: int64(size)})
	m.fail(t.ID, NodeError{Node: t.Node, Type: ErrorLimit, Permanent: true, Message: message})
}

// roomFor says which of some values to be set stay in their fact, so that what all scopes have in the state is bounded, and stays so when
// they are merged: those above varInline, and of the rest the largest until there is room.
func (s *State) roomFor(t *Token, sizes map[string]int) (large []string, fits bool) {
	total := s.heldVars(t, sizes)
	bySize := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	for _, name := range bySize {
		total += varSize(name, sizes[name])
	}
	for _, name := range bySize {
		size := sizes[name]
		if size <= varInline && (total <= varsMost || size <= varRef) {
			break
		}
		large = append(large, name)
		total -= size - varRef
	}
	slices.Sort(large)
	return large, total <= varsMost
}

// heldVars is what the variables of all scopes take in the state, without those that a token is about to set anew.
func (s *State) heldVars(t *Token, anew map[string]int) (size int) {
	s.varScopes(func(frame, branch int, sv scopeVars) {
		own := frame == t.Frame && branch == t.Branch
		size += sv.size(func(name string) bool {
			_, set := anew[name]
			return own && set
		})
	})
	for i := range s.Frames {
		if e := s.Frames[i].Each; e != nil {
			left := scopeVars{values(e.Vars), values(e.Large)}
			size += left.size(func(string) bool { return false })
		}
	}
	return size
}

// leastVars is the least that the variables which a token sees can take, with what it is about to set.
func (s *State) leastVars(t *Token, anew map[string]int) (size int) {
	seen := s.variables(t)
	for name, v := range seen.values {
		if _, set := anew[name]; !set {
			size += varSize(name, min(len(expr.JSON(v)), varRef))
		}
	}
	for name := range seen.large {
		if _, set := anew[name]; !set {
			size += varSize(name, varRef)
		}
	}
	for name, n := range anew {
		size += varSize(name, min(n, varRef))
	}
	return size
}

// varSize is what a variable takes with its name.
func varSize(name string, value int) int { return len(name) + len(`"":,`) + value }

// scopeVars are the variables of one scope: a name has either a value or the fact that holds it.
type scopeVars struct {
	values map[string]any
	large  map[string]int64
}

func (sv scopeVars) size(but func(name string) bool) (size int) {
	for name, v := range sv.values {
		if !but(name) {
			size += varSize(name, len(expr.JSON(v)))
		}
	}
	for name := range sv.large {
		if !but(name) {
			size += varSize(name, varRef)
		}
	}
	return size
}

// varScopes calls visit for every scope that has variables of its own: the run (frame 0), then branches and open items.
func (s *State) varScopes(visit func(frame, branch int, sv scopeVars)) {
	visit(0, 0, scopeVars{s.Vars, s.Large})
	for i := range s.Frames {
		for j := range s.Frames[i].Branches {
			br := &s.Frames[i].Branches[j]
			visit(s.Frames[i].ID, j, scopeVars{br.Vars, br.Large})
		}
	}
}

// setVars writes where the token writes. What was there under the same name is gone, whichever of the two it was.
func (s *State) setVars(t *Token, sv scopeVars) error {
	vars, large := &s.Vars, &s.Large
	if t.Frame != 0 {
		br, err := s.branch(t.Frame, t.Branch)
		if err != nil {
			return err
		}
		vars, large = &br.Vars, &br.Large
	}
	for name, v := range sv.values {
		put(vars, name, v)
		delete(*large, name)
	}
	for name, seq := range sv.large {
		put(large, name, seq)
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
		return s.setVars(t, scopeVars{values: b.Vars})
	}
	sv := scopeVars{maps.Clone(b.Vars), map[string]int64{}}
	for _, name := range b.Large {
		delete(sv.values, name)
		sv.large[name] = f.Seq
	}
	return s.setVars(t, sv)
}

// large gives the values that the state only refers to.
func (b *VarsSet) large() map[string]any {
	all := make(map[string]any, len(b.Large))
	for _, name := range b.Large {
		all[name] = b.Vars[name]
	}
	return all
}

// output holds the large values, by name.
func (b *VarsSet) output() Output { return Output{Data: json.RawMessage(expr.JSON(b.large()))} }

// takeVars notes what an item leaves: of each name what the item with the highest index has, be it a value or a reference.
func (e *Each) takeVars(br Branch) {
	older := func(name string) bool {
		value, known := e.Vars[name]
		ref, referred := e.Large[name]
		return known && value.Item > br.Index || referred && ref.Item > br.Index
	}
	for name, v := range br.Vars {
		if !older(name) {
			put(&e.Vars, name, Latest[any]{br.Index, v})
			delete(e.Large, name)
		}
	}
	for name, seq := range br.Large {
		if !older(name) {
			put(&e.Large, name, Latest[int64]{br.Index, seq})
			delete(e.Vars, name)
		}
	}
}

// variable gives a variable as a token sees it: its value, or the fact that holds it.
func (s *State) variable(t *Token, name string) (v any, seq int64) {
	s.layers(t, func(b *Branch) bool {
		sv := s.varsOf(b)
		value, known := sv.values[name]
		v, seq = value, sv.large[name]
		return known || seq != 0
	})
	return v, seq
}

// variables gives all variables that the token sees.
func (s *State) variables(t *Token) scopeVars {
	all := scopeVars{map[string]any{}, map[string]int64{}}
	s.layers(t, func(b *Branch) bool {
		inner := scopeVars{maps.Clone(all.values), maps.Clone(all.large)}
		sv := s.varsOf(b)
		for name, v := range sv.values {
			if !inner.has(name) {
				all.values[name] = v
			}
		}
		for name, seq := range sv.large {
			if !inner.has(name) {
				all.large[name] = seq
			}
		}
		return false
	})
	return all
}

func (s *State) varsOf(b *Branch) scopeVars {
	if b == nil {
		return scopeVars{s.Vars, s.Large}
	}
	return scopeVars{b.Vars, b.Large}
}

func (sv scopeVars) has(name string) bool {
	_, value := sv.values[name]
	return value || sv.large[name] != 0
}

// largeVar reads a variable's value from its fact; nil when it must be loaded first.
func (m *machine) largeVar(seq int64, name string) any {
	data, known := m.decoded[seq]
	if !known {
		out, ok := m.fetch(seq)
		if !ok {
			return nil
		}
		data = decode(out.Data)
		put(&m.decoded, seq, data)
	}
	return member(data, name)
}

// wantVars notes the large variables that may be read as a token sees them.
func (m *machine) wantVars(t Token, p paths) {
	for _, name := range p.vars {
		_, seq := m.s.variable(&t, name)
		m.want(seq)
	}
	if p.everyVar {
		m.wantLarge(m.s.variables(&t).large, p)
	}
}

// wantLarge notes those of some large variables that may be read.
func (m *machine) wantLarge(large map[string]int64, p paths) {
	for name, seq := range large {
		if p.everyVar || slices.Contains(p.vars, name) {
			m.want(seq)
		}
	}
}
