package slacksim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The targets of faults.
const (
	targetAPI    = "api"
	targetSocket = "socket"
	targetShop   = "shop"
)

// Effects of a fault.
const (
	fault429       = "429"       // api: answer 429 with Retry-After
	fault500       = "500"       // api: answer 500
	faultTimeout   = "timeout"   // api: never answer; socket: lose the ack
	faultDrop      = "drop"      // api: cut the connection; socket: cut it instead of delivering
	faultDuplicate = "duplicate" // api: do it twice; socket: deliver it twice
	faultDelay     = "delay"     // wait first
	faultHold      = "hold"      // wait for a release first
	faultRefuse    = "refuse"    // api: answer with an error of Slack's, such as token_revoked
)

// The time of an api fault, in place of a duration: before the call takes effect, or after.
const (
	beforeAct = "before_act"
	afterAct  = "after_act"
)

type fault struct {
	target, method, path, kind string

	after    time.Duration // of a delay, and Retry-After of a 429
	late     bool          // the call fails after it took effect
	status   int           // of a 500; 0 = 500
	times    int
	code     string // of a refusal
	contains string // only calls with an argument that has this in it; "" = all
	percent  int    // of the calls that match fail; 0 = all
	met      int    // calls that matched
	released <-chan struct{}
}

// faults are struck by the first call that matches, in the order in which they were set; a call that matches none is one of the plan's.
type faults struct {
	mu      sync.Mutex
	list    []*fault
	planned planned
	free    chan struct{} // closed and replaced by release
}

func newFaults(p Plan) *faults { return &faults{planned: newPlanned(p), free: make(chan struct{})} }

// begin puts a plan into force.
func (f *faults) begin(p Plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.planned = newPlanned(p)
}

// faultRequest is the body of POST /control/fault.
type faultRequest struct {
	Target string `json:"target"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	Times  number `json:"times"`
	After  text   `json:"after"`
	Error  string `json:"error"`
	// Contains limits the fault to calls with this text in one of their arguments: one message among others.
	Contains string `json:"contains"`
	// Percent of the calls that match fail, evenly spread.
	Percent number `json:"percent"`
}

func (r faultRequest) fault() (*fault, error) {
	kinds := map[string][]string{
		targetAPI:    {fault429, fault500, faultTimeout, faultDrop, faultDuplicate, faultDelay, faultHold, faultRefuse},
		targetSocket: {faultTimeout, faultDrop, faultDuplicate, faultDelay, faultHold},
	}[r.Target]
	if kinds == nil {
		return nil, fmt.Errorf("target %q: use api, socket or shop", r.Target)
	}
	if !slices.Contains(kinds, r.Kind) {
		return nil, fmt.Errorf("kind %q does not apply to %s: use %s", r.Kind, r.Target, strings.Join(kinds, ", "))
	}
	if (r.Kind == faultRefuse) != (r.Error != "") {
		return nil, errors.New("refuse, and nothing else, names an error, such as token_revoked")
	}
	if r.Percent < 0 || r.Percent > 100 {
		return nil, errors.New("percent: use 1 to 100")
	}
	f := &fault{target: r.Target, method: r.Method, path: r.Path, kind: r.Kind, times: max(1, int(r.Times)), code: r.Error, contains: r.Contains, percent: int(r.Percent)}
	switch after := string(r.After); after {
	case "", beforeAct:
	case afterAct:
		f.late = true
	default:
		d, err := parseAfter(after)
		if err != nil {
			return nil, err
		}
		f.after = d
	}
	return f, nil
}

// parseAfter reads milliseconds, or a duration with its unit.
func parseAfter(after string) (time.Duration, error) {
	if ms, err := strconv.Atoi(after); err == nil {
		return time.Duration(ms) * time.Millisecond, nil
	}
	d, err := time.ParseDuration(after)
	if err != nil {
		return 0, fmt.Errorf("after %q: use milliseconds, a duration as 2s, before_act or after_act", after)
	}
	return d, nil
}

func (f *faults) set(added *fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, added)
}

// clear forgets all faults and the plan, and frees what they hold.
func (f *faults) clear() {
	f.mu.Lock()
	f.list, f.planned.plan = nil, Plan{}
	f.mu.Unlock()
	f.release()
}

func (f *faults) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.free)
	f.free = make(chan struct{})
}

func (f *faults) takeAPI(method string, a args) *fault {
	return f.take(targetAPI, method, func(one *fault) bool {
		return one.concerns(a) && one.target == targetAPI && (one.method == "" || one.method == method) &&
			(one.path == "" || one.path == "/api/"+method)
	})
}

// concerns says whether a call has what a fault is about in one of its arguments.
func (f *fault) concerns(a args) bool {
	if f.contains == "" {
		return true
	}
	for name := range a {
		if strings.Contains(a.str(name), f.contains) {
			return true
		}
	}
	return false
}

func (f *faults) takeSocket(e envelope) *fault {
	return f.take(targetSocket, e.kind, func(one *fault) bool {
		return one.target == targetSocket && (one.method == "" || one.method == e.kind || one.method == e.name)
	})
}

func (f *faults) take(target, name string, matches func(*fault) bool) *fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.list, func(one *fault) bool { return matches(one) && one.due() })
	if i < 0 {
		struck := f.planned.next(target, name)
		if struck != nil {
			struck.released = f.free
		}
		return struck
	}
	f.list[i].times--
	struck := *f.list[i]
	struck.released = f.free
	if f.list[i].times == 0 {
		f.list = slices.Delete(f.list, i, i+1)
	}
	return &struck
}

// due counts a call that matches, and reports whether it is one that fails.
func (f *fault) due() bool {
	if f.percent == 0 {
		return true
	}
	f.met++
	return f.met*f.percent/100 > (f.met-1)*f.percent/100
}

// wait lets a delay pass, or waits for the release of a hold or a timeout.
func (f *fault) wait(ctx context.Context) {
	var passed <-chan time.Time
	if f.kind == faultDelay {
		timer := time.NewTimer(f.after)
		defer timer.Stop()
		passed = timer.C
	}
	select {
	case <-passed:
	case <-f.released:
	case <-ctx.Done():
	}
}
