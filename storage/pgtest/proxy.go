package pgtest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy is the way to a server that a test can cut: what a restart or a failover looks like to its clients.
type Proxy struct {
	URL string // the address through the line

	tb     testing.TB
	server string
	self   string

	mu       sync.Mutex
	listener net.Listener // nil while the line is cut
	conns    map[net.Conn]bool
}

// NewProxy makes a line to the database at an address; it ends with the test.
func NewProxy(tb testing.TB, address string) *Proxy {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	l := &Proxy{tb: tb, server: u.Host, self: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	l.Mend()
	u.Host = l.self
	l.URL = u.String()
	tb.Cleanup(l.Cut)
	return l
}

// Cut breaks all connections and refuses new ones.
func (l *Proxy) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		_ = l.listener.Close()
		l.listener = nil
	}
	for c := range l.conns {
		_ = c.Close()
	}
	clear(l.conns)
}

// Mend lets connections through again, at the same address.
func (l *Proxy) Mend() {
	l.tb.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		return
	}
	listener, err := net.Listen("tcp", l.self)
	if err != nil {
		l.tb.Fatalf("mend the line: %v", err)
	}
	l.listener, l.self = listener, listener.Addr().String()
	go l.accept(listener)
}

func (l *Proxy) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", l.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !l.keep(listener, client, server) {
			continue
		}
		go l.copy(client, server)
		go l.copy(server, client)
	}
}

// keep remembers a connection, unless the line was cut meanwhile.
func (l *Proxy) keep(listener net.Listener, conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		if l.listener != listener {
			_ = c.Close()
			continue
		}
		l.conns[c] = true
	}
	return l.listener == listener
}

// performItem copies until either side ends, and ends both.
func (l *Proxy) copy(to, from net.Conn) {
	// What ended it does not matter: both ends learn of it.
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, to)
	delete(l.conns, from)
}
