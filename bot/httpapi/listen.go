package httpapi

import (
	"net"
	"net/netip"
	"sync"
)

// Open connections: more than these are closed at once. Their headers, answers and waiting time have deadlines of their own.
const (
	connsOfOne = 256
	connsMost  = 2048
)

// limited is a listener that bounds the connections of one address, and all of them. A trusted proxy speaks for many addresses, and is
// not bounded by itself.
type limited struct {
	net.Listener
	proxies Proxies

	mu    sync.Mutex
	from  map[netip.Prefix]int
	total int
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		at := peer(c.RemoteAddr().String())
		from := source(at)
		if l.add(from, l.proxies.trusted(at)) {
			return &counted{Conn: c, left: sync.OnceFunc(func() { l.leave(from) })}, nil
		}
		_ = c.Close()
	}
}

func (l *limited) add(from netip.Prefix, proxy bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= connsMost || l.from[from] >= connsOfOne && !proxy {
		return false
	}
	l.from[from]++
	l.total++
	return true
}

func (l *limited) leave(from netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.from[from]--; l.from[from] == 0 {
		delete(l.from, from)
	}
	l.total--
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	left func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.left()
	return c.Conn.Close()
}
