package tool_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"sluice/engine/secret"
	"sluice/engine/tool"
)

// names is a DNS server on loopback that answers with one address per question, in turn.
type names struct {
	mu      sync.Mutex
	answers map[string][]string
	asked   map[string]int
}

// resolver starts the server and gives a resolver that asks nobody else. Names it does not know lead to 127.0.0.1.
func resolver(t *testing.T, answers map[string][]string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &names{answers: answers, asked: map[string]int{}}
	var served sync.WaitGroup
	served.Go(func() { n.serve(conn) })
	t.Cleanup(func() { _ = conn.Close(); served.Wait() })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (n *names) serve(conn net.PacketConn) {
	buf := make([]byte, 1500)
	for {
		size, from, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if size < 12 {
			continue
		}
		_, _ = conn.WriteTo(n.answer(buf[:size]), from)
	}
}

// answer builds a reply by hand: the question repeated, and one address record if the question asks for its family.
func (n *names) answer(query []byte) []byte {
	var labels []string
	at := 12
	for query[at] != 0 {
		length := int(query[at])
		labels = append(labels, string(query[at+1:at+1+length]))
		at += 1 + length
	}
	kind := binary.BigEndian.Uint16(query[at+1:])
	question := query[12 : at+5]
	addr := n.next(strings.Join(labels, "."), kind)

	reply := append([]byte{}, query[0], query[1], 0x84, 0x00, 0, 1, 0, 0, 0, 0, 0, 0)
	reply = append(reply, question...)
	if addr.IsValid() && (kind == 1 && addr.Is4() || kind == 28 && addr.Is6()) {
		reply[7] = 1
		reply = append(reply, 0xc0, 12, byte(kind>>8), byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(addr.BitLen()/8))
		reply = append(reply, addr.AsSlice()...)
	}
	return reply
}

func (n *names) next(name string, kind uint16) netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.answers[strings.ToLower(name)]
	if len(list) == 0 {
		list = []string{"127.0.0.1"}
	}
	if kind != 1 { // a question for IPv6 comes with each for IPv4 and must not use up an answer
		return netip.MustParseAddr(list[min(n.asked[name], len(list)-1)])
	}
	addr := netip.MustParseAddr(list[min(n.asked[name], len(list)-1)])
	n.asked[name]++
	return addr
}

func portOf(s *service) string {
	_, port, _ := net.SplitHostPort(s.host())
	return port
}

func TestGuardRefusesAddresses(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "internal") })
	opts := tool.Options{
		AllowPrivate: []string{"192.168.77.7"},
		Resolver: resolver(t, map[string][]string{
			"metadata.example": {"169.254.169.254"}, "inside.example": {"10.1.2.3"}, "six.example": {"fd00::1"}, "mapped.example": {"::ffff:127.0.0.1"},
		}),
	}
	for host, class := range map[string]string{
		"127.0.0.1": "loopback", "127.255.0.1": "loopback", "[::1]": "loopback", "[0:0:0:0:0:0:0:1]": "loopback", "[::ffff:127.0.0.1]": "loopback",
		"[::ffff:7f00:1]": "loopback", "localhost": "loopback", "LOCALHOST.": "loopback", "2130706433": "", "0x7f.1": "loopback", "127.1": "",
		"10.0.0.1": "private", "172.16.0.1": "private", "172.31.255.255": "private", "192.168.1.1": "private", "100.64.0.1": "private", "[fd00::1]": "private",
		"[fec0::1]": "private", "[64:ff9b::10.0.0.1]": "private", "169.254.169.254": "link-local", "[fe80::1]": "link-local", "[::ffff:169.254.169.254]": "link-local",
		"[64:ff9b::a9fe:a9fe]": "link-local", "224.0.0.1": "multicast", "[ff02::1]": "multicast", "0.0.0.0": "unspecified", "[::]": "unspecified",
		"[::ffff:0.0.0.0]": "unspecified", "255.255.255.255": "reserved", "240.0.0.1": "reserved", "192.0.0.1": "reserved", "198.18.0.1": "reserved",
		"[2002:7f00:1::]": "reserved", "[2001::1]": "reserved", "[::127.0.0.1]": "reserved",
		"metadata.example": "link-local", "inside.example": "private", "six.example": "private", "mapped.example": "",
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			_, err := httpTool(t, "http.post", opts).Call(t.Context(), tool.Call{Key: "k", Params: map[string]any{"url": "http://" + host + ":" + portOf(s) + "/"}})
			e := failed(t, err)
			if e.Type != "AddressError" || !e.Permanent || e.Unknown || !strings.Contains(e.Message, "leads to a "+class) {
				// Go's resolver does not take some names at all; other resolvers do, and then the address is refused.
				if class != "" || e.Type != "ConnectionError" || e.Unknown {
					t.Errorf("got %+v, want a refused %s address", e, class)
				}
			}
		})
	}
	t.Cleanup(func() {
		if n := len(s.requests()); n > 0 {
			t.Errorf("%d requests reached a service on loopback", n)
		}
	})
}

func TestGuardRefusesRedirectsInside(t *testing.T) {
	t.Parallel()
	inside := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "internal") })
	var to string
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	})
	opts := tool.Options{
		AllowPrivate: []string{s.host()},
		Resolver:     resolver(t, map[string][]string{"metadata.example": {"169.254.169.254"}, "rebound.example": {"127.0.0.1"}}),
	}
	for _, host := range []string{
		"169.254.169.254", "[::1]:" + portOf(inside), "0.0.0.0:" + portOf(inside), "[::ffff:127.0.0.1]:" + portOf(inside), "127.0.0.1:" + portOf(inside),
		"metadata.example", "rebound.example:" + portOf(inside), "localhost:" + portOf(inside),
	} {
		to = "http://" + host + "/latest/meta-data"
		_, err := httpTool(t, "http.get", opts).Call(t.Context(), tool.Call{Params: map[string]any{"url": s.URL}})
		if e := failed(t, err); e.Type != "AddressError" {
			t.Errorf("%s: got %+v", host, e)
		}
	}
	if n := len(inside.requests()); n > 0 {
		t.Errorf("%d redirects reached a service inside", n)
	}
}

// The address is checked when it is dialled, so a name that leads elsewhere the second time gains nothing.
func TestGuardChecksTheAddressItDials(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	opts := tool.Options{
		AllowPrivate: []string{"127.0.0.1:" + portOf(s)},
		Resolver:     resolver(t, map[string][]string{"rebound.example": {"127.0.0.1", "127.0.0.2"}}),
	}
	post := httpTool(t, "http.post", opts)
	call := tool.Call{Key: "k", Params: map[string]any{"url": "http://rebound.example:" + portOf(s)}}
	if _, err := post.Call(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	_, err := post.Call(t.Context(), call)
	if e := failed(t, err); e.Type != "AddressError" {
		t.Errorf("got %+v", e)
	}
}

func TestGuardAllowances(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	r := resolver(t, map[string][]string{"shop.internal": {"127.0.0.1"}, "meta.internal": {"169.254.169.254"}})
	for _, c := range []struct {
		allow, host string
		ok          bool
	}{
		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.1:PORT", "127.0.0.1", true},
		{"127.0.0.1:1", "127.0.0.1", false},
		{"127.0.0.0/8", "127.0.0.1", true},
		{"10.0.0.0/8", "127.0.0.1", false},
		{"::1", "127.0.0.1", false},
		{"[::1]:PORT", "127.0.0.1", false},
		{"127.0.0.1", "[::ffff:127.0.0.1]", true},
		{"::ffff:127.0.0.1", "127.0.0.1", true},
		{"shop.internal", "shop.internal", true},
		{"Shop.Internal.:PORT", "shop.internal", true},
		{"shop.internal:1", "shop.internal", false},
		{"shop.internal", "127.0.0.1", false},
		{"127.0.0.1", "shop.internal", true},
		{"meta.internal", "meta.internal", false}, // a name must not open link-local addresses
	} {
		opts := tool.Options{AllowPrivate: []string{strings.ReplaceAll(c.allow, "PORT", portOf(s))}, Resolver: r}
		_, err := httpTool(t, "http.get", opts).Call(t.Context(), tool.Call{Params: map[string]any{"url": "http://" + c.host + ":" + portOf(s)}})
		if c.ok && err != nil || !c.ok && failed(t, err).Type != "AddressError" {
			t.Errorf("%s with %s allowed: got %v", c.host, c.allow, err)
		}
	}
	for _, bad := range []string{"", "http://x.example", "*.example", "10.0.0.0/99", "a b", "x:99999", "x:0"} {
		if _, err := tool.HTTP(tool.Options{AllowPrivate: []string{bad}}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestUseOf(t *testing.T) {
	t.Parallel()
	declared := tool.Tool{Name: "shop.get", Host: "shop.example"}
	get := tool.Tool{Name: "http.get"}
	for _, c := range []struct {
		tool tool.Tool
		url  any
		want string
	}{
		{declared, "https://other.example/", "shop.example"},
		{get, "https://API.example.com/x?y=1", "api.example.com"},
		{get, "https://api.example.com.:443/", "api.example.com"},
		{get, "http://api.example.com/", "api.example.com:80"},
		{get, "http://127.0.0.1:8086/", "127.0.0.1:8086"},
		{get, "https://[::1]/", "[::1]"},
		{get, "https://[::1]:8443/", "[::1]:8443"},
		{get, "https://api.example.com@evil.example/", ""},
		{get, "https://api.example.com\\@evil.example/", ""},
		{get, "ftp://api.example.com/", ""},
		{get, nil, ""},
		{tool.Tool{Name: "slack.post_message"}, "https://api.example.com/", ""},
	} {
		got := tool.UseOf(c.tool, tool.Call{Flow: "refund", Params: map[string]any{"url": c.url}})
		want := secret.Use{Flow: "refund", Tool: c.tool.Name, Host: c.want}
		if got != want {
			t.Errorf("%s %v: got %+v, want host %q", c.tool.Name, c.url, got, c.want)
		}
	}
}
