package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/storage"
)

const (
	sendMost  = 45 * time.Second // for making a card and sending it
	makeMost  = 20 * time.Second // for making it
	retryMost = time.Minute
	triesMost = 3 // of making a card before the surface is set aside
	diedMost  = 5 // times that the process may die during a try before no card is made any more
)

// notes is what a surface's row stores about its delivery, as JSON.
type notes struct {
	Wanted  int64  `json:"wanted,omitempty"`  // the state that Failed and Told are about
	Failed  int    `json:"failed,omitempty"`  // how often its card could not be made, or was refused
	Told    bool   `json:"told,omitempty"`    // its owner knows that it is not shown in full
	Again   int    `json:"again,omitempty"`   // failures in a row after which it was to be tried again, without pauses that Slack asked for
	Started int    `json:"started,omitempty"` // how many tries began and never ended, because the process died
	Posted  int    `json:"posted,omitempty"`  // how often it was posted again after somebody had deleted it
	Picture string `json:"picture,omitempty"` // the key of the picture that Drawn is about
	Drawn   int    `json:"drawn,omitempty"`   // how often that was tried to be drawn
	Away    int    `json:"away,omitempty"`    // how often it was drawn and Slack could not accept it for the moment
	File    string `json:"file,omitempty"`    // that picture, drawn and not shown yet
	// Until is how long a message that is sent once waits for its picture.
	Until time.Time `json:"until,omitzero"`
}

func notesOf(s storage.Surface) notes {
	var n notes
	if len(s.Delivery) > 0 {
		_ = json.Unmarshal(s.Delivery, &n) // notes that cannot be read count as none
	}
	if n.Wanted != s.Wanted { // a new state: the earlier failures may be over
		n.Wanted, n.Failed, n.Told = s.Wanted, 0, false
	}
	return n
}

// delivery is one try to show a surface.
type delivery struct {
	job
	*Projector
	ctx    context.Context
	s      storage.Surface
	notes  notes
	wanted int64
	began  time.Time
	before int           // number of tries before this one
	called bool          // Slack was called
	posted bool          // there was no message before this try
	failed error         // why the card is not shown in full
	old    string        // the file of the picture that the message showed before this try
	later  time.Duration // when to try again to show it in full; 0 = it is shown in full, or it never will be
}

// deliver brings one surface up to date. A failure of the surface itself is stored on its row. Only errors of the database are
// returned.
func (p *Projector) deliver(ctx context.Context, j job) error {
	ctx, cancel := context.WithTimeout(ctx, sendMost)
	defer cancel()
	s, err := p.Engine.Store().Surface(ctx, j.ID)
	if err != nil || s.Shown >= s.Wanted {
		p.forgetDrawing(j.ID)
		return storage.IgnoreMissing(err)
	}
	d := &delivery{job: j, Projector: p, ctx: ctx, s: s, notes: notesOf(s), wanted: s.Wanted, began: time.Now()}
	defer d.probed()
	if s.TS != "" && s.Hash == storage.SurfaceDeleted {
		return d.deleted()
	}
	if s.Kind == surface.KindMessage {
		if ready, err := d.ready(); err != nil || !ready {
			return err
		}
	}
	k := kindOf(s.Kind)
	if k.once && s.TS != "" {
		return d.settle(nil)
	}
	if k.spread {
		return d.settle(d.spread())
	}
	if k.needed != nil && s.TS == "" && s.Tries == 0 && !k.needed(p, ctx, s) {
		return d.settle(nil)
	}
	if k.reply && s.Thread == "" && s.User == "" {
		ready, err := d.inThread()
		if err != nil || !ready {
			return err
		}
	}
	if err := d.intend(); err != nil {
		return err
	}
	err = d.show()
	if errors.Is(err, storage.ErrUnavailable) {
		return err
	}
	return d.settle(err)
}

// save stores the row with its notes.
func (d *delivery) save() error {
	b, err := json.Marshal(d.notes)
	if err != nil {
		return err
	}
	d.s.Delivery = b
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.ctx), idle) // the message may be there: that must be known
	defer cancel()
	return d.Engine.Store().SaveSurface(ctx, d.s)
}

// intend notes on the row that a try is about to be made. After a kill or a lost answer the next try
// finds the note: it looks for the message before it posts again, and counts the tries.
func (d *delivery) intend() error {
	d.before, d.s.Tries = d.s.Tries, d.s.Tries+1
	d.notes.Started++
	return d.save()
}

// show makes the card and sends it: in full, else in a plain form, else the bare card of its kind.
func (d *delivery) show() error {
	k := kindOf(d.s.Kind)
	c, err := d.made(k.card)
	if err == nil {
		if err = d.picture(&c); err != nil {
			return err
		}
		if err = d.send(c); !refused(err) {
			return err
		}
		d.failed = err
		d.Log.Error("Slack refuses a card", "surface", d.s.ID, "kind", d.s.Kind, "error", err)
		if err = d.send(surface.Plainly(c)); !refused(err) {
			return err
		}
	} else if d.retryMaking(err) {
		return err
	}
	d.failed = err
	if k.bare == nil {
		return d.gaveUp(err)
	}
	if c, err = d.made(k.bare); err != nil {
		return d.gaveUp(err)
	}
	return d.send(c)
}

// retryMaking says whether making a card is tried again before anything is shown in its place: what the card needs may be unavailable for a
// moment. After a panic the bare card is shown at once.
func (d *delivery) retryMaking(err error) bool {
	d.notes.Failed++
	d.Log.Error("a card cannot be made", "surface", d.s.ID, "kind", d.s.Kind, "ref", d.s.Ref, "failed", d.notes.Failed, "error", err)
	if errors.Is(err, storage.ErrUnavailable) {
		d.notes.Failed--
		return true
	}
	if refused(err) || d.notes.Failed >= triesMost {
		return false
	}
	d.later = backoff(d.notes.Failed)
	_, broke := errors.AsType[*panicError](err)
	return !broke
}

// gaveUp returns the error of a try in which no card could be made.
func (d *delivery) gaveUp(err error) error {
	if d.later > 0 || refused(err) {
		return err
	}
	return &surface.RefusedError{Code: "no_card", Err: err}
}

func refused(err error) bool {
	_, never := errors.AsType[*surface.RefusedError](err)
	return never
}

// panicError is a panic while a card was made.
type panicError struct {
	what  any
	stack []byte
}

// Error gives the panic's value and its stack.
func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.what, e.stack) }

var errDied = errors.New("the process has died again and again while this was sent")

// made makes a card. A panic of the maker is its error.
func (d *delivery) made(by func(*surface.Cards, context.Context, storage.Surface) (card.Card, error)) (c card.Card, err error) {
	if d.notes.Started > diedMost {
		d.notes.Failed = triesMost
		if d.notes.Started > diedMost+1 {
			return c, errDied
		}
	}
	ctx, cancel := context.WithTimeout(d.ctx, makeMost)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			err = &panicError{what: r, stack: debug.Stack()}
		}
	}()
	return by(d.Cards, ctx, d.s)
}

// send gives a card to the sender, unless the message shows it already.
func (d *delivery) send(c card.Card) error {
	b, err := json.Marshal(c)
	if err != nil {
		return &surface.RefusedError{Code: "no_card", Err: err}
	}
	if c.Picture != nil {
		b = append(b, c.Picture.File...)
	}
	sum := sha256.Sum256(b)
	hash := hex.EncodeToString(sum[:])
	if hash == d.s.Hash && d.s.TS != "" {
		d.noteShown(c)
		return nil
	}
	d.called = true
	if c.File != nil && d.s.File == "" { // its id is stored before the message is sent, so that the message is found by it
		if d.s.File, err = d.Sender.Upload(d.ctx, c); err != nil {
			return err
		}
		if err := d.save(); err != nil {
			return err
		}
	}
	s, err := d.sent(c)
	if c.File != nil {
		d.s.File = s.File
	}
	if err == nil {
		d.posted = d.s.TS == "" && s.TS != ""
		if file, _ := pictureIn(s.File); c.File == nil && file != "" && strings.HasPrefix(d.s.File, file+" ") {
			s.File = d.s.File // the picture of an earlier state, which stays until the next one is drawn
		}
		d.replaced(c, s.File)
		d.s, d.s.Hash = s, hash
		d.noteShown(c)
	}
	return err
}

// replaced remembers the picture that the message no longer shows. It is deleted when the row is stored: a process that is killed before
// would else edit the message with a file that is gone.
func (d *delivery) replaced(c card.Card, now string) {
	if c.File != nil {
		return
	}
	if old, _ := pictureIn(d.s.File); !strings.HasPrefix(now, old+" ") {
		d.old = old
	}
}

// sent calls the sender. A card that makes the sender panic counts as refused.
func (d *delivery) sent(c card.Card) (s storage.Surface, err error) {
	defer func() {
		if r := recover(); r != nil {
			s, err = d.s, &surface.RefusedError{Code: "panic", Err: &panicError{what: r, stack: debug.Stack()}}
		}
	}()
	asked := d.s
	asked.Tries = d.before
	return d.Sender.Send(d.ctx, asked, c)
}

// inThread finds the thread of a run's message. False: the run's status message must be posted first, and that has been started.
func (d *delivery) inThread() (ready bool, err error) {
	store := d.Engine.Store()
	id := surface.RefID(d.s.Ref)
	if d.s.Kind == surface.KindMessage {
		if id, err = messageRun(d.ctx, store, d.s); err != nil {
			return false, err
		}
	} else if g, err := store.Gate(d.ctx, id); err == nil {
		root, err := surface.Root(d.ctx, store, g.Run)
		if err != nil {
			return false, err
		}
		id = root.ID
	} else if !errors.Is(err, storage.ErrNotFound) {
		return false, err
	}
	status, err := store.Surface(d.ctx, "status-"+id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return true, nil // there is no thread: it is posted to the channel
	case err != nil:
		return false, err
	case status.Thread != "": // it is a reply itself
		d.s.Thread = status.Thread
	case status.TS != "":
		d.s.Thread = status.TS
	case status.Shown >= status.Wanted: // it cannot be posted
	case status.Blocked != "" && shared(status.Blocked):
		if d.probe != "" { // a reply cannot be posted before its status message, which is sent in its place to find out whether the cause is over
			d.look(status.ID, true)
		}
		return false, d.wait(d.ctx, d.s, status.Blocked)
	default:
		d.holdBack(d.ID, time.Second)
		if status.RetryAt.Before(time.Now()) {
			d.look(status.ID, d.urgent)
		}
		d.after(status.ID, d.ID)
		return false, nil
	}
	return true, nil
}

// probed has another surface sent to find out whether a cause is over, when this one was not sent in the end.
func (d *delivery) probed() {
	if d.called {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.causes.undoProbe(d.probe)
}

func backoff(tries int) time.Duration { return min(time.Second<<min(max(tries-1, 0), 6), retryMost) }
