package tool

import (
	"net/url"
	"strings"
	"testing"
)

// Whatever a parameter is, the address keeps its host, its segments and its pairs, and gives the value back.
func FuzzActionAddress(f *testing.F) {
	for _, value := range []string{"A-1", "..", "../x", "%2e%2e", "a/b", "?x=1", "#", "@evil.example", "\x00", "ü%", "//", "a;b,c", " ", "&q=2", "\\", "."} {
		f.Add(value)
	}
	target, err := parseTarget("https://shop.example:8443/orders/{{x}}/v.{{x}}?q={{x}}&fixed=1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, value string) {
		u, err := target.address(func(string) (any, bool) { return value, true })
		if err != nil {
			return
		}
		again, err := url.Parse(u.String())
		if err != nil {
			t.Fatalf("%q makes %q, which is no address: %v", value, u, err)
		}
		segments := strings.Split(again.EscapedPath(), "/")
		if again.Scheme != "https" || again.Host != "shop.example:8443" || again.User != nil || again.Fragment != "" || len(segments) != 4 || segments[1] != "orders" {
			t.Fatalf("%q makes %q", value, u)
		}
		if again.Path != "/orders/"+value+"/v."+value {
			t.Errorf("%q arrives in the path as %q", value, again.Path)
		}
		query, err := url.ParseQuery(again.RawQuery)
		if err != nil || len(query) != 2 || query.Get("q") != value || query.Get("fixed") != "1" {
			t.Errorf("%q arrives in the query as %v (%v)", value, query, err)
		}
		for _, s := range segments {
			if s == "." || s == ".." {
				t.Errorf("%q makes the segment %q", value, s)
			}
		}
	})
}
