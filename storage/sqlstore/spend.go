package sqlstore

import (
	"context"
	"errors"
	"math"

	"sluice/storage"
)

// nano is how many of the stored units make a USD: small enough for a token, and whole numbers add up without an error.
const nano = 1e9

var (
	spendColumns = []Column{{"flow", Text}, {"month", Text}, {"nano", Int}}
	spending     = table{"spend", spendColumns, "ON CONFLICT (flow, month) DO UPDATE SET nano = spend.nano + excluded.nano"}
)

// spendRows adds to what was spent. It must touch its rows, and so goes alone: two writes that meet would touch one row twice.
func spendRows(list []storage.Spend) Part {
	sum := map[storage.Spend]float64{}
	for _, s := range list {
		sum[storage.Spend{Flow: s.Flow, Month: s.Month}] += s.USD
	}
	var rows [][]any
	for _, s := range newest(list, func(s storage.Spend) any { return [2]string{s.Flow, s.Month} }) {
		usd := sum[storage.Spend{Flow: s.Flow, Month: s.Month}]
		rows = append(rows, []any{s.Flow, s.Month, int64(math.Round(usd * nano))})
	}
	p := spending.part(rows)
	p.Must, p.Else = len(rows), storage.ErrConflict
	return p
}

// Spent gives what the runs of a flow have spent in a month, in USD.
func (s *Store) Spent(ctx context.Context, flow, month string) (float64, error) {
	var n int64
	err := s.get(ctx, s.read, &n, "SELECT nano FROM spend WHERE flow = $1 AND month = $2", flow, month)
	if err = s.Wrap(ctx, err, "read what "+flow+" has spent"); errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	return float64(n) / nano, err
}
