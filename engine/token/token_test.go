package token_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/engine/history"
	"sluice/engine/token"
	"sluice/storage"
	"sluice/storage/sqlite"
)

var now = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

func open(t *testing.T) storage.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestATokenCountsUntilItsTimeIsOverOrItIsRevoked(t *testing.T) {
	t.Parallel()
	s := open(t)
	by := history.Actor{User: "U0ADMIN", Via: history.ViaCLI}
	secret, made, err := token.Create(t.Context(), s, token.Request{User: "U1", Name: "wiki", For: time.Hour, Creator: by}, now)
	if err != nil {
		t.Fatal(err)
	}
	find := func(secret string, at time.Time) error {
		found, err := token.Find(t.Context(), s, secret, at)
		if err == nil && (found.User != "U1" || found.ID != made.ID) {
			t.Errorf("found %+v", found)
		}
		return err
	}
	if err := find(secret, now.Add(time.Hour-time.Second)); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]error{
		"expired": find(secret, now.Add(time.Hour)), "another": find(token.Prefix+"x", now), "empty": find("", now),
		"longer": find(secret+"a", now), "shorter": find(secret[:len(secret)-1], now), "hash": find(string(made.Hash), now),
	} {
		if !errors.Is(wrong, token.ErrUnknown) {
			t.Errorf("%s: %v", name, wrong)
		}
	}
	if _, err := token.Revoke(t.Context(), s, "nothing", by, now); !errors.Is(err, token.ErrUnknown) {
		t.Error(err)
	}
	for range 2 { // the second time it is revoked already
		if _, err := token.Revoke(t.Context(), s, made.ID, by, now); err != nil {
			t.Error(err)
		}
	}
	if err := find(secret, now); !errors.Is(err, token.ErrUnknown) {
		t.Errorf("a revoked token: %v", err)
	}
	audit, err := s.Audit(t.Context(), "token:"+made.ID, 10)
	if err != nil || len(audit) != 2 || audit[0].What != token.Revoked || audit[1].What != token.Created || audit[1].User != "U0ADMIN" {
		t.Errorf("%+v, %v", audit, err)
	}
	for _, a := range audit {
		if bytes.Contains(a.Detail, []byte(secret)) {
			t.Errorf("the audit holds the token: %s", a.Detail)
		}
	}
}

func ExampleCreate() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "sluice-token")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := sqlite.Open(ctx, filepath.Join(dir, "sluice.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = store.Close() }()
	secret, made, err := token.Create(ctx, store, token.Request{User: "U012AB3CD", Name: "wiki", For: 24 * time.Hour}, now)
	fmt.Println(strings.HasPrefix(secret, token.Prefix), made.User, made.Expires.Format(time.DateOnly), err)
	// Output: true U012AB3CD 2026-11-24 <nil>
}
