package tool

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"sluice/engine/secret"
)

// guard decides which addresses may be dialled. It is immutable.
type guard struct {
	allowed  []allowance
	resolver *net.Resolver
}

// allowance is one entry of the addresses that an operator allows.
type allowance struct {
	prefix netip.Prefix // when the entry is a number
	host   string       // when it is a name, lower case
	port   uint16       // 0 = every port
}

const dialTimeout = 10 * time.Second

// refused is why an address was not dialled. It does not name the address: the author of a flow learns no more about the
// network than that.
type refused struct{ host, class string }

func (r *refused) Error() string {
	return fmt.Sprintf("%s leads to a %s address, which tools may not call; an operator can allow it", r.host, r.class)
}

func newGuard(entries []string, resolver *net.Resolver) (*guard, error) {
	g := &guard{resolver: resolver}
	var problems []error
	for _, entry := range entries {
		a, err := parseAllowance(strings.TrimSpace(entry))
		if err != nil {
			problems = append(problems, err)
			continue
		}
		g.allowed = append(g.allowed, a)
	}
	return g, errors.Join(problems...)
}

// with adds one allowance.
func (g *guard) with(a allowance) *guard {
	return &guard{allowed: append(append([]allowance{}, g.allowed...), a), resolver: g.resolver}
}

// parseAllowance reads 10.0.0.0/8, 127.0.0.1, 127.0.0.1:8086, [::1]:80, shop.internal or shop.internal:8080.
func parseAllowance(entry string) (allowance, error) {
	bad := fmt.Errorf("%q is no address to allow; write host:port, an IP address, or a range such as 10.0.0.0/8", entry)
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		return allowance{prefix: prefix.Masked()}, nil
	}
	if a, ok := hostAllowance(strings.Trim(entry, "[]"), 0); ok {
		return a, nil
	}
	host, port, err := net.SplitHostPort(entry)
	if err != nil {
		return allowance{}, bad
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return allowance{}, bad
	}
	if a, ok := hostAllowance(host, uint16(n)); ok {
		return a, nil
	}
	return allowance{}, bad
}

func hostAllowance(host string, port uint16) (allowance, bool) {
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		return allowance{prefix: netip.PrefixFrom(addr, addr.BitLen()), port: port}, true
	}
	if host == "" || strings.ContainsAny(host, ":/@*?# ") {
		return allowance{}, false
	}
	return allowance{host: canonicalHost(host), port: port}, true
}

// permits reports whether host, a name or a number, may be dialled at the address that it leads to.
func (g *guard) permits(host string, at netip.AddrPort) error {
	addr := at.Addr().Unmap().WithZone("")
	class, ok := special(addr)
	if !ok {
		return nil
	}
	host = canonicalHost(host)
	for _, a := range g.allowed {
		if a.port != 0 && a.port != at.Port() {
			continue
		}
		if a.host == "" && a.prefix.Contains(addr) || a.host != "" && a.host == host && class.nameable {
			return nil
		}
	}
	return &refused{host: host, class: class.name}
}

// dial connects to addr ("host:port") if the guard permits the address behind it. The check stands between DNS and
// connect, on the very address that is connected to.
func (g *guard) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{
		Timeout:  dialTimeout,
		Resolver: g.resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return &refused{host: host, class: "nameless"}
			}
			return g.permits(host, at)
		},
	}
	return d.DialContext(ctx, network, addr)
}

// addressClass is a class of addresses that are not the public internet.
type addressClass struct {
	name     string
	nameable bool // may be allowed by a host name, and not only by its number
}

// alsoPrivate are ranges that networks use inside, besides those that package netip calls private.
var alsoPrivate = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("fec0::/10"), netip.MustParsePrefix("64:ff9b:1::/48"),
}

// public refuses every address that is not on the public internet.
var public = ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork())

// special finds the class of an address that is not a public one. An IPv4 address inside a NAT64 one counts as itself.
func special(addr netip.Addr) (addressClass, bool) {
	if ssrf.IPv6NAT64Prefix.Contains(addr) {
		b := addr.As16()
		addr = netip.AddrFrom4([4]byte(b[12:]))
	}
	switch {
	case addr.IsLoopback():
		return addressClass{"loopback", true}, true
	case addr.IsPrivate(), slices.ContainsFunc(alsoPrivate, func(p netip.Prefix) bool { return p.Contains(addr) }):
		return addressClass{"private", true}, true
	case addr.IsLinkLocalUnicast():
		return addressClass{"link-local", false}, true
	case addr.IsMulticast():
		return addressClass{"multicast", false}, true
	case addr.IsUnspecified(), addr.Is4() && addr.As4()[0] == 0:
		return addressClass{"unspecified", false}, true
	case public.Safe("", netip.AddrPortFrom(addr, 0).String(), nil) != nil:
		return addressClass{"reserved", false}, true
	}
	return addressClass{}, false
}

func canonicalHost(host string) string {
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// hostOf names the host of an address as tools, secrets and people do: without the port if it is https on 443.
func hostOf(u *url.URL) string {
	host, port := canonicalHost(u.Hostname()), u.Port()
	if port == "" && u.Scheme == "http" {
		port = "80"
	}
	if port == "" || port == "443" && u.Scheme == "https" {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, port)
}

// UseOf says what secrets in the parameters of a call would be used for: where the values would go. Parameters may hold
// sealed secrets as long as they print as text. A call whose host cannot be told has none, and gets no secrets.
func UseOf(t Tool, c Call) secret.Use {
	use := secret.Use{Flow: c.Flow, Tool: t.Name, Host: t.Host}
	if use.Host != "" || !strings.HasPrefix(t.Name, "http.") {
		return use
	}
	if u, err := parseAddress(textOf(c.Params["url"])); err == nil {
		use.Host = hostOf(u)
	}
	return use
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	default:
		return ""
	}
}

// parseAddress reads an absolute http or https address. Its errors do not repeat the address, which may hold a secret.
func parseAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("is not an address")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("names no host")
	case u.User != nil:
		return nil, errors.New("must not hold a user or password; use a header instead")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}
