package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"sluice/storage"
	"sluice/storage/pgtest"
)

const outline = "@Sluice new refund: 1. get the order from the shop  2. if the amount is over 100 ask @finance to approve  3. refund it  4. tell #support"

// onBoth tells the same story on every database.
func onBoth(t *testing.T, tell func(t *testing.T, s setup)) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		tell(t, setup{})
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		tell(t, setup{database: pgtest.URL(t)})
	})
}

// TestStory is the main path: words, picture, approval, run, gate, end.
func TestStory(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s setup) {
		for _, second := range []bool{false, true} {
			t.Run(fmt.Sprintf("second person %t", second), func(t *testing.T) {
				t.Parallel()
				s := s
				s.secondPerson = second
				if s.database != "" {
					s.database = pgtest.URL(t)
				}
				w := newWorld(t, s)
				card := revise(w)
				approve(w, card)
				status := duplicate(w)
				decide(w, status)
				ended(w, status)
				again(w, status)
				commands(w)
			})
		}
	})
}

// drafted is the card that answers an outline.
func drafted(w *world, root answer) message {
	w.Helper()
	return w.untilMessage("#support", "a draft's card", func(m message) bool { return m.Thread == root.TS && slices.Contains(m.buttons(), "Approve") })
}

// revise drafts the flow and changes a step. It gives the card to approve.
func revise(w *world) message {
	w.Helper()
	root := w.write("ana", "#support", "", outline)
	old := drafted(w, root)
	checkDraft(w, root, old)
	seq := w.get("clock").Seq

	w.fault(fields{"target": "socket", "kind": "hold", "method": "block_actions", "times": 1})
	approve, _ := old.button("Approve")
	underWay := w.clicked(press("ana", old, approve))
	w.write("ana", "#support", root.TS, "2. if the amount is over 200 ask @finance to approve")
	card := w.untilMessage("#support", "the revised draft", func(m message) bool {
		return m.Thread == root.TS && m.TS != old.TS && slices.Contains(m.buttons(), "Approve")
	})
	card = w.pictured(card)
	if !strings.Contains(card.shown(), "over 200") || !strings.Contains(card.alt(), "over 200") || !strings.Contains(card.alt(), "changed") {
		w.Errorf("the revised draft shows:\n%s", card.shown())
	}
	w.untilMessage("#support", "the old card without buttons", func(m message) bool {
		return m.TS == old.TS && m.Edited && len(m.buttons()) == 0 && strings.Contains(m.shown(), "Replaced by draft 2")
	})
	w.release()
	if a := <-underWay; !a.OK {
		w.Fatalf("the click that was under way: %s %s", a.Error, a.Detail)
	}
	first := w.private("ana", "#support", seq)
	w.post("action", stale(press("ana", old, approve)))
	for _, line := range []message{first, w.private("ana", "#support", first.Seq)} {
		if !strings.Contains(line.shown(), "draft 1, which draft 2 has replaced: nothing was approved") {
			w.Errorf("a click on the old card is answered: %s", line.shown())
		}
	}
	if line := w.ask("ana", "#support", "list").shown(); !strings.Contains(line, "no flows yet") {
		w.Errorf("after clicks on a replaced draft there is a flow:\n%s", line)
	}
	return card
}

// checkDraft looks at the first answer: a reaction, then one reply.
func checkDraft(w *world, root answer, card message) {
	w.Helper()
	w.reacted(root, "white_check_mark")
	all := w.state("#support")
	if replies := filter(all, func(m message) bool { return m.Bot }); len(replies) != 1 {
		w.Errorf("there is not one reply:\n%s", transcript(all))
	}
	if want := []string{"Approve", "Try it", "Details", "Edit as file", "Discard"}; !slices.Equal(card.buttons(), want) {
		w.Errorf("the draft's buttons are %q", card.buttons())
	}
	for _, part := range []string{"*Steps*\n1. Get the order", "2a. Ask @finance", "3. Refund it", "Two runs with the same order id are the same run: the second shows the first", "*What it may do*\n• Reads from Shop", "• Can refund an order in Shop."} {
		if !strings.Contains(card.shown(), part) {
			w.Errorf("the draft does not say %q:\n%s", part, card.shown())
		}
	}
	if said := strings.Contains(card.shown(), "a second person must approve it"); said != w.secondPerson {
		w.Errorf("the draft says of a second person:\n%s", card.shown())
	}
	card = w.pictured(card)
	for _, part := range []string{"Draft flowchart: Refund.", "1 Get the order (process)", "2 Amount over 100? (decision)", "2a @finance approves (by a person)", "3 Refund it (process)"} {
		if !strings.Contains(card.alt(), part) {
			w.Errorf("the picture's text does not say %q: %s", part, card.alt())
		}
	}
	w.checkPicture(card)
	if strings.Contains(card.shown(), "shop.get_order") {
		w.Errorf("the draft names tools as programs do:\n%s", card.shown())
	}
	details := w.private("ana", "#support", w.click("ana", card, "Details").Seq).shown()
	for _, part := range []string{"shop.get_order", "shop.refund", "127.0.0.1", "hash `"} {
		if !strings.Contains(details, part) {
			w.Errorf("the details do not say %q:\n%s", part, details)
		}
	}
}

// pictured waits for the picture of a message: a card is shown before one that takes longer.
func (w *world) pictured(m message) message {
	w.Helper()
	return w.untilMessage(m.Channel, "the picture", func(now message) bool { return now.TS == m.TS && now.alt() != "" })
}

// checkPicture wants the message's one file to be a PNG that can be read. A card has its new words, and the text that stands for its picture,
// before the new picture: the one that it shows meanwhile is deleted when it is replaced.
func (w *world) checkPicture(m message) {
	w.Helper()
	m = w.pictured(m)
	for {
		if len(m.Files) != 1 || m.Files[0].Mimetype != "image/png" || m.Files[0].Alt != m.alt() {
			w.Fatalf("the files are %+v", m.Files)
		}
		status, body := w.shownFile(m.Files[0].ID)
		if status == http.StatusOK {
			if pic, err := png.DecodeConfig(bytes.NewReader(body)); err != nil || pic.Width < 200 || pic.Height < 200 {
				w.Errorf("the picture is %+v, %v", pic, err)
			}
			return
		}
		now := w.untilMessage(m.Channel, "the message with the picture", func(now message) bool { return now.TS == m.TS })
		if slices.Equal(now.Files, m.Files) {
			w.Fatalf("the picture that the message shows is answered %d", status)
		}
		m = now
	}
}

func stale(click fields) fields {
	click["stale"] = true
	return click
}

// clicked presses a button and returns once the click is on its way.
func (w *world) clicked(click fields) <-chan answer {
	w.Helper()
	sent, done := make(chan struct{}), make(chan answer, 1)
	var once sync.Once
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { once.Do(func() { close(sent) }) }}
	go func() {
		a, err := w.callTraced(httptrace.WithClientTrace(w.Context(), trace), http.MethodPost, "action", click)
		if err != nil {
			a.Detail = err.Error()
		}
		a.OK = a.OK || a.Error == slow // what comes of the click is still looked at
		done <- a
	}()
	<-sent
	return done
}

// approver is who may approve ana's drafts.
func (w *world) approver() string {
	if w.secondPerson {
		return "fin"
	}
	return "ana"
}

// approve saves the draft as revision 1.
func approve(w *world, card message) {
	w.Helper()
	if w.secondPerson {
		a := w.click("ana", card, "Approve")
		line := w.private("ana", "#support", a.Seq).shown()
		if !strings.Contains(line, "a second person must approve it") || !strings.Contains(line, "Who may: @finance") {
			w.Errorf("ana's own approval is answered: %s", line)
		}
		a = w.click("bob", card, "Approve")
		if line := w.private("bob", "#support", a.Seq).shown(); !strings.Contains(line, "not everybody may approve it") || !strings.Contains(line, "Who may: @finance") {
			w.Errorf("bob's approval is answered: %s", line)
		}
	}
	seq := w.get("clock").Seq
	yes, _ := card.button("Approve")
	one, two := w.clicked(press(w.approver(), card, yes)), w.clicked(press(w.approver(), card, yes))
	if a, b := <-one, <-two; !a.OK || !b.OK {
		w.Fatalf("the approving clicks: %+v %+v", a, b)
	}
	if line := w.private(w.approver(), "#support", seq).shown(); !strings.Contains(line, "This draft is approved already by <@"+w.id(w.approver())+">") {
		w.Errorf("the second approval is answered: %s", line)
	}
	approved := w.untilMessage("#support", "the approved card", func(m message) bool { return m.TS == card.TS && strings.Contains(m.shown(), "Approved as version 1") })
	if !strings.Contains(approved.shown(), "Approved as version 1 by <@"+w.id(w.approver())+">") || !slices.Equal(approved.buttons(), []string{"Run now…", "Schedule…", "Change…", "Export"}) {
		w.Errorf("the approved card shows:\n%s", approved.shown())
	}
	var rev storage.Revision
	w.look(func(ctx context.Context, s storage.Store) (err error) {
		rev, err = s.Revision(ctx, "refund", 1)
		return err
	})
	shown := w.ask(w.approver(), "#support", "show refund").shown()
	if !strings.Contains(shown, "hash `"+rev.LockHash[:12]+"`") || len(rev.Lock) < 10 || rev.By != w.id(w.approver()) {
		w.Errorf("revision %s by %s with the lock %s is shown as:\n%s", rev.LockHash, rev.By, rev.Lock, shown)
	}
}

// look reads the bot's database beside the bot.
func (w *world) look(read func(context.Context, storage.Store) error) {
	w.Helper()
	data := w.data
	if w.apart {
		data = w.botData()
	}
	s, err := openStore(w.Context(), w.database, data)
	if err != nil {
		w.Fatal(err)
	}
	if err := errors.Join(read(w.Context(), s), s.Close()); err != nil {
		w.Fatal(err)
	}
}

// isStatus tells the status message of a run: its own message in the channel, with a task per node.
func isStatus(m message) bool {
	return m.Bot && m.Thread == "" && m.EphemeralTo == "" && slices.ContainsFunc(m.Blocks, func(b block) bool { return len(b.Tasks) > 0 })
}

// runName reads the short name off a status message.
func runName(status message) string {
	if m := regexp.MustCompile(`(?m)^(\S+-\d+) · `).FindStringSubmatch(status.shown()); m != nil {
		return m[1]
	}
	return ""
}

// duplicate starts a run, and the same once more.
func duplicate(w *world) message {
	w.Helper()
	w.flow("ana", "#support", "run refund order_id=A-1001")
	status := w.untilMessage("#support", "the run waiting", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "*Waiting* at") })
	if !slices.Equal(status.buttons(), []string{"Cancel", "Flowchart"}) || !strings.Contains(status.shown(), "Get the order") {
		w.Errorf("the status message shows:\n%s", status.shown())
	}
	line := w.ask("ana", "#support", "run refund order_id=A-1001")
	if !strings.Contains(line.shown(), "Nothing was started: *Refund A-1001* is the same thing (A-1001), asked for by <@"+w.id("ana")) ||
		!slices.Equal(line.buttons(), []string{"Show refund-1", "Run anyway…"}) {
		w.Errorf("the second run is answered:\n%s", line.shown())
	}
	if all := filter(w.state("#support"), isStatus); len(all) != 1 {
		w.Errorf("there is not one status message:\n%s", transcript(all))
	}
	return status
}

// question waits for the open question of a run.
func question(w *world, status message) message {
	w.Helper()
	return w.untilMessage("#support", "a gate's card", func(m message) bool { return m.Thread == status.TS && slices.Contains(m.buttons(), "Approve") })
}

// decide answers the gate: who may not is told so, and of two clicks one counts.
func decide(w *world, status message) {
	w.Helper()
	card := question(w, status)
	link := "<" + w.url("/archives/"+card.Channel+"/p"+strings.ReplaceAll(card.TS, ".", "")+"?thread_ts="+status.TS+"&cid="+card.Channel) + "|Go to the question>"
	status = w.untilMessage("#support", "the run's picture", func(m message) bool { // a slow one comes later
		return m.TS == status.TS && m.alt() != "" && strings.Contains(m.shown(), link)
	})
	if !slices.Equal(card.buttons(), []string{"Approve", "Reject", "With a note…"}) || !strings.Contains(status.alt(), "waiting") || !strings.Contains(card.shown(), "250") {
		w.Errorf("the gate's card shows:\n%s\nand its run\n%s", card.shown(), status.shown())
	}
	w.checkPicture(status)
	refused := w.click("bob", card, "Approve")
	if line := w.private("bob", "#support", refused.Seq).shown(); !strings.Contains(line, "Only members of @finance may answer this") {
		w.Errorf("bob is told: %s", line)
	}
	yes, _ := card.button("Approve")
	one, two := w.clicked(press("fin", card, yes)), w.clicked(press("fin", card, yes))
	if a, b := <-one, <-two; !a.OK || !b.OK {
		w.Fatalf("fin's clicks: %+v %+v", a, b)
	}
	line := w.private("fin", "#support", refused.Seq).shown()
	if !strings.Contains(line, "This was decided already: *approve*, by <@"+w.id("fin")+">, <!date^") {
		w.Errorf("fin's second click is answered: %s", line)
	}
	over := w.untilMessage("#support", "the outcome", func(m message) bool { return m.TS == card.TS && len(m.buttons()) == 0 })
	if !strings.Contains(over.shown(), "*Approve* by <@"+w.id("fin")+">, <!date^") {
		w.Errorf("the decided gate shows:\n%s", over.shown())
	}
}

// done waits for a run's last message, and gives it and the status message.
func done(w *world, status message) (last, end message) {
	w.Helper()
	last = w.untilMessage("#support", "the run's end", func(m message) bool {
		return m.Thread == status.TS && m.EphemeralTo == "" && strings.Contains(m.shown(), ":white_check_mark: *Done* in")
	})
	end = w.untilMessage("#support", "the status of a run that is done", func(m message) bool { return m.TS == status.TS && strings.Contains(m.shown(), "*Done* in") })
	return last, end
}

// ended checks what the run did and what it shows.
func ended(w *world, status message) {
	w.Helper()
	_, end := done(w, status)
	end = w.untilMessage("#support", "the last picture", func(m message) bool { return m.TS == end.TS && strings.Contains(m.alt(), "4 to End, taken") })
	if shown := filter(w.state("#support"), func(m message) bool { return m.Thread == status.TS && m.alt() != "" }); len(shown) > 0 {
		w.Errorf("other messages of the run have pictures:\n%s", transcript(shown))
	}
	w.saysIn("the status of a run that is over", end.shown(), "Done: Refund A-1001", "*Done* in", "2. Amount over 200? (over 200: amount = 250)", "2a. @finance approves (approve by fin)")
	if !end.Edited || !slices.Equal(end.buttons(), []string{"Flowchart"}) || !strings.Contains(end.shown(), "Refund it") {
		w.Errorf("the final status shows:\n%s", end.shown())
	}
	w.checkPicture(end)
	for _, part := range []string{"Start to 1, taken", "if over 200, taken", "if approve, taken", "4 to End, taken", "2a @finance approves (by a person): complete", "3 Refund it (process): complete"} {
		if !strings.Contains(end.alt(), part) {
			w.Errorf("the final picture does not say %q: %s", part, end.alt())
		}
	}
	for _, part := range []string{"if reject, taken", "if otherwise, taken"} {
		if strings.Contains(end.alt(), part) {
			w.Errorf("the final picture says %q: %s", part, end.alt())
		}
	}
	gets, posts := w.arrivals("GET /orders/A-1001"), w.arrivals("POST /refunds")
	if len(gets) != 1 || len(posts) != 1 || posts[0].Key == "" || w.bookings() != 1 {
		w.Errorf("the shop saw %+v and %+v, and booked %d", gets, posts, w.bookings())
	}
	told := filter(w.state("#support"), func(m message) bool { return m.Bot && strings.Contains(m.Text, "refund id R-1, status refunded") })
	if len(told) != 1 {
		w.Errorf("#support was told:\n%s", transcript(told))
	}
	if all := filter(w.state("#support"), isStatus); len(all) != 1 {
		w.Errorf("there is not one status message:\n%s", transcript(all))
	}
}

// again runs the same thing a second time on purpose, and cancels it.
func again(w *world, status message) {
	w.Helper()
	line := w.ask("ana", "#support", "run refund order_id=A-1001")
	why := opens(w, "ana", line, "Run anyway…")
	if a := fills(w, "ana", why, fields{}); a.Errors[".note"] == "" {
		w.Errorf("no reason is answered %+v", a)
	}
	fills(w, "ana", why, fields{".note": "the parcel came back, twice"})
	second := w.untilMessage("#support", "the second run", func(m message) bool {
		return isStatus(m) && m.TS != status.TS && strings.Contains(m.shown(), "*Waiting* at")
	})
	name, fact := runName(second), []byte(nil)
	w.look(func(ctx context.Context, s storage.Store) error {
		r, err := s.RunByName(ctx, name)
		if err != nil {
			return err
		}
		facts, err := s.FactsBySeq(ctx, r.ID, []int64{1})
		if err == nil && len(facts) == 1 {
			fact = append(facts[0].Body, facts[0].Actor...)
		}
		return err
	})
	if !bytes.Contains(fact, []byte("beside refund-1: the parcel came back, twice")) || !bytes.Contains(fact, []byte(w.id("ana"))) {
		w.Errorf("the start of the second run is recorded as %s", fact)
	}
	card := question(w, second)
	if line := w.ask("ana", "#support", "cancel "+name).shown(); !strings.Contains(line, "*"+name+"* is cancelled") {
		w.Errorf("the cancel is answered: %s", line)
	}
	w.untilMessage("#support", "the cancelled run", func(m message) bool {
		return m.TS == second.TS && strings.Contains(m.shown(), "*Stopped* by <@"+w.id("ana")+">") && !slices.Contains(m.buttons(), "Cancel")
	})
	w.untilMessage("#support", "the cancelled gate", func(m message) bool { return m.TS == card.TS && len(m.buttons()) == 0 })
	if posts := w.arrivals("POST /refunds"); len(posts) != 1 {
		w.Errorf("a cancelled run refunded: %+v", posts)
	}
}

// commands looks at what has happened, and tries what help says.
func commands(w *world) {
	w.Helper()
	for text, parts := range map[string][]string{
		"list":          {"*refund*  version 1, in <#", "owner <@" + w.id("ana") + ">"},
		"runs":          {"*refund-1*  Refund A-1001: done, asked for by <@" + w.id("ana"), ": stopped, asked for by <@"},
		"runs refund":   {"*refund-1*"},
		"show refund-1": {"*Done* in", "order_id: *A-1001*", "if approve, taken"},
		"show refund":   {"Refund, version 1", "Approved by <@" + w.id(w.approver()), "1. Get the order"},
		"schedules":     {"There are no schedules"},
		"approvals":     {"Nothing waits for you"},
	} {
		line := w.ask("ana", "#support", text).shown()
		for _, part := range parts {
			if !strings.Contains(line, part) {
				w.Errorf("%s does not say %q:\n%s", text, part, line)
			}
		}
	}
	help := w.ask("bob", "#support", "help").shown()
	example := regexp.MustCompile("(?s)```@Sluice (new example:.*?)```").FindStringSubmatch(help)
	if example == nil || !strings.Contains(help, "I can use: http, shop, slack") {
		w.Fatalf("help says:\n%s", help)
	}
	root := w.write("bob", "#support", "", "@Sluice "+example[1])
	card := drafted(w, root)
	if w.secondPerson {
		return // the example asks its author, who may not approve it alone
	}
	w.click("bob", card, "Approve")
	w.untilMessage("#support", "the approved example", func(m message) bool { return m.TS == card.TS && strings.Contains(m.shown(), "Approved as version 1") })
}
