package pgtest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy forwards connections to a server until a test breaks them: clients see what they see in a restart or a failover.
type Proxy struct {
	URL string // the address of the proxy

	tb     testing.TB
	server string
	self   string

	mu       sync.Mutex
	listener net.Listener // nil while it refuses connections
	conns    map[net.Conn]bool
}

// NewProxy forwards to the database at an address until the test ends.
func NewProxy(tb testing.TB, address string) *Proxy {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{tb: tb, server: u.Host, self: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	p.Mend()
	u.Host = p.self
	p.URL = u.String()
	tb.Cleanup(p.Cut)
	return p
}

// Cut breaks all connections and refuses new ones.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
}

// Mend lets connections through again, at the same address.
func (p *Proxy) Mend() {
	p.tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return
	}
	listener, err := net.Listen("tcp", p.self)
	if err != nil {
		p.tb.Fatalf("listen again: %v", err)
	}
	p.listener, p.self = listener, listener.Addr().String()
	go p.accept(listener)
}

func (p *Proxy) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !p.keep(listener, client, server) {
			continue
		}
		go p.copy(client, server)
		go p.copy(server, client)
	}
}

// keep remembers connections, unless the proxy was cut meanwhile.
func (p *Proxy) keep(listener net.Listener, conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		if p.listener != listener {
			_ = c.Close()
			continue
		}
		p.conns[c] = true
	}
	return p.listener == listener
}

// copy copies until either side ends, and ends both.
func (p *Proxy) copy(to, from net.Conn) {
	// The reason of the end does not matter: both sides see it.
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, to)
	delete(p.conns, from)
}
