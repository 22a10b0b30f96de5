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

// worker is a process that serves.
type worker struct {
	orders
	cmd    *exec.Cmd
	desk   string // its address
	lines  *bufio.Scanner
	log    *strings.Builder // read when it has ended
	frozen atomic.Bool
	slept  atomic.Bool // it was frozen once
	killed atomic.Bool // from outside
	met    bool        // guarded by storm.mu: what was to befall it has done so
	ended  chan struct{}
}

// hire starts a worker, with the next fate.
func (s *storm) hire() {
	s.mu.Lock()
	s.hired++
	o := orders{Name: fmt.Sprint("worker-", s.hired), SQLite: s.path, Outside: s.outside.URL, Model: s.model.URL, Fate: &fate{}}
	if len(s.fates) > 0 {
		o.Fate, s.fates = s.fates[0], s.fates[1:]
	} else if s.destiny != nil {
		o.Fate = s.destiny(s.r)
	}
	s.mu.Unlock()
	if s.proxy != nil {
		o.Postgres = s.proxy.URL
	}
	for s.ctx.Err() == nil {
		w, err := s.employ(o)
		if err == nil {
			s.note("%s serves; its fate: %s", o.Name, o.Fate)
			s.mu.Lock()
			s.staff = append(s.staff, w)
			s.mu.Unlock()
			go s.attend(w)
			return
		}
		s.note("%s does not serve: %v", o.Name, err) // as long as there is no database
		time.Sleep(100 * time.Millisecond)
	}
}

// employ starts a process and waits until it serves.
func (s *storm) employ(o orders) (*worker, error) {
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
	if _, err := w.cmd.StdinPipe(); err != nil { // nobody closes it: its end is the end of this process
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	w.lines = bufio.NewScanner(out)
	if w.lines.Scan() {
		w.desk, _ = strings.CutPrefix(w.lines.Text(), "serves ")
	}
	if w.desk == "" {
		_ = w.cmd.Wait()
		return nil, fmt.Errorf("it wrote %s", w.log)
	}
	return w, nil
}

// attend sees a worker to its end, and hires another one in its place.
func (s *storm) attend(w *worker) {
	defer close(w.ended)
	for w.lines.Scan() {
		s.note("%s is %s", w.Name, w.lines.Text())
		switch w.lines.Text() {
		case "frozen":
			w.frozen.Store(true)
			w.slept.Store(true)
			s.mu.Lock()
			s.fallen = append(s.fallen, time.Now())
			s.mu.Unlock()
			go s.thaw(w)
		case "spared":
			s.fulfil(w)
		}
	}
	err := w.cmd.Wait()
	died := time.Now()
	s.mu.Lock()
	s.fallen = append(s.fallen, died)
	over := s.over
	s.staff = slices.DeleteFunc(s.staff, func(o *worker) bool { return o == w })
	heirs := slices.Clone(s.staff)
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
	go s.watchEstate(w.Name, died, heirs)
	s.hire()
}

// count puts a death into the figures.
func (s *storm) count(w *worker, byItself bool) {
	switch {
	case w.killed.Load():
		s.figures.add(&s.mu, &s.figures.kills)
		s.passOn(w)
	case byItself:
		s.passOn(w)
	default:
		s.figures.died(&s.mu, w.Fate.At)
		s.fulfil(w)
	}
}

// fulfil notes that a worker has met its fate.
func (s *storm) fulfil(w *worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !w.met {
		w.met = true
		s.met++
	}
}

// passOn leaves to the next worker what did not befall this one.
func (s *storm) passOn(w *worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !w.met && w.Fate.At != "" && s.met < s.must {
		s.fates = append(s.fates, &fate{At: w.Fate.At, Nth: w.Fate.Nth, Freeze: w.Fate.Freeze})
	}
}

// watchEstate measures until no process waits any more for what a dead worker held. heirs were there when it died: a process that comes
// later has to look on for longer until it can tell.
func (s *storm) watchEstate(name string, died time.Time, heirs []*worker) {
	s.mu.Lock()
	shaken := s.shaken
	s.mu.Unlock()
	for first := true; s.ctx.Err() == nil; first = false {
		left := 0
		if !s.ask("look for what a worker has left", func(ctx context.Context) error {
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
			case first || s.shaken != shaken:
			case s.sqlite || slices.ContainsFunc(heirs, func(h *worker) bool { return slices.Contains(s.staff, h) && !h.slept.Load() }):
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
	asleep  = 6 * time.Second // how long a frozen worker stays so at least: as long as it takes to be thought dead
	goingOn = 3 * time.Second // how long the others have to bring to an end what they have taken from it
)

// thaw lets a frozen worker go on when the others have taken what it held, or when all of them are frozen, too.
func (s *storm) thaw(w *worker) {
	time.Sleep(asleep)
	for left := 1; left > 0 && s.somebody() != nil && s.ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		s.ask("look for what a frozen worker held", func(ctx context.Context) error {
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
	s.fulfil(w)
}

// dismiss ends the workers in order.
func (s *storm) dismiss() {
	s.mu.Lock()
	s.over = true
	staff := slices.Clone(s.staff)
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, w := range staff {
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

// tell makes one worker after the other do something, until one says that it is done.
func (s *storm) tell(path string, what, said any) bool {
	body, err := json.Marshal(what)
	if err != nil {
		s.Error(err)
		return false
	}
	for s.ctx.Err() == nil {
		if w := s.somebody(); w != nil && s.post(w.desk+path, body, said) == nil {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.Errorf("nobody did %s", body)
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
		if res.StatusCode != http.StatusConflict { // a start while somebody holds the flow
			s.note("%s: %s", url, why)
		}
		return fmt.Errorf("%s", res.Status)
	}
	return json.NewDecoder(res.Body).Decode(said)
}
