package visualflow

import (
	"regexp"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

// secretField is a field whose value is a secret, in the spellings of editors: apiKey, api_key, x-api-key.
var secretField = regexp.MustCompile(`(?i)(api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|password|passwd|authorization|private[_-]?key)$`)

// findSecret refuses a document that has a secret in it: a document is kept and shown as it is. The error does not show the secret.
func findSecret(s *document.Source) error {
	at := secretIn("", s.Root)
	if at == nil {
		return nil
	}
	p := s.Problem(at.At, flow.SeverityError, "secret", "the document contains what looks like a secret",
		"remove it, and the document can be read; credentials belong to the installation, which keeps them apart from flows")
	p.Snippet = ""
	return p
}

// secretIn finds the first value that looks like a secret.
func secretIn(key string, v *source.Value) *source.Value {
	if v.Kind == source.String {
		named := secretField.MatchString(key) && len(v.Text) >= 8
		if named || flow.IsSecret(v.Text) {
			return v
		}
	}
	for _, item := range v.Items {
		if at := secretIn(key, item); at != nil {
			return at
		}
	}
	for _, p := range v.Pairs {
		if at := secretIn(p.Key, p.Value); at != nil {
			return at
		}
	}
	return nil
}
