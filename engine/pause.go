package engine

import (
	"sluice/engine/run"
	"sluice/storage"
)

// dueAgain gives the rows of timers that fired while a run was paused and that goes on now.
func dueAgain(id string, before, after *run.State) []storage.Timer {
	if before == nil || len(after.Holds) > 0 {
		return nil
	}
	var rows []storage.Timer
	for _, t := range before.Kept() {
		if after.Timer(t.ID) != nil {
			rows = append(rows, storage.Timer{ID: timerID(id, t.ID), Run: id, Num: t.ID, Kind: string(t.Kind), Due: t.Due})
		}
	}
	return rows
}
