package view

import (
	"context"
	"slices"
	"sync"

	"sluice/engine/history"
)

// viewsKept is how many views of long runs a process keeps, so that a card after each step does not read the whole run each time.
const viewsKept = 8

// longViews are the views of long runs that were looked at last, the latest first.
type longViews struct {
	mu   sync.Mutex
	kept []*kept
}

// kept is a view that goes on.
type kept struct {
	id string
	mu sync.Mutex // guards view
	v  *View      // nil = it could not be brought up to date
}

// again brings a view that is kept up to date, and gives a copy of it; nil when there is none.
func (s *longViews) again(ctx context.Context, x *Views, id string) (*View, error) {
	k := s.use(id)
	if k == nil {
		return nil, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.v == nil {
		return nil, nil
	}
	v, err := x.Follow(ctx, id, k.v, nil)
	if err != nil {
		k.v = nil // it may have taken in only a part of the facts
		s.drop(k)
		return nil, err
	}
	c := v.copy()
	k.v, v.Result = v, history.Output{} // it is read again: it may be large
	return c, nil
}

func (s *longViews) use(id string) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.kept, func(k *kept) bool { return k.id == id })
	if i < 0 {
		return nil
	}
	k := s.kept[i]
	s.kept = slices.Insert(slices.Delete(s.kept, i, i+1), 0, k)
	return k
}

func (s *longViews) drop(k *kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = slices.DeleteFunc(s.kept, func(o *kept) bool { return o == k })
}

// keep remembers a view for later.
func (s *longViews) keep(v *View) {
	c := v.copy()
	c.Result = history.Output{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = slices.DeleteFunc(s.kept, func(k *kept) bool { return k.id == v.Run.ID })
	s.kept = slices.Insert(s.kept, 0, &kept{id: v.Run.ID, v: c})
	s.kept = s.kept[:min(len(s.kept), viewsKept)]
}

func (v *View) copy() *View {
	c := *v
	c.View, c.Facts = v.View.Clone(), slices.Clone(v.Facts)
	return &c
}
