package visualflow

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/importer/document"
)

// Encode gives the document of a flow. Single values that were changed since it was read are changed in their places.
func Encode(f *flow.Flow) ([]byte, error) { return document.Reencode(f, Decode, patch) }

func patch(before, after *flow.Flow, src []byte) ([]byte, error) {
	if isArchive(src) {
		return nil, &document.NotWritableError{Reason: "a bundle can only be given back as it was"}
	}
	s, _, err := decodeOne(before.Name, src)
	if err != nil {
		return nil, err
	}
	return document.Patch(s.File, s.Place, before, after)
}

// kept are the fields of a run-time node in which the value of an input pin is kept as it is.
var kept = map[string][]string{
	"prompt": {"prompt", "message", "input.task"}, "message": {"message"}, "system": {"system"}, "temperature": {"temperature"}, "max_out_tokens": {"max_tokens"},
}

// notePlaces notes where the document has what a person may change in a step: its name, and values of pins.
func (c *converter) notePlaces(n *node, index int) {
	path := fmt.Sprintf("flow.nodes[%d].", index)
	c.src.At(path+"name", n.data.Get("label"))
	if defaults := n.data.Get("pinDefaults"); defaults != nil {
		for _, p := range defaults.Pairs {
			name := n.inputName(p.Key)
			for _, field := range append(kept[name], "params."+p.Key, "output."+name, "inputs."+inputName(name)) {
				c.src.At(path+field, p.Value)
			}
		}
	}
	for _, pin := range n.outputPins() {
		c.src.At(path+flow.JoinPath("value", pin), n.data.Get("literalValue"))
	}
}
