package document

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
)

// Source is a text that was read, and the problems found in it.
type Source struct {
	*source.File
	Root *source.Value

	bytes    []byte
	problems flow.Problems
	places   map[string]*source.Value // of parts of the flow, by path
	flagged  map[string]bool          // paths with an error
	slots    map[string]Write         // how parts of the flow are written, by path
}

// JSON reads a JSON text. The error is a flow.Problem with one of the codes too-large, too-deep, bad-text and bad-json.
func JSON(name string, src []byte) (*Source, error) { return read(name, src, source.JSON) }

// YAML reads a YAML text, aliases included. The error is a flow.Problem with one of the codes too-large, too-deep, bad-text and bad-yaml.
func YAML(name string, src []byte) (*Source, error) { return read(name, src, source.YAML) }

type reader func(src *source.File, duplicate func(key string, at, first source.Place)) (*source.Value, *source.Error)

func read(name string, src []byte, parse reader) (*Source, error) {
	if err := Size(name, src); err != nil {
		return nil, err
	}
	s := &Source{File: source.New(name, src), bytes: src, places: map[string]*source.Value{}, flagged: map[string]bool{}, slots: map[string]Write{}}
	if !utf8.ValidString(s.Text) || strings.ContainsRune(s.Text, 0) {
		return nil, s.Problem(source.Place{Line: 1, Column: 1}, flow.SeverityError, "bad-text", "the file is not UTF-8 text", "")
	}
	root, bad := parse(s.File, func(key string, at, first source.Place) {
		s.Error(at, "", "duplicate-key", fmt.Sprintf("key '%s' is written twice", key), fmt.Sprintf("it is in line %d already; keep one of them", first.Line))
	})
	if bad != nil {
		return nil, s.Problem(bad.At, flow.SeverityError, bad.Code, bad.Message, bad.Hint)
	}
	s.Root = root
	return s, nil
}

// Size refuses a text with more bytes than a document may have, with a flow.Problem of code too-large.
func Size(name string, src []byte) error {
	if len(src) <= flow.MaxDocumentBytes {
		return nil
	}
	return flow.Problem{
		File: name, Severity: flow.SeverityError, Code: "too-large",
		Message: fmt.Sprintf("the file has more than %d bytes, as many as a flow may have", flow.MaxDocumentBytes),
		Hint:    "move parts of it into subflows",
	}
}

// Count refuses a list or mapping of nodes with more than a flow may have, with a flow.Problem of code too-many-nodes.
func (s *Source) Count(nodes *source.Value) error {
	if nodes == nil || len(nodes.Items)+len(nodes.Pairs) <= flow.MaxNodes {
		return nil
	}
	return s.Problem(nodes.At, flow.SeverityError, "too-many-nodes",
		fmt.Sprintf("the file has %d nodes; a flow may have %d", len(nodes.Items)+len(nodes.Pairs), flow.MaxNodes), "move parts of it into flows of their own")
}

// Unreadable is the error of a document that cannot be read at all.
func (s *Source) Unreadable(at *source.Value, code, message, hint string) error {
	return s.Problem(at.At, flow.SeverityError, code, message, hint)
}

// At notes the place of a part of the flow, such as flow.nodes[2].routes[0], for the problems that validation finds.
func (s *Source) At(path string, v *source.Value) {
	if v != nil {
		s.places[path] = v
	}
}

// Error reports an error. Validation adds nothing at its path, which may be empty.
func (s *Source) Error(at source.Place, path, code, message, hint string) {
	if path != "" {
		s.flagged[path] = true
	}
	s.report(at, path, flow.SeverityError, code, message, hint)
}

// Warn reports what is lost or does not run.
func (s *Source) Warn(at source.Place, path, code, message, hint string) {
	s.report(at, path, flow.SeverityWarning, code, message, hint)
}

// Problems are those that were reported so far, ordered by place.
func (s *Source) Problems() flow.Problems { return slices.Clone(s.problems).Sorted() }

// Full reports whether no more problems are taken, so that their words need not be found.
func (s *Source) Full() bool { return len(s.problems) >= flow.MaxProblems }

// RefuseSecrets reports every text of the document that has the form of a secret: the document is stored, and shown to people.
func (s *Source) RefuseSecrets() {
	for v := range s.Root.Scalars() {
		if flow.IsSecret(v.Text) {
			s.Error(v.At, "", "literal-secret", "this looks like a secret: a file with it is not read", "remove it; secrets are stored apart and written as {{secret.NAME}}")
		}
	}
}

func (s *Source) report(at source.Place, path string, severity flow.Severity, code, message, hint string) {
	if s.Full() {
		return
	}
	p := s.Problem(at, severity, code, message, hint)
	p.Path = path
	s.problems = append(s.problems, p)
}
