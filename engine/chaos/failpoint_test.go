package chaos_test

import (
	"context"
	"fmt"
	"net/http/httptrace"
	"os"
	"sync"
	"syscall"
	"time"

	"sluice/engine/runner"
	"sluice/engine/tool"
)

// failpoint is where a worker fails: at the n-th passing of a position it kills itself, or freezes until the test thaws it.
type failpoint struct {
	At     runner.Position
	Nth    int
	Freeze bool

	mu      sync.Mutex
	changed *sync.Cond // signalled when a field below has changed
	passed  int
	blocked bool // no act may begin
	waiting int  // goroutines that are about to begin an act
	acts    int  // goroutines between before_act and after_act
	sent    int  // those of acts whose request was written to the last byte
	held    int  // those of acts that wait before a call
}

func (f *failpoint) String() string {
	switch {
	case f.At == "":
		return "nothing"
	case f.Freeze:
		return fmt.Sprintf("freezes at %s %d", f.At, f.Nth)
	}
	return fmt.Sprintf("dies at %s %d", f.At, f.Nth)
}

// pass is the hook.
func (f *failpoint) pass(at runner.Position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at == f.At {
		f.passed++
		switch {
		case f.passed != f.Nth:
		case f.Freeze:
			f.freeze()
		default:
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	switch at {
	case runner.AtBeforeAct:
		f.waiting++
		f.changed.Broadcast()
		for f.blocked {
			f.changed.Wait()
		}
		f.waiting--
		f.acts++
	case runner.AtBeforeCall:
		f.held++
		f.changed.Broadcast()
		for f.blocked {
			f.changed.Wait()
		}
		f.held--
	case runner.AtAfterAct:
		f.acts--
		f.changed.Broadcast()
	}
}

const (
	// patience is how long a worker waits until it can freeze without being caught in the middle of sending.
	patience = 5 * time.Second
	// gatherTime is how long it waits until some more of its goroutines are about to act.
	gatherTime = time.Second
	enough     = 3
)

// freeze stops the whole process, once no act is between the look at the lease and the last byte of its request.
func (f *failpoint) freeze() {
	f.blocked = true
	defer func() {
		f.blocked = false
		f.changed.Broadcast()
	}()
	for _, d := range []time.Duration{gatherTime, patience} {
		defer time.AfterFunc(d, f.changed.Broadcast).Stop()
	}
	for begun := time.Now(); f.acts != f.sent+f.held || f.waiting < enough && time.Since(begun) < gatherTime; f.changed.Wait() {
		if time.Since(begun) >= patience {
			fmt.Println("not frozen")
			return
		}
	}
	fmt.Println("frozen")
	stopped := time.Now()
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	// The signal may take a moment: the process was frozen when its clock has jumped.
	for last := stopped; time.Since(last) < time.Second && time.Since(stopped) < patience; time.Sleep(time.Millisecond) {
		last = time.Now()
	}
}

// watched counts the requests of a tool that have been sent.
func (f *failpoint) watched(t tool.Tool) tool.Tool {
	call := t.Call
	t.Call = func(ctx context.Context, c tool.Call) (tool.Result, error) {
		written, over := false, false
		turn := func(sent, ends bool) {
			f.mu.Lock()
			defer f.mu.Unlock()
			switch {
			case over:
			case sent && !written:
				written = true
				f.sent++
			case ends && written:
				f.sent--
			}
			over = over || ends
			f.changed.Broadcast()
		}
		defer turn(false, true)
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { turn(true, false) }})
		return call(ctx, c)
	}
	return t
}
