package project

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"sluice/bot/surface"
	"sluice/storage"
)

// turns decides which surface is next. Urgent surfaces come before all others. Surfaces form shares, by kind and by person or channel, and
// shares take turns. A turn of a kind with weight 4 costs a quarter of one with weight 1. A share that was empty for a while starts where
// the others are now: turns cannot be saved up.
type turns struct {
	used map[string]float64 // the cost of the turns that each share has had
	now  float64            // what the share that was served last had used before that turn
}

// shareOf names the share of a surface: its kind, and its person if it is for one person, else its channel.
func shareOf(s storage.Surface) string {
	if s.User != "" {
		return s.Kind + " " + s.User
	}
	return s.Kind + " " + s.Channel
}

// order sorts surfaces by the turns of their shares. Surfaces of one share keep their order.
func (t *turns) order(list []storage.Surface, urgent func(storage.Surface) bool) []storage.Surface {
	type placed struct {
		storage.Surface
		group int // 0 = urgent
		at    float64
	}
	next := map[string]float64{}
	out := make([]placed, 0, len(list))
	for _, s := range list {
		share := shareOf(s)
		at, ok := next[share]
		if !ok {
			at = max(t.now, t.used[share])
		}
		next[share] = at + turnCost(s)
		group := 1
		if urgent(s) {
			group = 0
		}
		out = append(out, placed{s, group, at})
	}
	slices.SortStableFunc(out, func(a, b placed) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.at, b.at)) })
	sorted := make([]storage.Surface, len(out))
	for i, p := range out {
		sorted[i] = p.Surface
	}
	return sorted
}

func turnCost(s storage.Surface) float64 { return 1 / float64(kindOf(s.Kind).weight) }

// took charges a surface's share for a turn.
func (t *turns) took(s storage.Surface) {
	share := shareOf(s)
	start := max(t.now, t.used[share])
	t.now, t.used[share] = start, start+turnCost(s)
	if len(t.used) > sharesMost {
		maps.DeleteFunc(t.used, func(_ string, used float64) bool { return used <= t.now })
	}
}

const (
	sharesMost   = 10_000
	sendsMost    = 16 // sent at a time, of what is not urgent
	urgentMost   = 16 // of what is urgent, beside
	channelMost  = 4  // in one channel, of what is urgent and of what is not
	personMost   = 2  // to one person
	perShareMost = 20 // rows that are looked at of each share
)

// busy counts the surfaces being sent, so that a channel or person for whom sending hangs uses up only its own slots.
type busy struct {
	surfaces map[string]bool
	threads  map[string]bool // threads in which a surface of an ordered kind is being posted, and people who are being sent one
	places   map[string]int  // by channel or person
	urgent   int
	others   int
}

func newBusy() busy {
	return busy{surfaces: map[string]bool{}, threads: map[string]bool{}, places: map[string]int{}}
}

// job is a surface being sent, and the slots that it holds meanwhile.
type job struct {
	storage.Surface
	urgent        bool
	thread, place string // thread "" = it may be sent beside all others
	probe         string // the cause for which it is sent to find out whether that is over; "" = none
	term          *term
}

func newJob(s storage.Surface, urgent bool) job {
	j := job{Surface: s, urgent: urgent, place: s.Channel}
	if s.User != "" {
		j.place = "@" + s.User
	}
	if urgent {
		j.place = "urgent " + j.place
	}
	switch k := kindOf(s.Kind); {
	case k.ordered && s.User != "":
		j.thread = s.Channel + " @" + s.User
	case k.ordered && s.Thread != "":
		j.thread = s.Channel + " " + s.Thread
	case k.ordered && k.reply: // in the thread of its run
		run, _, _ := strings.Cut(surface.RefID(s.Ref), "/")
		j.thread = s.Channel + " " + run
	}
	return j
}

// take reserves the slots for a surface; false = they are taken.
func (b *busy) take(j job) bool {
	most := channelMost
	if j.User != "" {
		most = personMost
	}
	switch {
	case b.surfaces[j.ID], j.thread != "" && b.threads[j.thread]:
		return false
	case j.urgent && b.urgent >= urgentMost, !j.urgent && b.others >= sendsMost, b.places[j.place] >= most:
		return false
	}
	b.surfaces[j.ID] = true
	if j.thread != "" {
		b.threads[j.thread] = true
	}
	b.places[j.place]++
	if j.urgent {
		b.urgent++
	} else {
		b.others++
	}
	return true
}

// leave frees the slots.
func (b *busy) leave(j job) {
	delete(b.surfaces, j.ID)
	delete(b.threads, j.thread)
	if j.urgent {
		b.urgent--
	} else {
		b.others--
	}
	if b.places[j.place]--; b.places[j.place] == 0 {
		delete(b.places, j.place)
	}
}
