package visualflow

import (
	"sluice/engine/flow"
	"sluice/engine/importer/document"
)

// Encode gives the document of a flow, with what was changed since it was read.
func Encode(f *flow.Flow) ([]byte, error) { return document.Reencode(f, Decode, nil) }
