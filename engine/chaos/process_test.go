package chaos_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// worker is a process that serves the store.
type worker struct {
	orders
	cmd     *exec.Cmd
	address string // its address
	lines   *bufio.Scanner
	log     *strings.Builder // read when it has ended
	frozen  atomic.Bool
	slept   atomic.Bool // it was frozen once
	killed  atomic.Bool // from outside
	reached bool        // guarded by storm.mu: it has failed at its failpoint
	ended   chan struct{}
}

// startWorker starts a worker, with the next failpoint.
func (s *storm) startWorker() {
	s.mu.Lock()
	s.workersStarted++
	o := orders{Name: fmt.Sprint("worker-", s.workersStarted), SQLite: s.path, Outside: s.outside.URL, Model: s.model.URL, Failpoint: &failpoint{}}
	if len(s.failpoints) > 0 {
		o.Failpoint, s.failpoints = s.failpoints[0], s.failpoints[1:]
	} else if s.nextFailpoint != nil {
		o.Failpoint = s.nextFailpoint(s.r)
	}
	s.mu.Unlock()
	if s.proxy != nil {
		o.Postgres = s.proxy.URL
	}
	for s.ctx.Err() == nil {
		w, err := s.startProcess(o)
		if err == nil {
			s.note("%s serves; its failpoint: %s", o.Name, o.Failpoint)
			s.mu.Lock()
			s.serving = append(s.serving, w)
			s.mu.Unlock()
			go s.watchWorker(w)
			return
		}
		s.note("%s does not serve: %v", o.Name, err) // the database is not there
		time.Sleep(100 * time.Millisecond)
	}
}

// startProcess starts a process and waits until it serves.
func (s *storm) startProcess(o orders) (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	w := &worker{orders: o, cmd: exec.Command(self), log: &strings.Builder{}, ended: make(chan struct{})}
	w.cmd.Env = append(os.Environ(), asWorker+"="+string(raw))
	w.cmd.Stderr = w.log
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if _, err := w.cmd.StdinPipe(); err != nil { // it is never closed: it ends with this process, and the worker with it
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	w.lines = bufio.NewScanner(out)
	if w.lines.Scan() {
		w.address, _ = strings.CutPrefix(w.lines.Text(), "serves ")
	}
	if w.address == "" {
		_ = w.cmd.Wait()
		return nil, fmt.Errorf("it wrote %s", w.log)
	}
	return w, nil
}

// watchWorker waits for the end of a worker, and starts another one in its place.
func (s *storm) watchWorker(w *worker) {
	defer close(w.ended)
	for w.lines.Scan() {
		s.note("%s is %s", w.Name, w.lines.Text())
		switch w.lines.Text() {
		case "frozen":
			w.frozen.Store(true)
			w.slept.Store(true)
			s.mu.Lock()
			s.deathTimes = append(s.deathTimes, time.Now())
			s.mu.Unlock()
			go s.thaw(w)
		case "not frozen":
			s.markReached(w)
		}
	}
	err := w.cmd.Wait()
	died := time.Now()
	s.mu.Lock()
	s.deathTimes = append(s.deathTimes, died)
	over := s.over
	s.serving = slices.DeleteFunc(s.serving, func(o *worker) bool { return o == w })
	survivors := slices.Clone(s.serving)
	s.mu.Unlock()
	byItself := err != nil && w.cmd.ProcessState.ExitCode() >= 0
	if strings.Contains(w.log.String(), "DATA RACE") || byItself {
		s.Errorf("%s ended by itself: %v\n%s", w.Name, err, w.log)
	}
	if over {
		return
	}
	s.note("%s is dead", w.Name)
	s.count(w, byItself)
	go s.measureRecovery(w.Name, died, survivors)
	s.startWorker()
}

// count counts a death in the figures.
func (s *storm) count(w *worker, byItself bool) {
	switch {
	case w.killed.Load():
		s.figures.add(&s.mu, &s.figures.kills)
		s.reassign(w)
	case byItself:
		s.reassign(w)
	default:
		s.figures.died(&s.mu, w.Failpoint.At)
		s.markReached(w)
	}
}

// markReached records that a worker has failed at its failpoint.
func (s *storm) markReached(w *worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !w.reached {
		w.reached = true
		s.reached++
	}
}

// reassign gives the failpoint of a worker that died elsewhere to the next worker.
func (s *storm) reassign(w *worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !w.reached && w.Failpoint.At != "" && s.reached < s.mustReach {
		s.failpoints = append(s.failpoints, &failpoint{At: w.Failpoint.At, Nth: w.Failpoint.Nth, Freeze: w.Failpoint.Freeze})
	}
}

// measureRecovery measures the time until other processes have taken everything that a dead worker held. survivors served when it died: a
// process that starts later needs longer to notice the death.
func (s *storm) measureRecovery(name string, died time.Time, survivors []*worker) {
	s.mu.Lock()
	outages := s.outages
	s.mu.Unlock()
	for first := true; s.ctx.Err() == nil; first = false {
		left := 0
		if !s.query("look for what a worker has left", func(ctx context.Context) error {
			held, err := s.store.HeldBy(ctx, []string{name})
			left = len(held)
			return err
		}) {
			return
		}
		if left == 0 {
			took := time.Since(died)
			s.mu.Lock()
			defer s.mu.Unlock()
			switch {
			case first || s.outages != outages:
			case s.sqlite || slices.ContainsFunc(survivors, func(h *worker) bool { return slices.Contains(s.serving, h) && !h.slept.Load() }):
				s.figures.resumed = append(s.figures.resumed, took)
			default:
				s.figures.orphaned = append(s.figures.orphaned, took)
			}
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

const (
	asleep  = 6 * time.Second // a worker is frozen at least for so long: others have declared it dead by then
	goingOn = 3 * time.Second // the time that the others have to finish what they have taken from it
)

// thaw lets a frozen worker go on when the others have taken what it held, or when all of them are frozen, too.
func (s *storm) thaw(w *worker) {
	time.Sleep(asleep)
	for left := 1; left > 0 && s.anyWorker() != nil && s.ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		s.query("look for what a frozen worker held", func(ctx context.Context) error {
			held, err := s.store.HeldBy(ctx, []string{w.Name})
			left = len(held)
			return err
		})
	}
	time.Sleep(goingOn)
	s.note("%s is thawed", w.Name)
	_ = w.cmd.Process.Signal(syscall.SIGCONT)
	w.frozen.Store(false)
	s.figures.add(&s.mu, &s.figures.freezes)
	s.markReached(w)
}

// stopWorkers stops every worker in an orderly way.
func (s *storm) stopWorkers() {
	s.mu.Lock()
	s.over = true
	serving := slices.Clone(s.serving)
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, w := range serving {
		wg.Go(func() {
			_ = w.cmd.Process.Signal(syscall.SIGCONT)
			_ = w.cmd.Process.Signal(os.Interrupt)
			select {
			case <-w.ended:
			case <-time.After(time.Minute):
				s.Errorf("%s does not stop", w.Name)
				_ = w.cmd.Process.Signal(syscall.SIGQUIT)
				<-w.ended
			}
		})
	}
	wg.Wait()
}

var client = &http.Client{Timeout: 20 * time.Second}

// tell asks one worker after the other, until one answers that it is done.
func (s *storm) tell(path string, what, said any) bool {
	body, err := json.Marshal(what)
	if err != nil {
		s.Error(err)
		return false
	}
	for s.ctx.Err() == nil {
		if w := s.anyWorker(); w != nil && s.post(w.address+path, body, said) == nil {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.Errorf("no worker did %s", body)
	return false
}

func (s *storm) post(url string, body []byte, said any) error {
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(res.Body)
		if res.StatusCode != http.StatusConflict { // a start while the flow is held
			s.note("%s: %s", url, why)
		}
		return fmt.Errorf("%s", res.Status)
	}
	return json.NewDecoder(res.Body).Decode(said)
}
