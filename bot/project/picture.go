package project

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/storage"
)

const (
	drawMost     = 2                // pictures drawn at a time, and as many of urgent surfaces
	drawBudget   = 20 * time.Second // for drawing one and uploading it
	drawTries    = 3
	patience     = 2 * time.Second        // how long a card waits for its picture before it is sent without it
	patienceGate = 700 * time.Millisecond // of an urgent one
)

// drawing is a picture being drawn, apart from the delivery of cards.
type drawing struct {
	key    string
	cancel context.CancelFunc
	done   chan struct{}
	file   string // once done
	err    error
}

// pictureIn takes apart what a row stores of the picture that its message shows: the id of the file, and the key of what is drawn in it.
func pictureIn(stored string) (file, key string) {
	file, key, _ = strings.Cut(stored, " ")
	return file, key
}

// picture gives a card its picture. A message that can be edited does not wait long for it.
func (d *delivery) picture(c *card.Card) error {
	switch {
	case c.Picture == nil:
		d.forgetDrawing(d.s.ID)
		return nil
	case kindOf(d.s.Kind).once:
		return d.keptBack(c)
	}
	return d.drawnSoon(c)
}

// keptBack keeps a card back that cannot be edited until its picture is there, as long as drawing one may take. After that it is sent without
// it. Meanwhile no goroutine waits: the end of the drawing wakes the loop.
func (d *delivery) keptBack(c *card.Card) error {
	if d.notes.Until.IsZero() {
		d.notes.Until = time.Now().Add(drawBudget)
	}
	if err := d.drawnSoon(c); err != nil || c.Picture == nil || c.Picture.File != "" {
		return err
	}
	wait, left := d.later, time.Until(d.notes.Until)
	if d.underWay() {
		wait = left
	}
	if left > 0 && wait <= left {
		return &RetryError{After: wait, Err: errDrawing}
	}
	d.Log.Warn("a picture is not there in time: its message is sent without it", "surface", d.s.ID, "tries", d.notes.Drawn)
	d.forgetDrawing(d.s.ID)
	d.withoutPicture(c)
	return nil
}

// underWay reports whether the picture is being drawn.
func (d *delivery) underWay() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.drawings[d.s.ID] != nil
}

// late reports whether a card that cannot be edited has waited long enough for its picture.
func (d *delivery) late() bool { return !d.notes.Until.IsZero() && time.Until(d.notes.Until) <= 0 }

// drawnSoon gives a card its picture if that is there within a moment. Otherwise the card goes without it, or with the one that it
// shows already, and later says when to look for the picture again.
func (d *delivery) drawnSoon(c *card.Card) error {
	old, key := pictureIn(d.s.File)
	if c.Picture.File = old; old != "" && key == c.Picture.Key {
		return nil
	}
	if d.notes.Picture != c.Picture.Key {
		d.notes.Picture, d.notes.Drawn, d.notes.Away, d.notes.File = c.Picture.Key, 0, 0, ""
	}
	if c.Picture.File = d.notes.File; c.Picture.File != "" {
		return nil
	}
	job, err := d.drawn(*c)
	if job == nil || err != nil {
		return d.undrawn(c, err)
	}
	ready, err := d.awaited(job)
	if err != nil {
		return err
	}
	if !ready {
		c.Picture.File, d.later = old, max(d.later, drawBudget)
		return nil
	}
	d.forgetDrawing(d.s.ID)
	if job.err != nil {
		return d.undrawn(c, job.err)
	}
	c.Picture.File, d.notes.File = job.file, job.file
	return nil
}

// awaited waits for a drawing for a moment, and reports whether it is over.
func (d *delivery) awaited(job *drawing) (bool, error) {
	timer := time.NewTimer(d.patience())
	defer timer.Stop()
	select {
	case <-job.done:
		return true, nil
	case <-d.ctx.Done():
		return false, d.ctx.Err()
	case <-timer.C:
	}
	select {
	case <-job.done: // it may have been over from the start
		return true, nil
	default:
		return false, nil
	}
}

func (d *delivery) patience() time.Duration {
	if !d.notes.Until.IsZero() {
		return min(patience, time.Until(d.notes.Until))
	}
	if kindOf(d.s.Kind).urgent || d.s.File != "" { // an older picture is there meanwhile
		return patienceGate
	}
	return patience
}

// undrawn continues without a picture. Drawing it is tried a few more times.
func (d *delivery) undrawn(c *card.Card, err error) error {
	var retry *RetryError
	var blocked *BlockedError
	old, _ := pictureIn(d.s.File)
	c.Picture.File = old
	switch {
	case errors.Is(err, storage.ErrUnavailable):
		return err
	case errors.As(err, &retry):
		d.notes.Drawn--
		d.notes.Away++
		d.later = max(d.later, retry.After, backoff(d.notes.Away))
		return nil
	case errors.As(err, &blocked) && !blocked.Alone:
		d.notes.Drawn--
		d.later = max(d.later, d.Pace.Channel)
		return nil
	case err != nil:
		d.Log.Error("a picture cannot be drawn", "surface", d.s.ID, "ref", d.s.Ref, "tries", d.notes.Drawn, "error", err)
	}
	if d.notes.Drawn < drawTries {
		d.later = max(d.later, backoff(d.notes.Drawn+1))
		return nil
	}
	d.withoutPicture(c)
	return nil
}

// withoutPicture gives up the picture of a card, which says so. The owner of a card that is tried again is told, too.
func (d *delivery) withoutPicture(c *card.Card) {
	c.Picture, d.later = nil, 0
	c.Context = append(c.Context, card.Textf("The flowchart could not be drawn."))
	if !kindOf(d.s.Kind).once {
		d.failed = errPicture
	}
}

var (
	errPicture = errors.New("the flowchart could not be drawn")
	errDrawing = errors.New("the flowchart is not there yet")
)

// drawn returns the drawing of a card's picture, and starts it unless it is under way. nil: it was tried often enough, or for long enough.
func (d *delivery) drawn(c card.Card) (*drawing, error) {
	d.mu.Lock()
	job := d.drawings[d.s.ID]
	d.mu.Unlock()
	if job != nil && job.key == c.Picture.Key {
		return job, nil
	}
	if job != nil {
		d.forgetDrawing(d.s.ID)
	}
	if d.notes.Drawn >= drawTries || d.late() {
		return nil, nil
	}
	d.notes.Drawn++
	if err := d.save(); err != nil { // counted before: drawing may end the process
		return nil, err
	}
	ctx, cancel := context.WithCancel(d.term.ctx)
	job = &drawing{key: c.Picture.Key, cancel: cancel, done: make(chan struct{})}
	d.mu.Lock()
	d.drawings[d.s.ID] = job
	d.mu.Unlock()
	id, urgent, p := d.s.ID, kindOf(d.s.Kind).urgent, d.Projector
	d.term.under.Go(func() {
		defer cancel()
		job.file, job.err = p.drawNow(ctx, c, urgent)
		close(job.done)
		p.look(id, false)
		p.Wake()
	})
	return job, nil
}

// drawNow draws a picture within its time limit, once a slot is free. Pictures of urgent surfaces have slots of their own.
func (p *Projector) drawNow(ctx context.Context, c card.Card, urgent bool) (file string, err error) {
	own := p.draw
	if urgent {
		own = p.drawUrgent
	}
	select {
	case own <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-own }()
	type result struct {
		file string
		err  error
	}
	ctx, cancel := context.WithTimeout(ctx, drawBudget)
	defer cancel()
	done := make(chan result, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- result{err: &panicError{what: r}}
			}
		}()
		file, err := p.Sender.Upload(ctx, c)
		done <- result{file, err}
	}()
	select {
	case r := <-done:
		return r.file, r.err
	case <-ctx.Done():
		return "", fmt.Errorf("draw the flowchart within %s: %w", drawBudget, context.Cause(ctx))
	}
}

// forgetDrawing drops a surface's drawing.
func (p *Projector) forgetDrawing(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if job := p.drawings[id]; job != nil {
		job.cancel()
		delete(p.drawings, id)
	}
}
