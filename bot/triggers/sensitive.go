package triggers

import (
	"context"

	"sluice/bot/draft"
)

// sensitive says which inputs of a flow are sensitive.
func sensitive(ctx context.Context, store Store, name string, revision int) (func(input string) bool, error) {
	f, err := draft.Saved(ctx, store, name, revision)
	if err != nil {
		return nil, err
	}
	return func(input string) bool { return f.Input(input) != nil && f.Input(input).Sensitive }, nil
}
