package flow

// Pulled reports whether the node is a value that is made when it is read, so that no token passes it.
func (n *Node) Pulled() bool {
	switch s := n.Spec.(type) {
	case *ComputeSpec:
		return s.Pull
	case *OpaqueSpec:
		return s.Pull
	}
	return false
}

// Foreign names the nodes whose kind the native file does not have.
func (f *Flow) Foreign() []string {
	var ids []string
	for i := range f.Nodes {
		if IsForeign(f.Nodes[i].Spec) {
			ids = append(ids, f.Nodes[i].ID)
		}
	}
	return ids
}

// IsForeign reports whether only imported flows have the kind of a spec.
func IsForeign(s Spec) bool {
	if s == nil {
		return false
	}
	for _, k := range kinds {
		if k.kind == s.Kind() {
			return k.foreign
		}
	}
	return false
}

// Opaque names the nodes that the engine cannot run: a run that reaches one fails there.
func (f *Flow) Opaque() []string {
	var ids []string
	for i := range f.Nodes {
		if f.Nodes[i].Kind == KindOpaque {
			ids = append(ids, f.Nodes[i].ID)
		}
	}
	return ids
}

// ForeignWords say in a few words what a node of a foreign kind does; "" for another kind.
func (n *Node) ForeignWords() string {
	if !IsForeign(n.Spec) {
		return ""
	}
	return n.Spec.describe(n)
}
