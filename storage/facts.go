package storage

import "context"

// FactsAtOnce is how many facts are read at a time.
const FactsAtOnce = 200

// pageMost is how many bytes of bodies a page of facts may have before the next one has fewer facts.
const pageMost = 1 << 20

// FactReader is the part of a Store that EachFact needs.
type FactReader interface {
	SomeFacts(ctx context.Context, run string, after int64, limit int, kinds ...string) ([]Fact, error)
}

// EachFact gives a run's facts with Seq > after one by one, in order, until visit returns an error; kinds narrows them when given. What a
// run stores meanwhile comes, too. It reads a few facts at a time, fewer when they are large.
func EachFact(ctx context.Context, s FactReader, run string, after int64, visit func(Fact) error, kinds ...string) error {
	limit := FactsAtOnce / 20
	for {
		facts, err := s.SomeFacts(ctx, run, after, limit, kinds...)
		if err != nil {
			return err
		}
		size := 0
		for _, f := range facts {
			size += len(f.Body)
			if err := visit(f); err != nil {
				return err
			}
		}
		if len(facts) < limit {
			return nil
		}
		after = facts[len(facts)-1].Seq
		if limit = min(2*limit, FactsAtOnce); size > pageMost {
			limit = max(1, len(facts)*pageMost/size)
		}
	}
}

// Copy names facts of a run that another one begins with: those behind the first, up to Last.
type Copy struct {
	Run  string
	Last int64
}

// behind is how many facts are copied.
func (c *Copy) behind() int64 {
	if c == nil {
		return 0
	}
	return max(c.Last-1, 0)
}

// Len is how many facts the write adds.
func (w *RunWrite) Len() int { return len(w.Facts) + int(w.Copy.behind()) }
