package httpapi

import (
	"net/http"
	"testing"
)

// TestSenders: which address counts as the sender, also behind proxies.
func TestSenders(t *testing.T) {
	t.Parallel()
	proxies, err := ParseProxies([]string{"10.0.0.0/8", " 2001:db8:ff::1", "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		remote    string
		forwarded []string
		want      string
	}{
		"itself":                        {"203.0.113.7:1", nil, "203.0.113.7/32"},
		"a lie of a stranger":           {"203.0.113.7:1", []string{"198.51.100.1"}, "203.0.113.7/32"},
		"IPv6":                          {"[2001:db8:1:2:3::4]:1", nil, "2001:db8:1:2::/64"},
		"IPv4 in IPv6":                  {"[::ffff:203.0.113.7]:1", nil, "203.0.113.7/32"},
		"with a zone":                   {"[fe80::1%eth0]:1", nil, "fe80::/64"},
		"a proxy":                       {"10.1.2.3:1", []string{"198.51.100.1"}, "198.51.100.1/32"},
		"a proxy, with a lie before":    {"10.1.2.3:1", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1/32"},
		"a lie in a header of its own":  {"10.1.2.3:1", []string{"1.1.1.1", "198.51.100.1"}, "198.51.100.1/32"},
		"two proxies":                   {"10.1.2.3:1", []string{"198.51.100.1, 10.9.9.9"}, "198.51.100.1/32"},
		"two proxies and a lie":         {"10.1.2.3:1", []string{"10.7.7.7, 198.51.100.1, 10.9.9.9"}, "198.51.100.1/32"},
		"a proxy that does not say":     {"10.1.2.3:1", nil, "10.1.2.3/32"},
		"a proxy that says no address":  {"10.1.2.3:1", []string{"unknown"}, "10.1.2.3/32"},
		"IPv6 behind a proxy":           {"[2001:db8:ff::1]:1", []string{"2001:db8:1:2:3::4"}, "2001:db8:1:2::/64"},
		"proxies all the way":           {"10.1.2.3:1", []string{"10.4.4.4"}, "10.4.4.4/32"},
		"a connection without address":  {"@", []string{"198.51.100.1"}, "invalid Prefix"},
		"a proxy by its mapped address": {"[::ffff:10.1.2.3]:1", []string{"198.51.100.1"}, "198.51.100.1/32"},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{"X-Forwarded-For": c.forwarded}}
		if got := proxies.Sender(r).String(); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	for _, bad := range []string{"", "proxy.example", "10.0.0.0/33", "fe80::1%eth0"} {
		if _, err := ParseProxies([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
