package outage_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"sluice/engine/outage"
	"sluice/storage"
)

func ExampleWatch_Repeat() {
	away := 2 // tries
	w := outage.New(slog.New(slog.DiscardHandler))
	err := w.Repeat(context.Background(), func() error {
		if away--; away >= 0 {
			return storage.ErrUnavailable
		}
		return storage.ErrConflict
	}, func(err error) bool { return errors.Is(err, storage.ErrConflict) })
	fmt.Println(err)
	// Output: the stored version is another one
}
