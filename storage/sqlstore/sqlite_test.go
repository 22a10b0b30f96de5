package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"sluice/storage"
)

func TestEveryConnectionIsSafe(t *testing.T) {
	t.Parallel()
	s := openSQLite(t).(inner)
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000",
	} {
		for who, ask := range map[string]func(context.Context, string, ...any) ([][]any, error){
			"writer": s.Lines, "reader": s.ReadLines,
		} {
			got, err := ask(t.Context(), "PRAGMA "+pragma)
			if err != nil || fmt.Sprint(got) != "[["+want+"]]" {
				t.Errorf("the %s has %s = %v, want %s (%v)", who, pragma, got, want, err)
			}
		}
	}
	if _, err := s.ReadLines(t.Context(), "DELETE FROM runs RETURNING id"); err == nil {
		t.Error("a reader may write")
	}
}

func TestFullDiskRefusesAWriteAndForgetsIt(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	run := storage.Run{ID: "r1", Flow: "refund", Name: "refund-1", Started: time.Now()}
	if err := s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: run}}); err != nil {
		t.Fatal(err)
	}
	run.Version, run.State = 1, make([]byte, 8<<20)
	grow := &storage.Batch{Run: &storage.RunWrite{Run: run, Facts: []storage.Fact{{Seq: 1, Kind: "big", Body: make([]byte, 100<<10)}}}}
	raw(t, s, "PRAGMA max_page_count = 200")
	if err := s.Write(t.Context(), grow); !errors.Is(err, storage.ErrFull) || !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("error %v, want ErrFull", err)
	}
	if facts, err := s.Facts(t.Context(), "r1", 0); err != nil || len(facts) != 0 {
		t.Fatalf("facts %v, %v", facts, err)
	}
	raw(t, s, "PRAGMA max_page_count = 100000")
	if err := s.Write(t.Context(), grow); err != nil {
		t.Fatalf("with room again: %v", err)
	}
}
