// Package token makes and checks the tokens with which programs ask by HTTP in the place of a person.
//
//	Create -> the token, shown once, and its row with a hash
//	Find   -> whose it is, or ErrUnknown
//
// A token gives no right of its own: a program with it may do what its person may do at that moment, and
// nothing when the person has left.
//
// The package knows no HTTP. bot/session asks it; sluice token is its command.
package token

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/history"
	"sluice/storage"
)

// Prefix is how every token begins, so that scanners of source code find one that got lost.
const Prefix = "sluice_"

// The audit's words for what is done with tokens.
const (
	Created = "token_created"
	Revoked = "token_revoked"
)

// ErrUnknown means that a token does not count: nobody has made it, it was revoked, or its time is over.
var ErrUnknown = errors.New("the token does not count")

// Store is the part of the store that tokens need.
type Store interface {
	Write(ctx context.Context, b *storage.Batch) error
	TokenByHash(ctx context.Context, hash []byte) (storage.Token, error)
	Tokens(ctx context.Context) ([]storage.Token, error)
}

// Request is what a new token is for.
type Request struct {
	User    string        // whom it stands for
	Name    string        // what uses it, for people
	For     time.Duration // how long it counts; 0 = until it is revoked
	Creator history.Actor // who makes it
}

// Create makes a token. The secret is given this once: the store has only its hash.
func Create(ctx context.Context, s Store, q Request, now time.Time) (secret string, t storage.Token, err error) {
	if q.User == "" {
		return "", t, errors.New("a token needs a person")
	}
	secret = Prefix + strings.ToLower(rand.Text())
	t = storage.Token{ID: strings.ToLower(rand.Text())[:8], Hash: hash(secret), User: q.User, Name: q.Name, Created: now}
	if q.For > 0 {
		t.Expires = now.Add(q.For)
	}
	return secret, t, write(ctx, s, t, Created, q.Creator, now)
}

// Find gives the token with a secret, if it counts.
func Find(ctx context.Context, s Store, secret string, now time.Time) (storage.Token, error) {
	if !strings.HasPrefix(secret, Prefix) {
		return storage.Token{}, ErrUnknown
	}
	t, err := s.TokenByHash(ctx, hash(secret))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return storage.Token{}, ErrUnknown
	case err != nil:
		return storage.Token{}, fmt.Errorf("find a token: %w", err)
	case !t.Revoked.IsZero(), !t.Expires.IsZero() && !now.Before(t.Expires):
		return storage.Token{}, ErrUnknown
	}
	return t, nil
}

// Revoke ends a token by its id. It stays in the list. ErrUnknown: there is none with this id.
func Revoke(ctx context.Context, s Store, id string, by history.Actor, now time.Time) (storage.Token, error) {
	all, err := s.Tokens(ctx)
	if err != nil {
		return storage.Token{}, fmt.Errorf("list tokens: %w", err)
	}
	i := slices.IndexFunc(all, func(t storage.Token) bool { return t.ID == id })
	if i < 0 {
		return storage.Token{}, ErrUnknown
	}
	t := all[i]
	if !t.Revoked.IsZero() {
		return t, nil
	}
	t.Revoked = now
	return t, write(ctx, s, t, Revoked, by, now)
}

// write stores a token together with who did it.
func write(ctx context.Context, s Store, t storage.Token, what string, by history.Actor, now time.Time) error {
	detail, _ := json.Marshal(map[string]string{"person": t.User, "name": t.Name}) // two texts always have a JSON form
	return s.Write(ctx, &storage.Batch{
		Tokens: []storage.Token{t},
		Audit:  []storage.Audit{{At: now, User: by.User, Team: by.Team, Via: string(by.Via), What: what, Ref: "token:" + t.ID, Detail: detail}},
	})
}

// hash is what is stored of a token. A token is random, so that a hash without salt and rounds cannot be turned around.
func hash(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
