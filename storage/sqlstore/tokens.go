package sqlstore

import (
	"context"
	"time"

	"sluice/storage"
)

const tokenList = `id, hash, user_id, name, created, expires, revoked`

var (
	tokenColumns = []Column{
		{"id", Text}, {"hash", Bytes}, {"user_id", Text}, {"name", Text}, {"created", Time}, {"expires", Time}, {"revoked", Time},
	}
	tokens = table{"tokens", tokenColumns, replace("id", tokenColumns...)}
)

// tokenStore has what programs ask by HTTP with.
type tokenStore struct{ *database }

type tokenRow struct {
	storage.Token
	Created, Expires, Revoked stamp
}

func (r tokenRow) value() storage.Token {
	t := r.Token
	t.Created, t.Expires, t.Revoked = time.Time(r.Created), time.Time(r.Expires), time.Time(r.Revoked)
	return t
}

// TokenByHash loads a token.
func (s tokenStore) TokenByHash(ctx context.Context, hash []byte) (storage.Token, error) {
	return one[tokenRow](ctx, s.database, "find a token", "SELECT "+tokenList+" FROM tokens WHERE hash = $1", hash)
}

// Tokens lists all tokens by person and id.
func (s tokenStore) Tokens(ctx context.Context) ([]storage.Token, error) {
	return list[tokenRow](ctx, s.database, "list tokens", "SELECT "+tokenList+" FROM tokens ORDER BY user_id, id")
}

// RemoveTokens takes the tokens of a person away.
func (s tokenStore) RemoveTokens(ctx context.Context, user string) (int, error) {
	n, err := s.exec(ctx, "remove tokens", "DELETE FROM tokens WHERE user_id = $1", user)
	return int(n), err
}

func tokenRows(list []storage.Token) Part {
	rows := make([][]any, len(list))
	for i, t := range list {
		rows[i] = []any{t.ID, t.Hash, t.User, t.Name, t.Created, t.Expires, t.Revoked}
	}
	return tokens.part(rows)
}
