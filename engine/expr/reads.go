package expr

import "slices"

// readSet collects paths in order and without repetition.
type readSet struct{ paths [][]string }

func (r *readSet) add(paths ...[]string) {
	for _, path := range paths {
		known := slices.ContainsFunc(r.paths, func(other []string) bool { return slices.Equal(other, path) })
		if !known {
			r.paths = append(r.paths, path)
		}
	}
}

// list gives the paths as a copy that the caller may keep.
func (r *readSet) list() [][]string {
	cloned := make([][]string, len(r.paths))
	for i, path := range r.paths {
		cloned[i] = slices.Clone(path)
	}
	return cloned
}
