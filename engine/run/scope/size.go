package scope

import (
	"cmp"
	"maps"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/history"
)

// The largest sizes of variables, as JSON.
const (
	VarsMost  = 64 << 10 // in the state of a run, of all its variables together
	varInline = 8 << 10  // a larger value stays in its fact
)

// varRef is about what a variable takes in the state besides its name, when the state only refers to its value.
const varRef = 24

// SpaceFor says which of some values to be set stay in their fact, so that what all scopes have in the state is bounded, and stays so when
// they are merged: those above varInline, and of the rest the largest until there is space.
func SpaceFor(s *history.State, t *history.Token, sizes map[string]int) (large []string, fits bool) {
	total := sizeHeld(s, t, sizes)
	bySize := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	for _, name := range bySize {
		total += varSize(name, sizes[name])
	}
	for _, name := range bySize {
		size := sizes[name]
		if size <= varInline && (total <= VarsMost || size <= varRef) {
			break
		}
		large = append(large, name)
		total -= size - varRef
	}
	slices.Sort(large)
	return large, total <= VarsMost
}

// sizeHeld is the size in the state of the variables of all scopes, without those that a token is about to set anew.
func sizeHeld(s *history.State, t *history.Token, anew map[string]int) (size int) {
	eachVarScope(s, func(frame, branch int, sv history.ScopeVars) {
		own := frame == t.Frame && branch == t.Branch
		size += sizeOfVars(sv, func(name string) bool {
			_, set := anew[name]
			return own && set
		})
	})
	for i := range s.Frames {
		if e := s.Frames[i].Each; e != nil {
			left := history.ScopeVars{Values: history.Values(e.Vars), Large: history.Values(e.Large)}
			size += sizeOfVars(left, func(string) bool { return false })
		}
	}
	return size
}

// LeastSize is the least that the variables which a token sees can take, with what it is about to set.
func LeastSize(s *history.State, t *history.Token, anew map[string]int) (size int) {
	seen := variablesSeen(s, t)
	for name, v := range seen.Values {
		if _, set := anew[name]; !set {
			size += varSize(name, min(len(expr.JSON(v)), varRef))
		}
	}
	for name := range seen.Large {
		if _, set := anew[name]; !set {
			size += varSize(name, varRef)
		}
	}
	for name, n := range anew {
		size += varSize(name, min(n, varRef))
	}
	return size
}

// varSize is the size of a variable with its name.
func varSize(name string, value int) int { return len(name) + len(`"":,`) + value }

func sizeOfVars(sv history.ScopeVars, but func(name string) bool) (size int) {
	for name, v := range sv.Values {
		if !but(name) {
			size += varSize(name, len(expr.JSON(v)))
		}
	}
	for name := range sv.Large {
		if !but(name) {
			size += varSize(name, varRef)
		}
	}
	return size
}

// eachVarScope calls visit for every scope that has variables of its own: the run (frame 0), then branches and open items.
func eachVarScope(s *history.State, visit func(frame, branch int, sv history.ScopeVars)) {
	visit(0, 0, history.ScopeVars{Values: s.Vars, Large: s.Large})
	for i := range s.Frames {
		for j := range s.Frames[i].Branches {
			br := &s.Frames[i].Branches[j]
			visit(s.Frames[i].ID, j, history.ScopeVars{Values: br.Vars, Large: br.Large})
		}
	}
}
