package engine_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

const largeVariable = `
name: large
flow:
  entry: get
  nodes:
    - {id: get, type: tool, tool: shop.page, routes: [{to: keep}]}
    - {id: keep, type: set, vars: {page: "{{get.result.page}}", n: 1}, routes: [{to: gate}]}
    - {id: gate, type: approval, message: "go on?", routes: [{when: "approvals.gate == 'approve'", to: use}, {when: default, to: end}]}
    - {id: use, type: tool, tool: shop.use, params: {page: "{{vars.page}}", n: "{{vars.n}}"}, routes: [{to: end}]}
`

// Another process reads the value of a large variable from its fact; the stored state stays small.
func TestALargeVariableIsReadAgainAfterARestart(t *testing.T) {
	t.Parallel()
	for kind, database := range map[string]func(t *testing.T) func(ctx context.Context) (storage.Store, error){
		"sqlite": func(t *testing.T) func(ctx context.Context) (storage.Store, error) {
			path := filepath.Join(t.TempDir(), "sluice.db")
			return func(ctx context.Context) (storage.Store, error) { return sqlite.Open(ctx, path) }
		},
		"postgres": func(t *testing.T) func(ctx context.Context) (storage.Store, error) {
			address := pgtest.URL(t)
			return func(ctx context.Context) (storage.Store, error) { return postgres.Open(ctx, address) }
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.database = database(t)
			page := strings.Repeat("a page ", 30_000)
			w.add(tool.Tool{Name: "shop.page", Description: "page", Effects: flow.EffectsRead, Call: func(context.Context, tool.Call) (tool.Result, error) {
				return tool.Result{Data: map[string]any{"page": page}}, nil
			}})
			w.record("shop.use", flow.EffectsIdempotent)
			stop := w.serve()
			w.save(largeVariable)
			r := w.start("large", nil)
			w.gate(r.ID)
			row, err := w.store.Run(t.Context(), r.ID)
			if err != nil || len(row.State) > 3000 {
				t.Fatalf("the stored state takes %d bytes, %v", len(row.State), err)
			}
			stop()
			w.serve()
			g := w.gate(r.ID)
			if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: "approve", Actor: history.Actor{User: "fin"}}); err != nil {
				t.Fatal(err)
			}
			w.ended(r.ID, history.Succeeded)
			if calls := w.seen("shop.use"); len(calls) != 1 || calls[0].Params["page"] != page || calls[0].Params["n"] != 1.0 {
				t.Errorf("shop.use was called %d times, or with another page", len(calls))
			}
			w.folds(r.ID)
		})
	}
}
