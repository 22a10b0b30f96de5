package engine

import (
	"slices"

	"sluice/storage"
)

// forgetTimer takes a timer's row out of the store. One that the same decision has set is in this write alone: a row that is both put
// and deleted would be put.
func forgetTimer(w *storage.RunWrite, num int) {
	n := len(w.Timers)
	w.Timers = slices.DeleteFunc(w.Timers, func(t storage.Timer) bool { return t.Num == num })
	if len(w.Timers) == n {
		w.NoTimer = append(w.NoTimer, timerID(w.Run.ID, num))
	}
}
