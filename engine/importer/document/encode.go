package document

import (
	"bytes"
	"fmt"

	"sluice/engine/flow"
)

// NotWritableError says that a change of a flow cannot be written in the format that it came from.
type NotWritableError struct{ Reason string }

func (e *NotWritableError) Error() string {
	return "the change cannot be written in this format: " + e.Reason
}

// Reencode gives the source of a flow where nothing changed. Otherwise patch changes the source, and what it gives must read as the flow
// again; patch is nil where a format cannot write changes.
func Reencode(f *flow.Flow, decode func(name string, src []byte) (Document, error), patch func(before, after *flow.Flow, src []byte) ([]byte, error)) ([]byte, error) {
	src, ok := Original(f)
	if !ok {
		return nil, &NotWritableError{"the flow was not read from a file of this format"}
	}
	before, err := decode(f.Name, src)
	if err != nil {
		return nil, fmt.Errorf("read the source of %s: %w", f.Name, err)
	}
	if same(before.Flow, f) {
		return src, nil
	}
	if patch == nil {
		return nil, &NotWritableError{"only the file as it was can be given back"}
	}
	out, err := patch(before.Flow.WithDefaults(), f.WithDefaults(), src)
	if err != nil {
		return nil, err
	}
	after, err := decode(f.Name, out)
	if err != nil {
		return nil, &NotWritableError{err.Error()}
	}
	if !same(after.Flow, f) {
		return nil, &NotWritableError{"it would be read as another flow" + difference(after.Flow.WithDefaults(), f.WithDefaults())}
	}
	return out, nil
}

// same reports whether two flows differ in nothing but their sources.
func same(a, b *flow.Flow) bool {
	a, b = a.Clone(), b.Clone()
	a.Raw, b.Raw = nil, nil
	return bytes.Equal(flow.Canonical(a), flow.Canonical(b))
}
