package run_test

import (
	"testing"
	"time"
	_ "time/tzdata" // the zones must be known on any machine

	"sluice/engine/flow"
)

// A time without a zone is the installation's; where its clocks change a missing time is the moment of the change, and a doubled one
// the first. A time of day is the next one by these clocks.
func TestWaitUntilALocalTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, until, due string }{
		{"", "2026-12-01T09:00", "2026-12-01T09:00:00Z"},
		{"Europe/Berlin", "2026-12-01T09:00", "2026-12-01T08:00:00Z"},
		{"Europe/Berlin", "2026-12-01T09:00:00+05:00", "2026-12-01T04:00:00Z"},
		{"Europe/Berlin", "2026-03-29 02:30", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z"},
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z"},
		{"America/New_York", "2026-11-01T01:30", "2026-11-01T05:30:00Z"},
		{"America/New_York", "2027-03-14T02:30", "2027-03-14T07:00:00Z"},
		{"Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30:00Z"},
		{"Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45:00Z"},
		{"", "09:00", "2026-03-02T09:00:00Z"},
		{"", "08:59", "2026-03-03T08:59:00Z"},
		{"", "17:30", "2026-03-02T17:30:00Z"},
		{"Europe/Berlin", "09:30", "2026-03-03T08:30:00Z"},
		{"Europe/Berlin", "10:30", "2026-03-02T09:30:00Z"},
		{"America/New_York", "09:00", "2026-03-02T14:00:00Z"},
		{"Australia/Lord_Howe", "09:00", "2026-03-02T22:00:00Z"},
	} {
		f := &flow.Flow{Name: "f", Entry: "nap", Nodes: []flow.Node{
			{ID: "nap", Kind: flow.KindWait, Spec: &flow.WaitSpec{Until: c.until}, Routes: []flow.Route{{To: "a"}}},
			tool("a", ""),
		}}
		d := driver(t, f)
		if c.zone != "" {
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			d.Context.Zone = zone
		}
		play(t, d, `
			start
			fact timer_set {"timer":{"id":1,"kind":"wait","token":1,"due":"`+c.due+`"}}
			fire wait
			at a`)
	}
}
