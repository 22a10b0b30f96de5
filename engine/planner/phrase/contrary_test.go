package phrase

import "testing"

func TestContrary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"yes", "no", true},
		{"valid", "invalid", true},
		{"they pass", "they fail", true},
		{"the product is available", "the product is unavailable", true},
		{"the product is available", "the invoice is unavailable", false},
		{"it can be repaired here", "it cannot be repaired here", true},
		{"the data isn't complete", "the data is complete", true},
		{"the payment fails", "the payment is successful", true},
		{"the claim is simple", "the claim is complex", true},
		{"the risk is low", "the risk is high", false},
		{"the order is red", "the order is green", false},
		{"the order is large", "the order is not small", false},
		{"the customer has paid", "the customer has not paid", true},
		{"the customer has paid", "the customer has not answered", false},
		{"no slot is free", "a slot is free", true},
		{"no slot is free", "a room is free", false},
		{"temporary", "permanent", true},
		{"they match", "they do not match", true},
		{"the test passes", "the test fails", true},
		{"the boss agrees", "the clerk does not agree", false},
	} {
		if got := Contrary(c.a, c.b); got != c.want {
			t.Errorf("Contrary(%q, %q) = %v", c.a, c.b, got)
		}
		if got := Contrary(c.b, c.a); got != c.want {
			t.Errorf("Contrary(%q, %q) = %v", c.b, c.a, got)
		}
	}
}
