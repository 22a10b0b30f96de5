package importer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"sluice/engine/flow"
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
	var unknown *UnrecognisedError
	if errors.As(err, &unknown) && len(unknown.Candidates) == 0 {
		if err := readable(name, src); err != nil {
			return document.Document{}, Format{}, err
		}
	}
	if err != nil {
		return document.Document{}, Format{}, err
	}
	doc, err := format.Decode(name, src)
	return doc, format, err
}

// readable says why a text is neither YAML nor JSON.
func readable(name string, src []byte) error {
	_, yaml := document.YAML(name, src)
	var problem flow.Problem
	if limit := errors.As(yaml, &problem) && problem.Code != "bad-yaml"; !limit && bytes.HasPrefix(bytes.TrimSpace(src), []byte("{")) {
		_, err := document.JSON(name, src)
		return err
	}
	return yaml
}

// Check reads a document and checks it. A document that cannot be read has one problem, which says why.
func Check(name string, src []byte, c flow.Checks) (document.Document, Format, flow.Problems) {
	return CheckAs(name, src, c, func(d document.Document) document.Document { return d })
}

// CheckAs is Check of what as makes of the document, such as [document.Document.With].
func CheckAs(name string, src []byte, c flow.Checks, as func(document.Document) document.Document) (document.Document, Format, flow.Problems) {
	doc, format, err := Read(name, src)
	var problem flow.Problem
	var several flow.Problems
	var unknown *UnrecognisedError
	switch {
	case errors.As(err, &several):
		return document.Document{}, format, several
	case err == nil:
		doc = as(doc)
		return doc, format, doc.Check(c)
	case errors.As(err, &unknown):
		problem = unknown.Problem(name)
	case !errors.As(err, &problem):
		problem = flow.Problem{File: name, Severity: flow.SeverityError, Code: "unreadable", Message: err.Error()}
	}
	return document.Document{}, format, flow.Problems{problem}
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

// Changed gives the document of the first of several flows that the format can write, and the error for the first one where it can write none.
// All came from one document, and say in other places what is to be different.
func Changed(flows ...*flow.Flow) (document.Document, error) {
	var first error
	for _, f := range flows {
		format, ok := ByProfile(f.Profile)
		if !ok {
			return document.Document{}, fmt.Errorf("there is no format %q", f.Profile)
		}
		src, err := format.Encode(f)
		if err == nil {
			return format.Decode(f.Name, src)
		}
		if first == nil {
			first = err
		}
	}
	return document.Document{}, first
}
