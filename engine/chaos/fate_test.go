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

// fate is what befalls a worker: at the n-th passing of a position it kills itself, or freezes until somebody thaws it.
type fate struct {
	At     runner.Position
	Nth    int
	Freeze bool

	mu      sync.Mutex
	turned  *sync.Cond // something below has changed
	passed  int
	still   bool // nobody may begin an act
	waiting int  // hands that are about to begin one
	acts    int  // hands between before_act and after_act
	sent    int  // of those, the ones whose request was written to the last byte
	held    int  // of those, the ones that stand still before a call
}

func (f *fate) String() string {
	switch {
	case f.At == "":
		return "nothing"
	case f.Freeze:
		return fmt.Sprintf("freezes at %s %d", f.At, f.Nth)
	}
	return fmt.Sprintf("dies at %s %d", f.At, f.Nth)
}

// pass is the hook.
func (f *fate) pass(at runner.Position) {
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
		f.turned.Broadcast()
		for f.still {
			f.turned.Wait()
		}
		f.waiting--
		f.acts++
	case runner.AtBeforeCall:
		f.held++
		f.turned.Broadcast()
		for f.still {
			f.turned.Wait()
		}
		f.held--
	case runner.AtAfterAct:
		f.acts--
		f.turned.Broadcast()
	}
}

const (
	// patience is how long a worker waits until it can freeze without being caught in the middle of sending.
	patience = 5 * time.Second
	// gathering is how long it waits until some more of its hands are about to act.
	gathering = time.Second
	enough    = 3
)

// freeze stops the whole process, once no act is between the look at the lease and the last byte of its request.
func (f *fate) freeze() {
	f.still = true
	defer func() {
		f.still = false
		f.turned.Broadcast()
	}()
	for _, d := range []time.Duration{gathering, patience} {
		defer time.AfterFunc(d, f.turned.Broadcast).Stop()
	}
	for begun := time.Now(); f.acts != f.sent+f.held || f.waiting < enough && time.Since(begun) < gathering; f.turned.Wait() {
		if time.Since(begun) >= patience {
			fmt.Println("spared")
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

// watched notes when the requests of a tool have been sent.
func (f *fate) watched(t tool.Tool) tool.Tool {
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
			f.turned.Broadcast()
		}
		defer turn(false, true)
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { turn(true, false) }})
		return call(ctx, c)
	}
	return t
}
