package surface

import (
	"slices"
	"testing"
)

// TestNumbersInARow are written shortly.
func TestNumbersInARow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ names, want []string }{
		{[]string{"4", "5", "6"}, []string{"4-6"}},
		{[]string{"1", "2", "2a", "3", "5", "Tell ana", "9", "10"}, []string{"1-2", "2a", "3", "5", "Tell ana", "9-10"}},
		{[]string{"3"}, []string{"3"}},
		{nil, nil},
	} {
		if got := ranges(tt.names); !slices.Equal(got, tt.want) {
			t.Errorf("%q are written %q, want %q", tt.names, got, tt.want)
		}
	}
}

// TestErrorsInWords: the kind of an error is shown as people write it.
func TestErrorsInWords(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"ConnectionError": "connection error", "HTTPError": "HTTP error", "RateLimitError": "rate limit error", "CallRefused": "call refused", "UnknownOutcome": "unknown outcome", "closed": "error",
	} {
		if got := errorWords(from); got != want {
			t.Errorf("%s is %q, not %q", from, got, want)
		}
	}
}
