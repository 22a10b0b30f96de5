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
}
