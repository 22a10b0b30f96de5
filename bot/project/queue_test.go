package project

import (
	"testing"

	"sluice/bot/surface"
	"sluice/storage"
)

// The pages of one answer are lines of their own: each is sent when the one before it was.
func TestPrivateLinesOfOnePersonKeepTheirOrder(t *testing.T) {
	t.Parallel()
	page := func(id, user, channel string) job {
		return newJob(storage.Surface{ID: id, Kind: surface.KindPrivate, User: user, Channel: channel, Thread: "1.0"}, false)
	}
	b, first := newBusy(), page("p1", "ana", "C1")
	if !b.take(first) || b.take(page("p2", "ana", "C1")) {
		t.Error("two private lines for one person in one channel are sent beside each other")
	}
	if !b.take(page("p3", "bob", "C1")) || !b.take(page("p4", "ana", "C2")) {
		t.Error("a private line holds up those for another person or in another channel")
	}
	b.leave(first)
	if !b.take(page("p2", "ana", "C1")) {
		t.Error("the second line is not sent after the first")
	}
}
