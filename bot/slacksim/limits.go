package slacksim

import (
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// The rate limits that Slack documents: by method, and for new messages by channel. Other methods have Slack's tiers.
const (
	limitPost      = 60  // new messages a minute in one channel
	limitPostBurst = 15  // of them at once, however high the limits are: Slack lets short bursts pass
	limitWorkspace = 400 // new messages a minute in all: Slack says "several hundred"
	limitUpdate    = 50  // edits a minute (tier 3)
	limitTierTwo   = 20
	limitTierThree = 50
	limitTierFour  = 100
)

// methodLimits are the calls a minute of the methods that are in another tier than the third.
var methodLimits = map[string]int{
	"chat.update": limitUpdate, "chat.postEphemeral": limitTierFour,
	"users.list": limitTierTwo, "usergroups.list": limitTierTwo, "usergroups.users.list": limitTierTwo, "conversations.list": limitTierTwo,
	"users.info": limitTierFour, "auth.test": limitTierFour * 6, "apps.connections.open": limitTierFour, "files.info": limitTierFour,
	"files.getUploadURLExternal": limitTierFour, "files.completeUploadExternal": limitTierFour, "conversations.members": limitTierFour,
	"views.open": limitTierFour, "views.publish": limitTierFour, "views.update": limitTierFour, "views.push": limitTierFour,
}

// rates answer 429 to calls beyond what Slack allows. Off until they are asked for.
type rates struct {
	mu       sync.Mutex
	times    float64 // Slack's limits are multiplied by this; 0 = no limits
	buckets  map[string]*rate.Limiter
	allowed  map[string]int // calls by method
	exceeded map[string]int // those that were refused
}

func newRates(times float64) *rates {
	l := &rates{}
	l.set(times)
	return l
}

// set begins to count anew, with so many times Slack's limits.
func (l *rates) set(times float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times, l.buckets, l.allowed, l.exceeded = times, map[string]*rate.Limiter{}, map[string]int{}, map[string]int{}
}

// take counts a call, and says how long to wait when it is one too many.
func (l *rates) take(method string, a args) (wait time.Duration, over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.times == 0 {
		l.allowed[method]++
		return 0, false
	}
	buckets := l.of(method, a)
	for _, b := range buckets {
		if short := 1 - b.Tokens(); short > 0 {
			wait = max(wait, time.Duration(short/float64(b.Limit())*float64(time.Second)))
		}
	}
	if wait > 0 {
		l.exceeded[method]++
		return wait, true
	}
	for _, b := range buckets {
		b.Allow()
	}
	l.allowed[method]++
	return 0, false
}

// of finds what a call takes from: the bucket of its method, for new messages those of the channel and of the workspace. A minute's calls may
// come at once, but new messages may not.
func (l *rates) of(method string, a args) []*rate.Limiter {
	if method == "chat.postMessage" {
		return []*rate.Limiter{
			l.bucket(method+" "+a.str("channel"), limitPost, limitPostBurst),
			l.bucket(method, limitWorkspace, int(limitWorkspace*l.times/4)),
		}
	}
	minute := methodLimits[method]
	if minute == 0 {
		minute = limitTierThree
	}
	return []*rate.Limiter{l.bucket(method, minute, int(float64(minute)*l.times))}
}

func (l *rates) bucket(key string, minute, burst int) *rate.Limiter {
	b := l.buckets[key]
	if b == nil {
		b = rate.NewLimiter(rate.Limit(float64(minute)*l.times/60), max(1, burst))
		l.buckets[key] = b
	}
	return b
}

// current is how many times Slack's limits are in force; 0 = no limits.
func (l *rates) current() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.times
}

// limitsRequest is the body of POST /control/limits.
type limitsRequest struct {
	Times float64 `json:"times"`
}

func (s *Server) controlLimits(_ *http.Request, body []byte) (reply, error) {
	request, err := parse[limitsRequest](body)
	if err != nil {
		return nil, err
	}
	if request.Times < 0 {
		return nil, refuse("invalid_limits", fmt.Sprintf("times %v: use 0 for no limits, 1 for Slack's", request.Times))
	}
	s.rates.set(request.Times)
	return reply{}, nil
}

func (s *Server) controlCalls(*http.Request, []byte) (reply, error) {
	s.rates.mu.Lock()
	defer s.rates.mu.Unlock()
	return reply{"allowed": maps.Clone(s.rates.allowed), "exceeded": maps.Clone(s.rates.exceeded)}, nil
}
