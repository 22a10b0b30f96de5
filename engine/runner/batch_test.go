package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/storage"
)

// What a later decision of the same transaction takes away is not there, and what it puts again is.
func TestALaterWriteOfARunPrevails(t *testing.T) {
	t.Parallel()
	w := &storage.RunWrite{
		Facts: []storage.Fact{{Seq: 5}}, NoLease: []int{1, 2}, NoTimer: []string{"r/1"},
		Leases: []storage.Lease{{Token: 3, Epoch: 1}, {Token: 4, Epoch: 1}, {Token: 5, Epoch: 1}},
		Timers: []storage.Timer{{ID: "r/2", Num: 2}, {ID: "r/3", Num: 3}},
	}
	follow(w, &storage.RunWrite{
		Facts: []storage.Fact{{Seq: 6}}, NoLease: []int{3}, NoTimer: []string{"r/2"},
		Leases: []storage.Lease{{Token: 2, Epoch: 7}, {Token: 4, Epoch: 2, Worker: "w"}},
		Timers: []storage.Timer{{ID: "r/4", Num: 4}},
	})
	want := &storage.RunWrite{
		Facts: []storage.Fact{{Seq: 5}, {Seq: 6}}, NoLease: []int{1, 3}, NoTimer: []string{"r/1", "r/2"},
		Leases: []storage.Lease{{Token: 5, Epoch: 1}, {Token: 2, Epoch: 7}, {Token: 4, Epoch: 2, Worker: "w"}},
		Timers: []storage.Timer{{ID: "r/3", Num: 3}, {ID: "r/4", Num: 4}},
	}
	if diff := cmp.Diff(want, w, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
