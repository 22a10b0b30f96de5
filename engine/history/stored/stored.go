// Package stored reads and writes the facts of runs in the store: their codec, a run's facts one after the other, and the results of a
// foreach, which are facts of their own.
//
// The package knows no machine and no SQL, and keeps nothing. Look next at engine/history, which has the facts and what they mean, and at
// engine/runner, which writes them.
package stored

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"sluice/engine/history"
	"sluice/storage"
)

// Reader is the part of the store that has the facts.
type Reader interface {
	SomeFacts(ctx context.Context, run string, after int64, limit int, kinds ...string) ([]storage.Fact, error)
	FactsBySeq(ctx context.Context, run string, seqs []int64) ([]storage.Fact, error)
}

// Encode gives the row of a fact.
func Encode(runID string, f history.Fact) (storage.Fact, error) {
	actor, body, err := history.Encode(f)
	if err != nil {
		return storage.Fact{}, fmt.Errorf("encode fact %d (%s): %w", f.Seq, f.Kind, err)
	}
	return storage.Fact{
		Run: runID, Seq: f.Seq, Kind: string(f.Kind), Version: f.Version, At: f.At, Actor: actor,
		Token: f.Token, Node: f.Node, Step: f.Step, Body: body,
	}, nil
}

// decode reads the row of a fact.
func decode(s storage.Fact) (history.Fact, error) {
	f, err := history.DecodeFact(history.Fact{
		Seq: s.Seq, Kind: history.FactKind(s.Kind), Version: s.Version, At: s.At, Token: s.Token, Node: s.Node, Step: s.Step,
	}, s.Actor, s.Body)
	if err != nil {
		return f, fmt.Errorf("decode fact %d (%s): %w", s.Seq, s.Kind, err)
	}
	return f, nil
}

// Page gives some facts of a run behind one, in order: storage.FactsAtOnce of them, or fewer when there are no more.
func Page(ctx context.Context, r Reader, id string, after int64) ([]history.Fact, error) {
	rows, err := r.SomeFacts(ctx, id, after, storage.FactsAtOnce)
	if err != nil {
		return nil, err
	}
	return decodeAll(rows)
}

// BySeq gives the named facts of a run, in order.
func BySeq(ctx context.Context, r Reader, id string, seqs ...int64) ([]history.Fact, error) {
	rows, err := r.FactsBySeq(ctx, id, seqs)
	if err != nil {
		return nil, err
	}
	return decodeAll(rows)
}

func decodeAll(rows []storage.Fact) ([]history.Fact, error) {
	facts := make([]history.Fact, len(rows))
	for i, s := range rows {
		var err error
		if facts[i], err = decode(s); err != nil {
			return nil, err
		}
	}
	return facts, nil
}

// Each gives a run's facts behind one, of some kinds or all, in order and one by one.
func Each(ctx context.Context, r Reader, id string, after int64, visit func(history.Fact) error, kinds ...string) error {
	return storage.EachFact(ctx, r, id, after, func(sf storage.Fact) error {
		f, err := decode(sf)
		if err != nil {
			return err
		}
		return visit(f)
	}, kinds...)
}

// All gives a run's facts one after the other, and at the end an error when they cannot be read.
func All(ctx context.Context, r Reader, id string) iter.Seq2[history.Fact, error] {
	enough := errors.New("no more facts are asked for")
	return func(yield func(history.Fact, error) bool) {
		err := Each(ctx, r, id, 0, func(f history.Fact) error {
			if !yield(f, nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(history.Fact{}, err)
		}
	}
}

// Start gives the first fact of a run: its inputs and who asked for it.
func Start(ctx context.Context, r Reader, id string) (*history.RunStarted, error) {
	facts, err := BySeq(ctx, r, id, 1)
	if err != nil {
		return nil, err
	}
	for _, f := range facts {
		if s, ok := f.Body.(*history.RunStarted); ok {
			return s, nil
		}
	}
	return nil, fmt.Errorf("run %s has no first fact", id)
}
