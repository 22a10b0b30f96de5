package importertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/engine/importer/document"
)

// Hostile are documents that are meant to do harm. Most are not of any format.
func Hostile() map[string][]byte {
	var aliases strings.Builder
	aliases.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 30 {
		fmt.Fprintf(&aliases, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	return map[string][]byte{
		"deep lists":    []byte(strings.Repeat("[", 200_000)),
		"deep mappings": []byte(strings.Repeat(`{"a":`, 100_000)),
		"alias bomb":    []byte(aliases.String()),
		"long":          []byte(strings.Repeat("a", 2<<20)),
		"zeros":         make([]byte, 1000),
		"binary":        []byte("\xff\xfe\x00"),
		"nothing":       nil,
	}
}

// Bounded checks that a decoder refuses a hostile document with an error, in bounded time.
func Bounded(t *testing.T, decode func(name string, src []byte) (document.Document, error), name string, src []byte) {
	t.Helper()
	began := time.Now()
	doc, err := decode("hostile", src)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("%s: it took %s", name, took)
	}
	if err == nil && !doc.Problems.HasErrors() {
		t.Errorf("%s: it was read", name)
	}
}
