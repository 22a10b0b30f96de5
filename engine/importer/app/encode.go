package app

import (
	"sluice/engine/flow"
	"sluice/engine/importer/document"
)

// Encode gives the source of a flow where nothing changed, otherwise the source with what changed.
func Encode(f *flow.Flow) ([]byte, error) { return document.Reencode(f, Decode, nil) }
