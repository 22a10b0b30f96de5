package importer

import (
	"fmt"
	"strings"

	"sluice/engine/importer/document"
)

// UnrecognisedError says that no format, or several, recognise a document.
type UnrecognisedError struct {
	Candidates []Format // those that recognise it, each with its Why
	All        []Format
}

func (e *UnrecognisedError) Error() string {
	var b strings.Builder
	if len(e.Candidates) == 0 {
		b.WriteString("the document has no format that can be read; the formats are:")
		for _, f := range e.All {
			fmt.Fprintf(&b, "\n  %s: it has %s", f.Name, f.Looks)
		}
		return b.String()
	}
	b.WriteString("the document can be read in several ways:")
	for _, f := range e.Candidates {
		fmt.Fprintf(&b, "\n  as %s, because %s", f.Name, f.Why)
	}
	return b.String()
}

// Read reads a document of any format. The format says by what it was recognised.
func Read(name string, src []byte) (document.Document, Format, error) {
	if err := document.Size(name, src); err != nil {
		return document.Document{}, Format{}, err
	}
	format, err := Recognise(src)
	if err != nil {
		return document.Document{}, Format{}, err
	}
	doc, err := format.Decode(name, src)
	return doc, format, err
}

// Recognise finds the one format of a document. The error is an [*UnrecognisedError].
func Recognise(src []byte) (Format, error) {
	all := Formats()
	var found []Format
	for _, f := range all {
		if why, ok := f.Recognise(src); ok {
			f.Why = why
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return Format{}, &UnrecognisedError{Candidates: found, All: all}
	}
	return found[0], nil
}
