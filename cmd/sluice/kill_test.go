package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/storage"
	"sluice/storage/pgtest"
)

// waitingRefund approves the flow of a refund and starts a run; it gives its status message and its question.
func waitingRefund(w *world) (status, card message) {
	w.Helper()
	drafts(w)
	w.flow("ana", "#support", "run refund order_id=A-1001")
	status = theStatus(w)
	return status, question(w, status)
}

// drafts writes the outline and approves it.
func drafts(w *world) {
	w.Helper()
	root := w.write("ana", "#support", "", outline)
	card := drafted(w, root)
	w.click(w.approver(), card, "Approve")
	w.untilMessage("#support", "the approved card", func(m message) bool { return m.TS == card.TS && strings.Contains(m.shown(), "Approved as version") })
}

// heldRefund starts a refund below the limit that needs a person, and returns when the shop holds the POST.
func heldRefund(w *world, when string) {
	w.Helper()
	w.fault(fields{"target": "shop", "kind": "hold", "method": "POST", "path": "/refunds", "after": when, "times": 1})
	w.flow("ana", "#support", "run refund order_id=A-1003")
	w.untilArrivals("POST /refunds", 1)
}

// theStatus waits until the only run has its status message.
func theStatus(w *world) message {
	w.Helper()
	return w.untilMessage("#support", "a status message", isStatus)
}

// settled checks what must hold after any kill: one status message, one last message, finished steps done once.
func settled(w *world, status message) {
	w.Helper()
	_, end := done(w, status)
	all := w.state("#support")
	if n := len(filter(all, isStatus)); n != 1 {
		w.Errorf("there are %d status messages:\n%s", n, transcript(all))
	}
	last := filter(all, func(m message) bool {
		return m.Thread == status.TS && m.EphemeralTo == "" && strings.Contains(m.shown(), "*Done* in")
	})
	told := filter(all, func(m message) bool {
		return strings.HasPrefix(m.Text, "Refund A-") && strings.Contains(m.Text, ": amount")
	})
	if len(last) != 1 || len(told) != 1 {
		w.Errorf("the end was shown %d times, and #support was told %d times:\n%s", len(last), len(told), transcript(all))
	}
	if gets := w.arrivals("GET /orders"); len(gets) != 1 {
		w.Errorf("the finished step was repeated: %+v", gets)
	}
	if strings.Contains(end.shown(), "Cancel]") {
		w.Errorf("the run that is done can be cancelled:\n%s", end.shown())
	}
}

// TestKillWhileTheShopHolds kills the bot while its POST is under way: an idempotent call is repeated under the same key.
func TestKillWhileTheShopHolds(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s setup) {
		for _, when := range []string{"before_booking", "after_booking"} {
			t.Run(when, func(t *testing.T) {
				t.Parallel()
				s := s
				s.apart, s.tools = true, shopActions("idempotent")
				if s.database != "" {
					s.database = pgtest.URL(t)
				}
				w := newWorld(t, s)
				drafts(w)
				heldRefund(w, when)
				w.bot.kill()
				w.startBot()
				w.untilArrivals("POST /refunds", 2)
				w.release()
				settled(w, theStatus(w))
				posts := w.arrivals("POST /refunds")
				keys := map[string]bool{}
				for _, p := range posts {
					keys[p.Key] = true
				}
				if len(posts) < 2 || len(keys) != 1 || keys[""] || w.untilBooked(1) != 1 {
					t.Errorf("the shop saw %+v and booked %d", posts, w.bookings())
				}
				if status := theStatus(w).shown(); !strings.Contains(status, "no finished step was repeated") {
					t.Errorf("the status does not speak of the interruption:\n%s", status)
				}
			})
		}
	})
}

// TestKillDuringOnce kills the bot during a call that must not be repeated by itself: a person says what to do.
func TestKillDuringOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, when string
		answer     func(w *world, card message)
		arrivals   int
		bookings   int
		told       string
	}{
		{"it was done", "after_booking", func(w *world, card message) {
			inWords(w, "ana", card.Thread, `done value={"refund_id":"R-1","order_id":"A-1003","amount":40,"status":"by hand"}`)
		}, 1, 1, "refund id R-1, status by hand"},
		{"again", "before_booking", func(w *world, card message) { w.click("ana", card, "Again") }, 2, 1, "refund id R-1, status refunded"},
		{"abort", "before_booking", func(w *world, card message) { w.click("ana", card, "Abort") }, 1, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setup{apart: true, tools: shopActions("once")})
			drafts(w)
			heldRefund(w, c.when)
			status := theStatus(w)
			w.bot.kill()
			w.startBot()
			card := w.untilMessage("#support", "the question", func(m message) bool { return m.Thread == status.TS && len(m.buttons()) == 4 })
			if !slices.Equal(card.buttons(), []string{"Again", "Done", "Abort", "Done with a value…"}) || !strings.Contains(card.shown(), "not known whether this was done") || !strings.Contains(card.shown(), "shop.refund") {
				t.Errorf("the question shows:\n%s", card.shown())
			}
			if posts := w.arrivals("POST /refunds"); len(posts) != 1 {
				t.Errorf("the call was repeated without asking: %+v", posts)
			}
			refused := w.click("bob", card, "Again")
			if line := w.private("bob", "#support", refused.Seq).shown(); !strings.Contains(line, "Only <@"+w.id("ana")+"> may answer this") {
				t.Errorf("bob is told: %s", line)
			}
			c.answer(w, card)
			w.untilMessage("#support", "the answered question", func(m message) bool { return m.TS == card.TS && len(m.buttons()) == 0 })
			posts := w.untilArrivals("POST /refunds", c.arrivals)
			if c.told == "" {
				w.untilMessage("#support", "the aborted run", func(m message) bool { return m.TS == status.TS && strings.Contains(m.shown(), "*Stopped*") })
			} else {
				settled(w, status)
				w.untilMessage("#support", c.told, func(m message) bool { return strings.Contains(m.Text, c.told) })
			}
			if len(posts) != c.arrivals || len(posts) == 2 && posts[0].Key == posts[1].Key || w.bookings() != c.bookings {
				t.Errorf("the shop saw %+v and booked %d", posts, w.bookings())
			}
		})
	}
}

// TestKillWhileAGateWaits kills the bot while it waits for a person; nobody is asked twice, and the card stays good.
func TestKillWhileAGateWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	status, card := waitingRefund(w)
	w.bot.kill()
	// Slack may not have seen yet that nobody is connected: then it waits for an ack that does not come.
	failures := []string{"dispatch_failed", slow}
	if a, err := w.call("POST", "action", press("fin", card, buttonOf(card, "Approve"))); err != nil || a.OK || !slices.Contains(failures, a.Error) {
		t.Errorf("a click without a bot: %+v, %v", a, err)
	}
	w.startBot()
	w.click("fin", card, "Approve")
	settled(w, status)
	if cards := filter(w.state("#support"), func(m message) bool { return strings.HasPrefix(m.shown(), ":raised_hand: *Refund A-1001: approve") }); len(cards) != 1 {
		t.Errorf("the question was asked %d times:\n%s", len(cards), transcript(cards))
	}
	if posts := w.arrivals("POST /refunds"); len(posts) != 1 || w.bookings() != 1 {
		t.Errorf("the shop saw %+v and booked %d", posts, w.bookings())
	}
}

func buttonOf(m message, label string) element {
	e, _ := m.button(label)
	return e
}

// TestKillBetweenAckAndEffect kills the bot when Slack has its ack but nothing has come of the delivery yet.
func TestKillBetweenAckAndEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	w.fault(fields{"target": "api", "kind": "hold", "method": "reactions.add", "times": 1})
	root := w.write("ana", "#support", "", outline)
	poll(w, "the stored delivery", func() (waiting int, stored bool) {
		w.look(func(ctx context.Context, s storage.Store) error {
			rows, err := s.PendingInbox(ctx, 0, 10)
			waiting = len(rows)
			return err
		})
		return waiting, waiting == 1
	})
	w.bot.kill()
	w.startBot()
	drafted(w, root)
	w.release()
	if cards := filter(w.state("#support"), func(m message) bool { return m.Bot }); len(cards) != 1 {
		t.Errorf("the request was answered %d times:\n%s", len(cards), transcript(cards))
	}
}

// TestKillBetweenPostAndRecord kills the bot when Slack has a message of its whose ts is not stored yet.
func TestKillBetweenPostAndRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	w.fault(fields{"target": "api", "kind": "hold", "method": "chat.postMessage", "after": "after_act", "times": 1})
	root := w.write("ana", "#support", "", outline)
	card := drafted(w, root)
	w.bot.kill()
	w.startBot()
	w.release()
	w.click("ana", card, "Discard")
	w.untilMessage("#support", "the discarded draft", func(m message) bool { return m.TS == card.TS && strings.Contains(m.shown(), "Discarded by") })
	if cards := filter(w.state("#support"), func(m message) bool { return m.Bot }); len(cards) != 1 {
		t.Errorf("the draft was posted %d times:\n%s", len(cards), transcript(cards))
	}
}

// TestKillAfterAToolPosted kills the bot when a tool's message stands in Slack and the bot has no answer yet.
func TestKillAfterAToolPosted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	status, card := waitingRefund(w)
	w.fault(fields{"target": "api", "kind": "hold", "method": "chat.postMessage", "after": "after_act", "times": 1})
	w.click("fin", card, "Approve")
	w.untilMessage("#support", "what the tool tells", func(m message) bool { return strings.Contains(m.Text, "refund id R-1") })
	w.bot.kill()
	w.startBot()
	w.release()
	settled(w, status)
}

// TestSlackMisbehaves: whatever Slack does to one call or one delivery, there is one answer in the end.
func TestSlackMisbehaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	for i, f := range []fields{
		{"target": "socket", "kind": "duplicate", "method": "message"},
		{"target": "socket", "kind": "timeout", "method": "message"},
		{"target": "socket", "kind": "drop", "method": "message"},
		{"target": "api", "kind": "429", "method": "chat.postMessage", "after": "100"},
		{"target": "api", "kind": "500", "method": "chat.postMessage"},
		{"target": "api", "kind": "drop", "method": "chat.postMessage", "after": "after_act"},
		{"target": "api", "kind": "500", "method": "files.getUploadURLExternal"},
	} {
		w.fault(f)
		root := w.write("ana", "#support", "", strings.Replace(outline, "new refund", fmt.Sprint("new refund-", i), 1))
		card := drafted(w, root)
		w.click("ana", card, "Discard")
		w.untilMessage("#support", "the discarded draft", func(m message) bool { return m.TS == card.TS && strings.Contains(m.shown(), "Discarded by") })
		if cards := filter(w.state("#support"), func(m message) bool { return m.Bot && m.Thread == root.TS }); len(cards) != 1 {
			t.Errorf("with the fault %v there are %d answers:\n%s", f, len(cards), transcript(cards))
		}
	}
}

// TestKillDev kills everything at once, at several moments of a run, and goes on with the same data.
func TestKillDev(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{tools: shopActions("idempotent")})
	restart := func() {
		t.Helper()
		w.dev.kill()
		w.startDev()
	}
	root := w.write("ana", "#support", "", outline)
	restart() // the words may have been heard or not
	card := drafted(w, root)
	restart() // a draft waits
	w.click("ana", card, "Approve")
	w.untilMessage("#support", "the approved card", func(m message) bool { return m.TS == card.TS && strings.Contains(m.shown(), "Approved as version 1") })
	w.flow("ana", "#support", "run refund order_id=A-1001")
	restart() // the run may have begun or not
	status := theStatus(w)
	asked := question(w, status)
	restart() // a gate waits
	w.fault(fields{"target": "shop", "kind": "hold", "method": "POST", "path": "/refunds", "after": "after_booking", "times": 1})
	w.click("fin", asked, "Approve")
	w.untilArrivals("POST /refunds", 1)
	restart() // the shop has booked and not answered
	settled(w, status)
	posts := w.arrivals("POST /refunds")
	if len(posts) != 2 || posts[0].Key != posts[1].Key || w.bookings() != 1 {
		t.Errorf("the shop saw %+v and booked %d", posts, w.bookings())
	}
	if cards := filter(w.state("#support"), func(m message) bool { return m.Bot && m.Thread == root.TS && m.EphemeralTo == "" }); len(cards) != 1 {
		t.Errorf("the draft was posted %d times:\n%s", len(cards), transcript(cards))
	}
}

// TestInterrupt: Ctrl-C ends both programs cleanly, and nothing is lost.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	status, card := waitingRefund(w)
	if code := w.bot.stop(t); code != 0 {
		t.Errorf("serve ends with code %d:\n%s", code, w.bot.output())
	}
	if code := w.dev.stop(t); code != 0 {
		t.Errorf("dev ends with code %d:\n%s", code, w.dev.output())
	}
	w.startDev()
	w.startBot()
	w.click("fin", card, "Approve")
	settled(w, status)
	if strings.Contains(theStatus(w).shown(), "Resumed") {
		t.Errorf("a clean stop is called an interruption:\n%s", theStatus(w).shown())
	}
}

// TestStandBy: of two bots on one SQLite file one serves and the other says that it stands by, until the first is killed.
func TestStandBy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	drafts(w)
	second := w.serve("the second serve")
	if who, err := second.says(`standing by: another process serves this database.*(process \d+)`); err != nil || who != fmt.Sprint("process ", w.bot.cmd.Process.Pid) {
		t.Fatalf("the second process names %q: %v", who, err)
	}
	heldRefund(w, "before_booking")
	w.bot.kill()
	if _, err := second.says(`sluice serves`); err != nil {
		t.Fatal(err)
	}
	w.release()
	settled(w, theStatus(w))
	if n := w.untilBooked(1); n != 1 {
		t.Errorf("the shop booked %d refunds", n)
	}
}

// serveThree starts two more bots beside the one that serves the world, and gives all of them.
func serveThree(w *world) []*process {
	w.Helper()
	bots := []*process{w.bot}
	for _, name := range []string{"the second serve", "the third serve"} {
		p := w.serve(name)
		if _, err := p.says(`sluice serves`); err != nil {
			w.Fatal(err)
		}
		bots = append(bots, p)
	}
	return bots
}

// killHolder kills the one of some bots that performs the only live token.
func killHolder(w *world, bots []*process) {
	w.Helper()
	var holder string
	w.look(func(ctx context.Context, s storage.Store) error {
		leases, err := s.Leases(ctx)
		if err == nil && len(leases) == 1 {
			holder = leases[0].Worker
		}
		return err
	})
	killed := 0
	for _, p := range bots {
		if strings.Contains(holder, fmt.Sprintf("/%d/", p.cmd.Process.Pid)) {
			p.kill()
			killed++
		}
	}
	if killed != 1 {
		w.Fatalf("%q holds the only token; that is %d of the bots", holder, killed)
	}
}

// TestThreeServeOnePostgres kills that of three bots which is in the middle of a call: the run goes on elsewhere, and nobody in the
// channel sees more of it than that it was taken up.
func TestThreeServeOnePostgres(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true, database: pgtest.URL(t), tools: shopActions("idempotent")})
	bots := serveThree(w)
	drafts(w)
	heldRefund(w, "before_booking")
	killHolder(w, bots)
	w.untilArrivals("POST /refunds", 2)
	w.release()
	settled(w, theStatus(w))
	posts := w.arrivals("POST /refunds")
	if n := w.untilBooked(1); n != 1 || len(posts) != 2 || posts[0].Key != posts[1].Key {
		t.Errorf("the shop saw %+v and booked %d refunds", posts, n)
	}
	// The card of a gate is answered by whichever is left.
	w.flow("ana", "#support", "run refund order_id=A-1001")
	second := w.untilMessage("#support", "a second status message", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "A-1001") })
	w.click("fin", question(w, second), "Approve")
	done(w, second)
}
