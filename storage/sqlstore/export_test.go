package sqlstore

import (
	"context"
	"fmt"

	"sluice/storage"
)

// Observe shows every statement before it is used.
func (s *Store) Observe(see func(query string)) {
	for _, db := range []*DB{s.read, s.write} {
		db.mu.Lock()
		db.observe = see
		db.mu.Unlock()
	}
}

// Raw executes statements past the store.
func (s *Store) Raw(ctx context.Context, statements string) error {
	_, err := s.write.ExecContext(ctx, statements)
	return err
}

// ReadLines is Lines on a connection for reading.
func (s *Store) ReadLines(ctx context.Context, query string, args ...any) ([][]any, error) {
	return lines(ctx, s.read, query, args)
}

// Lines returns the columns of a query's rows, on a connection for writing.
func (s *Store) Lines(ctx context.Context, query string, args ...any) ([][]any, error) {
	return lines(ctx, s.write, query, args)
}

func lines(ctx context.Context, db *DB, query string, args []any) ([][]any, error) {
	rows, err := db.QueryxContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	var lines [][]any
	for rows.Next() {
		line, err := rows.SliceScan()
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}

// WriteTogether executes writes as one group, whatever else goes on.
func (s *Store) WriteTogether(ctx context.Context, batches ...*storage.Batch) ([]error, error) {
	group := make([][]Part, len(batches))
	for i, b := range batches {
		var err error
		if group[i], err = parts(b); err != nil {
			return nil, err
		}
		if s.dialect.Kind(group[i]) == "" {
			return nil, fmt.Errorf("write %d does not go with others", i)
		}
	}
	return s.dialect.ApplyAll(ctx, group)
}
