package app

import (
	"sluice/engine/flow"
	"sluice/engine/importer/document"
)

// Encode gives the source of a flow where nothing changed, otherwise the source with what changed.
func Encode(f *flow.Flow) ([]byte, error) { return document.Reencode(f, Decode, patch) }

// patch changes single values in their places. Steps that come or go cannot be written.
func patch(before, after *flow.Flow, src []byte) ([]byte, error) {
	s, err := document.YAML(before.Name, src)
	if err != nil {
		return nil, err
	}
	r, err := newReading(s)
	if err != nil {
		return nil, err
	}
	doc, _ := r.file()
	return document.Patch(s.File, doc.Value, before, after)
}
