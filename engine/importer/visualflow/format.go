package visualflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"sluice/engine/flow"
	"sluice/engine/importer/document"
)

// Profile names the format in a flow.
const Profile flow.Profile = "visualflow"

// Recognise looks for nodes with a nodeType, an entryNode or execution edges, or for a bundle of such documents.
func Recognise(src []byte) (why string, ok bool) {
	if isArchive(src) {
		return recogniseBundle(src)
	}
	var d struct {
		Entry *json.RawMessage `json:"entryNode"`
		Nodes []struct {
			Data struct {
				Type string `json:"nodeType"`
			} `json:"data"`
		} `json:"nodes"`
		Edges []struct {
			Target string `json:"targetHandle"`
		} `json:"edges"`
	}
	err := json.Unmarshal(bytes.TrimPrefix(src, []byte("\ufeff")), &d)
	if odd := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &odd) || d.Nodes == nil { // one odd value hides no other
		return "", false
	}
	for _, n := range d.Nodes {
		if n.Data.Type != "" {
			return "its nodes have data with a nodeType", true
		}
	}
	for _, e := range d.Edges {
		if e.Target == execIn {
			return "its edges lead to the pin exec-in", true
		}
	}
	return "it has nodes and an entryNode", d.Entry != nil
}

// Decode reads a document or a bundle.
func Decode(name string, src []byte) (document.Document, error) {
	if isArchive(src) {
		return decodeBundle(name, src)
	}
	_, d, _, err := read(name, src)
	return d, err
}

// read reads a document that is no bundle.
func read(name string, src []byte) (*document.Source, document.Document, *converter, error) {
	s, err := document.JSON(name, src)
	if err == nil {
		err = findSecret(s)
	}
	if err != nil {
		return nil, document.Document{}, nil, err
	}
	g, err := readGraph(s)
	if err != nil {
		return nil, document.Document{}, nil, err
	}
	c := g.convert()
	return s, c.document(), c, nil
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }
