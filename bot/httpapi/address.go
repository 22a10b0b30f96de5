package httpapi

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// v6Bits is how much of an IPv6 address counts: one customer has all addresses below it.
const v6Bits = 64

// Proxies are the addresses of proxies whose X-Forwarded-For is believed.
type Proxies []netip.Prefix

// ParseProxies reads addresses and ranges (CIDR) of proxies.
func ParseProxies(texts []string) (Proxies, error) {
	var all Proxies
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if p, err := netip.ParsePrefix(text); err == nil {
			all = append(all, p.Masked())
			continue
		}
		a, err := netip.ParseAddr(text)
		if err != nil || a.Zone() != "" {
			return nil, fmt.Errorf("%q is neither an IP address nor a range such as 10.0.0.0/8", text)
		}
		a = a.Unmap()
		all = append(all, netip.PrefixFrom(a, a.BitLen()))
	}
	return all, nil
}

// source is the range of addresses that counts as one sender.
func source(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = v6Bits
	}
	p, _ := a.Prefix(bits) // of the zero address it is the zero prefix
	return p
}

// peer is the address of the other end of a connection.
func peer(remote string) netip.Addr {
	ap, _ := netip.ParseAddrPort(remote) // what has no address shares the zero one
	return ap.Addr().Unmap()
}

func (ps Proxies) trusted(a netip.Addr) bool {
	return slices.ContainsFunc(ps, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Sender is the address that a request comes from: the other end of the connection; behind a trusted proxy the last address of X-Forwarded-For that is no
// trusted proxy itself. Addresses that a sender wrote into the header before that are never looked at.
func (ps Proxies) Sender(r *http.Request) netip.Prefix {
	at := peer(r.RemoteAddr)
	if !ps.trusted(at) {
		return source(at)
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		a, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		if at = a.Unmap(); !ps.trusted(at) {
			break
		}
	}
	return source(at)
}
