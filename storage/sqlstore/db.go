package sqlstore

import (
	"context"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
)

// DB is a pool of connections with a cache of prepared statements. It is safe for concurrent use.
type DB struct {
	*sqlx.DB
	mu         sync.Mutex
	statements map[string]*sqlx.Stmt
	observe    func(query string) // for tests: sees the text of every statement before it is used
}

// NewDB makes a DB of a pool, which it owns from then on.
func NewDB(pool *sqlx.DB) *DB {
	pool.Mapper = reflectx.NewMapperFunc("db", columnName)
	return &DB{DB: pool, statements: map[string]*sqlx.Stmt{}}
}

// Prepared returns the prepared statement of a text; it stays open as long as the DB. There are as many as the program has texts,
// since none of them depends on the number of rows beyond a small limit.
func (db *DB) Prepared(ctx context.Context, query string) (*sqlx.Stmt, error) {
	db.mu.Lock()
	stmt, known := db.statements[query]
	observe := db.observe
	db.mu.Unlock()
	if observe != nil {
		observe(query)
	}
	if known {
		return stmt, nil
	}
	stmt, err := db.PreparexContext(ctx, query)
	if err != nil {
		return nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if other, known := db.statements[query]; known {
		// Another goroutine has prepared it; an error of closing this one does not matter.
		_ = stmt.Close()
		return other, nil
	}
	db.statements[query] = stmt
	return stmt, nil
}

// Close closes the statements and the pool.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for query, stmt := range db.statements {
		// The pool is closed next, which frees whatever this one leaves behind.
		_ = stmt.Close()
		delete(db.statements, query)
	}
	return db.DB.Close()
}
