package storagetest

import (
	"testing"
	"time"

	"sluice/storage"
)

func tokens(t *testing.T, s storage.Store) {
	_, err := s.TokenByHash(t.Context(), []byte("nobody's"))
	wantError(t, err, storage.ErrNotFound)
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	pager := storage.Token{ID: "b", Hash: []byte{1, 0, 2}, User: "U1", Name: "pager", Created: at, Expires: at.AddDate(0, 3, 0)}
	wiki := storage.Token{ID: "a", Hash: []byte{1, 0, 3}, User: "U1", Name: "wiki", Created: at}
	other := storage.Token{ID: "c", Hash: []byte{9}, User: "U0", Name: "wiki", Created: at}
	write(t, s, &storage.Batch{Tokens: []storage.Token{pager, wiki, other}})
	same(t, "a token", must(s.TokenByHash(t.Context(), pager.Hash))(t), pager)
	same(t, "tokens", must(s.Tokens(t.Context()))(t), []storage.Token{other, wiki, pager})

	twin := wiki
	twin.ID = "d"
	if s.Write(t.Context(), &storage.Batch{Tokens: []storage.Token{twin}}) == nil {
		t.Error("two tokens have one hash")
	}

	wiki.Revoked = at.Add(time.Hour)
	write(t, s, &storage.Batch{Tokens: []storage.Token{wiki}})
	same(t, "a revoked token", must(s.TokenByHash(t.Context(), wiki.Hash))(t), wiki)

	same(t, "removed", must(s.RemoveTokens(t.Context(), "U1"))(t), 2)
	same(t, "removed again", must(s.RemoveTokens(t.Context(), "U1"))(t), 0)
	same(t, "tokens that are left", must(s.Tokens(t.Context()))(t), []storage.Token{other})
}
