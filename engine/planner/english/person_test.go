package english

import "testing"

// TestPersons: other people read names in the place of "I" and "me", and who is asked of themselves reads "you".
func TestPersons(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"call me": "call @ana", "check my draft": "check @ana's draft", "I can leave early": "@ana can leave early", "I'm on holiday": "@ana is on holiday",
		"what I need": "what I need", "where my keys are": "where @ana's keys are", `say "call me"`: `say "call me"`, "the time is mine": "the time is @ana's",
		"I have time and I am here": "@ana has time and @ana is here", "the medium": "the medium", "ask i": "ask i",
	} {
		if got := Author(words, "@ana"); got != want {
			t.Errorf("%q: %q, not %q", words, got, want)
		}
	}
	for words, want := range map[string]string{
		"he can come": "you can come", "she has her keys": "you have your keys", "he is free at 9": "you are free at 9", "he needs a key": "he needs a key",
		"the customer is here": "the customer is here", "he is": "he is", "he can call @fin": "he can call @fin",
	} {
		if got := Addressed(words); got != want {
			t.Errorf("%q: %q, not %q", words, got, want)
		}
	}
}
