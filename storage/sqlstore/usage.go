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
	useColumns   = []Column{{"person", Text}, {"day", Text}, {"provider", Text}, {"tokens", Int}, {"nano", Int}}
	using        = table{
		"model_use", useColumns,
		"ON CONFLICT (person, day, provider) DO UPDATE SET tokens = model_use.tokens + excluded.tokens, nano = model_use.nano + excluded.nano",
	}
)

// usageStore has what models cost, by flow and by person.
type usageStore struct{ *database }

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
func (s usageStore) Spent(ctx context.Context, flow, month string) (float64, error) {
	var n int64
	err := s.get(ctx, s.read, &n, "SELECT nano FROM spend WHERE flow = $1 AND month = $2", flow, month)
	if err = s.Wrap(ctx, err, "read what "+flow+" has spent"); errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	return float64(n) / nano, err
}

// RemoveSpend takes what was spent in months before this one away, up to limit rows.
func (s usageStore) RemoveSpend(ctx context.Context, before string, limit int) (int, error) {
	const query = `DELETE FROM spend WHERE (flow, month) IN (SELECT flow, month FROM spend WHERE month < $1 ORDER BY month LIMIT $2)`
	n, err := s.exec(ctx, "remove what was spent long ago", query, before, atMost(limit))
	return int(n), err
}

// useRows adds to what was used, alone for the same reason.
func useRows(list []storage.ModelUse) Part {
	sum := map[storage.ModelUse]storage.ModelUse{}
	key := func(u storage.ModelUse) storage.ModelUse {
		return storage.ModelUse{Person: u.Person, Day: u.Day, Provider: u.Provider}
	}
	for _, u := range list {
		was := sum[key(u)]
		sum[key(u)] = storage.ModelUse{Tokens: was.Tokens + u.Tokens, USD: was.USD + u.USD}
	}
	var rows [][]any
	for _, u := range newest(list, func(u storage.ModelUse) any { return key(u) }) {
		all := sum[key(u)]
		rows = append(rows, []any{u.Person, u.Day, u.Provider, int64(all.Tokens), int64(math.Round(all.USD * nano))})
	}
	p := using.part(rows)
	p.Must, p.Else = len(rows), storage.ErrConflict
	return p
}

// Used gives what a person has used of a model provider in a day.
func (s usageStore) Used(ctx context.Context, person, day, provider string) (storage.ModelUse, error) {
	u := storage.ModelUse{Person: person, Day: day, Provider: provider}
	var row struct{ Tokens, Nano int64 }
	err := s.get(ctx, s.read, &row, "SELECT tokens, nano FROM model_use WHERE person = $1 AND day = $2 AND provider = $3", person, day, provider)
	if err = s.Wrap(ctx, err, "read what a person has used of "+provider); errors.Is(err, storage.ErrNotFound) {
		return u, nil
	}
	u.Tokens, u.USD = int(row.Tokens), float64(row.Nano)/nano
	return u, err
}

// RemoveUse takes what people used of models before this day away, up to limit rows.
func (s usageStore) RemoveUse(ctx context.Context, before string, limit int) (int, error) {
	const query = `DELETE FROM model_use WHERE (person, day, provider) IN (SELECT person, day, provider FROM model_use WHERE day < $1 ORDER BY day LIMIT $2)`
	n, err := s.exec(ctx, "remove what people used of models long ago", query, before, atMost(limit))
	return int(n), err
}
