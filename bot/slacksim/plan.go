package slacksim

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Plan is what share of all calls and deliveries goes wrong. Whether the n-th call of a method, or the n-th delivery of a type, fails
// depends on the plan alone: the same plan, begun anew, makes the same ones fail. The zero value makes none fail.
type Plan struct {
	shares map[string]float64 // percent, by the names of planKinds
	seed   uint64
	pause  time.Duration // Retry-After of a 429
	delay  time.Duration // of a late delivery
}

// planKind is one way in which a plan makes calls or deliveries fail.
type planKind struct {
	name, target, kind string
	either             bool // half of the calls take effect before they fail
}

// planKinds are in the order in which a plan's shares are laid side by side; their order is part of what a seed means.
var planKinds = []planKind{
	{name: "429", target: targetAPI, kind: fault429},
	{name: "5xx", target: targetAPI, kind: fault500, either: true},
	{name: "timeout", target: targetAPI, kind: faultTimeout, either: true},
	{name: "drop", target: targetAPI, kind: faultDrop, either: true},
	{name: "cut", target: targetSocket, kind: faultDrop},
	{name: "lost", target: targetSocket, kind: faultTimeout},
	{name: "duplicate", target: targetSocket, kind: faultDuplicate},
	{name: "late", target: targetSocket, kind: faultDelay},
}

const (
	planSyntax = "write shares in percent, as in 429=10,5xx=5,timeout=1,drop=2,cut=2,lost=2,duplicate=10,late=10,seed=7,pause=1s,delay=2s"
	planPause  = time.Second
	planDelay  = 2 * time.Second
)

// ParsePlan reads a plan: shares in percent by name, and seed, pause and delay, with commas or spaces between them; control.md lists them.
func ParsePlan(text string) (Plan, error) {
	p := Plan{shares: map[string]float64{}, pause: planPause, delay: planDelay}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		name, value, _ := strings.Cut(part, "=")
		if err := p.set(name, value); err != nil {
			return Plan{}, fmt.Errorf("%q: %w; %s", part, err, planSyntax)
		}
	}
	for _, target := range []string{targetAPI, targetSocket} {
		if sum := p.sum(target); sum > 100 {
			return Plan{}, fmt.Errorf("the shares of %s are %v %% together", target, sum)
		}
	}
	return p, nil
}

func (p *Plan) set(name, value string) (err error) {
	switch name {
	case "seed":
		p.seed, err = strconv.ParseUint(value, 10, 64)
	case "pause":
		p.pause, err = parseAfter(value)
	case "delay":
		p.delay, err = parseAfter(value)
	default:
		if !slices.ContainsFunc(planKinds, func(k planKind) bool { return k.name == name }) {
			return fmt.Errorf("there is no share %q", name)
		}
		percent, bad := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
		if bad != nil || !(percent >= 0 && percent <= 100) {
			return fmt.Errorf("%q is no percentage", value)
		}
		p.shares[name] = percent
	}
	return err
}

// UnmarshalText is [ParsePlan].
func (p *Plan) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePlan(string(text))
	return err
}

// String is the plan as ParsePlan reads it; empty when it makes nothing fail.
func (p Plan) String() string {
	var parts []string
	for _, k := range planKinds {
		if share := p.shares[k.name]; share > 0 {
			parts = append(parts, k.name+"="+strconv.FormatFloat(share, 'f', -1, 64))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(append(parts, fmt.Sprintf("seed=%d,pause=%s,delay=%s", p.seed, p.pause, p.delay)), ",")
}

func (p Plan) sum(target string) (percent float64) {
	for _, k := range planKinds {
		if k.target == target {
			percent += p.shares[k.name]
		}
	}
	return percent
}

// faultFor gives the fault of the n-th call or delivery of a name, nil for most.
func (p Plan) faultFor(target, name string, n uint64) (*planKind, *fault) {
	if p.sum(target) == 0 {
		return nil, nil
	}
	key := fnv.New64a()
	key.Write([]byte(target + " " + name))
	chance := rand.New(rand.NewPCG(p.seed^key.Sum64(), n)) //nolint:gosec // it must be possible to replay it
	at, late := chance.Float64()*100, chance.IntN(2) == 1
	for i := range planKinds {
		k := &planKinds[i]
		if k.target != target {
			continue
		}
		if at -= p.shares[k.name]; at < 0 {
			f := &fault{target: target, kind: k.kind, late: late && k.either, status: http.StatusInternalServerError + int(n%4)}
			if f.status == http.StatusNotImplemented {
				f.status = http.StatusServiceUnavailable
			}
			switch k.kind {
			case fault429:
				f.after = p.pause
			case faultDelay:
				f.after = p.delay
			}
			return k, f
		}
	}
	return nil, nil
}

// planned is the plan in force and how far it has come.
type planned struct {
	plan   Plan
	met    map[string]uint64 // calls and deliveries, by target and name
	struck map[string]int    // by the names of planKinds
}

func newPlanned(p Plan) planned {
	return planned{p, map[string]uint64{}, map[string]int{}}
}

// next counts a call or a delivery and gives its fault.
func (p *planned) next(target, name string) *fault {
	key := target + " " + name
	n := p.met[key]
	p.met[key]++
	k, f := p.plan.faultFor(target, name, n)
	if f != nil {
		p.struck[k.name]++
	}
	return f
}

// planRequest is the body of POST /control/plan.
type planRequest struct {
	Plan text `json:"plan"`
}

// controlPlan puts a plan into force, from its beginning; an empty one ends it.
func (s *Server) controlPlan(_ *http.Request, body []byte) (reply, error) {
	request, err := parse[planRequest](body)
	if err != nil {
		return nil, err
	}
	p, err := ParsePlan(string(request.Plan))
	if err != nil {
		return nil, refuse("invalid_plan", err.Error())
	}
	s.faults.begin(p)
	return reply{"plan": p.String()}, nil
}

// controlStruck gives the plan in force, and how many faults it has made of each kind.
func (s *Server) controlStruck(*http.Request, []byte) (reply, error) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	return reply{"plan": s.faults.planned.plan.String(), "struck": maps.Clone(s.faults.planned.struck), "limits": s.rates.current()}, nil
}
