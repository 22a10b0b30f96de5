package compiled_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"sluice/engine/compiled"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/storage"
)

const greet = `
name: greet
flow:
  entry: hello
  nodes:
    - {id: hello, type: tool, tool: shop.greet, routes: [{to: end}]}
`

// shelf is a store with revisions of one flow. It counts how often one is read.
type shelf struct {
	head int
	rows map[int][]byte
	read int
}

func (s *shelf) Flow(context.Context, string) (storage.Flow, error) {
	if s.head == 0 {
		return storage.Flow{}, storage.ErrNotFound
	}
	return storage.Flow{Name: "greet", Head: s.head}, nil
}

func (s *shelf) Revision(_ context.Context, name string, number int) (storage.Revision, error) {
	s.read++
	body, ok := s.rows[number]
	if !ok {
		return storage.Revision{}, storage.ErrNotFound
	}
	return storage.Revision{Flow: name, Number: number, Body: body}, nil
}

func newShelf() *shelf {
	doc, bad := file.Parse("greet.yaml", []byte(greet))
	if bad.HasErrors() {
		panic(bad)
	}
	return &shelf{head: 2, rows: map[int][]byte{1: flow.Canonical(doc.Flow), 2: flow.Canonical(doc.Flow), 3: []byte("{")}}
}

// A revision is read and compiled once, and then it is at hand.
func ExampleCache() {
	store := newShelf()
	cache := compiled.New(store, flow.Ceilings{})
	for range 3 {
		r, err := cache.Load(context.Background(), "greet", 0) // the newest
		if err != nil {
			panic(err)
		}
		fmt.Println(r.Row.Number, len(r.Program.Nodes), r.Row.Body == nil)
	}
	fmt.Println("read", store.read)
	// Output:
	// 2 1 true
	// 2 1 true
	// 2 1 true
	// read 1
}

// What cannot be read is not kept: it is tried again.
func TestLoadErrors(t *testing.T) {
	t.Parallel()
	store := newShelf()
	cache := compiled.New(store, flow.Ceilings{})
	if _, err := cache.Load(t.Context(), "greet", 7); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a revision that is not there gave %v", err)
	}
	if _, err := cache.Load(t.Context(), "greet", 3); err == nil {
		t.Error("half a document was compiled")
	}
	store.rows[3] = store.rows[1]
	if r, err := cache.Load(t.Context(), "greet", 3); err != nil || r.Row.Number != 3 {
		t.Errorf("the mended revision gave %v, %v", r, err)
	}
	if _, err := compiled.New(&shelf{}, flow.Ceilings{}).Load(t.Context(), "greet", 0); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a flow that is not there gave %v", err)
	}
}

// What runs is within the installation's ceilings; what people see is the document.
func TestCeilings(t *testing.T) {
	t.Parallel()
	r, err := compiled.New(newShelf(), flow.Ceilings{Steps: 7}).Load(t.Context(), "greet", 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.Limited.Limits.Steps != 7 || r.Flow.Limits.Steps == 7 {
		t.Errorf("it runs with %d steps, and is shown with %d", r.Limited.Limits.Steps, r.Flow.Limits.Steps)
	}
}
