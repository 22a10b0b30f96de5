package render

import (
	"container/list"
	"sync"
)

// cache keeps the charts used last. It is safe for concurrent use.
type cache struct {
	mu      sync.Mutex
	limit   int
	order   *list.List // of cached, the one used last in front
	entries map[string]*list.Element
}

type cached struct {
	key   string
	chart *drawing
}

func newCache(limit int) *cache {
	return &cache{limit: limit, order: list.New(), entries: map[string]*list.Element{}}
}

func (c *cache) get(key string) (*drawing, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cached).chart, true
}

func (c *cache) put(key string, ch *drawing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		c.order.MoveToFront(e)
		return
	}
	c.entries[key] = c.order.PushFront(cached{key, ch})
	for c.order.Len() > c.limit {
		oldest := c.order.Back()
		delete(c.entries, oldest.Value.(cached).key)
		c.order.Remove(oldest)
	}
}
