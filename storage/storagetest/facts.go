package storagetest

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/storage"
)

func equal(a, b any) bool { return cmp.Equal(a, b, cmpopts.EquateEmpty()) }

func seqs(list []storage.Fact) []int64 {
	return ids(list, func(f storage.Fact) int64 { return f.Seq })
}

func factOrder(t *testing.T, s storage.Store) {
	r := created(t, s, 1)
	created(t, s, 2)
	more := newFacts(2, 5)
	more[1].Kind, more[3].Kind, more[4].Kind = "gate_opened", "gate_opened", "vote"
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: more}})

	ctx := t.Context()
	all := must(s.Facts(ctx, r.ID, 0))(t)
	want := append(newFacts(1, 1), more...)
	for i := range want {
		want[i].Run, want[i].At = r.ID, stored(start)
	}
	same(t, "all", all, want)
	same(t, "after 4", seqs(must(s.Facts(ctx, r.ID, 4))(t)), []int64{5, 6})
	same(t, "of kinds", seqs(must(s.Facts(ctx, r.ID, 0, "vote", "gate_opened"))(t)), []int64{3, 5, 6})
	same(t, "of kinds after 3", seqs(must(s.Facts(ctx, r.ID, 3, "gate_opened"))(t)), []int64{5})
	same(t, "the first after 2", seqs(must(s.SomeFacts(ctx, r.ID, 2, 2))(t)), []int64{3, 4})
	same(t, "the first of a kind", seqs(must(s.SomeFacts(ctx, r.ID, 0, 1, "gate_opened"))(t)), []int64{3})
	same(t, "by number", seqs(must(s.FactsBySeq(ctx, r.ID, []int64{6, 1, 99, 3, 6}))(t)), []int64{1, 3, 6})
	same(t, "by no number", len(must(s.FactsBySeq(ctx, r.ID, nil))(t)), 0)
	same(t, "of nobody", len(must(s.Facts(ctx, "nobody", 0))(t)), 0)
}

func factGaps(t *testing.T, s storage.Store) {
	r := created(t, s, 1)
	late := newRun(2)
	for name, w := range map[string]*storage.RunWrite{
		"a gap after what is stored":  {Run: r, Facts: newFacts(3, 1)},
		"a number that is stored":     {Run: r, Facts: newFacts(1, 1)},
		"a gap in the batch":          {Run: r, Facts: slices.Concat(newFacts(2, 1), newFacts(4, 1))},
		"a number twice in the batch": {Run: r, Facts: slices.Concat(newFacts(2, 1), newFacts(2, 1))},
		"a run that begins at 2":      {Run: late, Facts: newFacts(2, 1)},
	} {
		err := s.Write(t.Context(), &storage.Batch{Run: w})
		if err == nil || errors.Is(err, storage.ErrConflict) {
			t.Fatalf("%s: error %v, want one that is no conflict", name, err)
		}
	}
	same(t, "facts", seqs(must(s.Facts(t.Context(), r.ID, 0))(t)), []int64{1})
	same(t, "version", must(s.Run(t.Context(), r.ID))(t).Version, int64(1))
}

func bigBodies(t *testing.T, s storage.Store) {
	big := bytes.Repeat([]byte("0123456789abcdef"), 300<<10/16)
	edge := bytes.Repeat([]byte{0, 0xff}, 64<<10/2)
	over := append(slices.Clone(edge), 'x')
	list := newFacts(1, 5)
	bodies := [][]byte{big, edge, over, big, nil}
	for i, body := range bodies {
		list[i].Body = body
	}
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Facts: list}})
	// The same body again, in another run and later in the same one.
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(2), Facts: list[:1]}})
	again := newFacts(6, 1)
	again[0].Body = big
	r := must(s.Run(t.Context(), "run0001"))(t)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: again}})

	for i, f := range must(s.Facts(t.Context(), "run0001", 0))(t) {
		if want := append(bodies, big)[i]; !bytes.Equal(f.Body, want) {
			t.Errorf("fact %d has %d bytes, want %d", f.Seq, len(f.Body), len(want))
		}
	}
	picked := must(s.FactsBySeq(t.Context(), "run0002", []int64{1}))(t)
	if len(picked) != 1 || !bytes.Equal(picked[0].Body, big) {
		t.Error("the big body of the second run is lost")
	}
}

func manyFacts(t *testing.T, s storage.Store) {
	const n = 2500
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Facts: newFacts(1, n)}})
	all := seqs(must(s.Facts(t.Context(), "run0001", 0))(t))
	if len(all) != n || all[0] != 1 || all[n-1] != n || !slices.IsSorted(all) {
		t.Fatalf("%d facts came back", len(all))
	}
	same(t, "by number", len(must(s.FactsBySeq(t.Context(), "run0001", all))(t)), n)
	var each []int64
	if err := storage.EachFact(t.Context(), s, "run0001", 0, func(f storage.Fact) error {
		each = append(each, f.Seq)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	same(t, "one by one", each, all)
}

func copiedFacts(t *testing.T, s storage.Store) {
	list := newFacts(1, 5)
	list[2].Body = bytes.Repeat([]byte("b"), 70<<10)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Facts: list}})
	fork := func(n int, c storage.Copy, facts ...storage.Fact) error {
		return s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: newRun(n), Facts: facts, Copy: &c}})
	}
	own := newFacts(1, 1)
	own[0].Kind = "run_started"
	if err := fork(2, storage.Copy{Run: "run0001", Last: 4}, append(own, newFacts(5, 2)...)...); err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(own, list[1:4], newFacts(5, 2))
	for i := range want {
		want[i].Run, want[i].At = "run0002", stored(start)
	}
	same(t, "facts", must(s.Facts(t.Context(), "run0002", 0))(t), want)
	next := must(s.Run(t.Context(), "run0002"))(t)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: next, Facts: newFacts(7, 1)}})
	if err := fork(3, storage.Copy{Run: "run0001", Last: 1}, newFacts(1, 2)...); err != nil {
		t.Errorf("nothing is copied: %v", err)
	}
	wantError(t, fork(4, storage.Copy{Run: "run0001", Last: 9}, append(newFacts(1, 1), newFacts(10, 1)...)...), storage.ErrNotFound)
	wantError(t, fork(5, storage.Copy{Run: "nobody", Last: 2}, append(newFacts(1, 1), newFacts(3, 1)...)...), storage.ErrNotFound)
	if err := fork(6, storage.Copy{Run: "run0001", Last: 4}, newFacts(1, 2)...); err == nil {
		t.Error("a gap after what is copied is stored")
	}
	for _, id := range []string{"run0004", "run0005", "run0006"} {
		_, err := s.Run(t.Context(), id)
		wantError(t, err, storage.ErrNotFound)
	}
}
