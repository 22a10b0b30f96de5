package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
)

// limits bound the bodies that are read at the same time: each may take bodyMost bytes of memory.
type limits struct {
	pair    int // of one address at one path
	address int // of one address at all paths that somebody listens to
	path    int // at one path
	total   int // at all paths that somebody listens to
}

var defaultLimits = limits{pair: 16, address: 48, path: 48, total: 128}

// pair is an address and a path.
type pair struct {
	address netip.Prefix
	path    string
}

// slots counts the bodies that are being read. It is safe for concurrent use.
type slots struct {
	limits
	mu      sync.Mutex
	pairs   map[pair]int // of unknown paths, too
	paths   map[string]int
	address map[netip.Prefix]int // of known paths only, as total
	total   int
}

func newSlots(l limits) *slots {
	return &slots{limits: l, pairs: map[pair]int{}, paths: map[string]int{}, address: map[netip.Prefix]int{}}
}

var errBusy = errors.New("too many bodies are being read")

// take reserves a slot until release is called. The body of an unknown path is kept nowhere, so it counts at its path alone; but every
// limit is asked for it, so that the answer does not tell whether a path is known.
func (s *slots) take(from netip.Prefix, path string, known bool) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := pair{from, path}
	switch {
	case s.pairs[p] >= s.limits.pair:
		return nil, fmt.Errorf("%w: %d of this address at this path", errBusy, s.limits.pair)
	case s.paths[path] >= s.limits.path:
		return nil, fmt.Errorf("%w: %d at this path", errBusy, s.limits.path)
	case s.address[from] >= s.limits.address:
		return nil, fmt.Errorf("%w: %d of this address", errBusy, s.limits.address)
	case s.total >= s.limits.total:
		return nil, fmt.Errorf("%w: %d in all", errBusy, s.limits.total)
	}
	s.pairs[p]++
	s.paths[path]++
	if known {
		s.address[from]++
		s.total++
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		drop(s.pairs, p)
		drop(s.paths, path)
		if known {
			drop(s.address, from)
			s.total--
		}
	}, nil
}

// drop takes one away, and the entry with the last one.
func drop[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}
