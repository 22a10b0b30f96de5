package usererror_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"sluice/engine/usererror"
	"sluice/storage"
)

// A package that refuses something gives a code and a sentence; the packages that talk to people find them by errors.As.
func Example() {
	refuse := func() error {
		return fmt.Errorf("start: %w", usererror.Flow("refnd", storage.ErrNotFound))
	}
	if e, ok := errors.AsType[*usererror.Error](refuse()); ok {
		fmt.Println(e.Code)
		fmt.Println(e)
	}
	fmt.Println("run refnd" + usererror.Nearest("refnd", []string{"refund", "invoice"}))
	// Output:
	// no_flow
	// There is no flow called "refnd".
	// run refnd (did you mean "refund"?)
}

// The hint follows the sentence, and the cause is found.
func TestError(t *testing.T) {
	t.Parallel()
	e := &usererror.Error{Code: "x", Text: "It is full.", Hint: "Wait.", Err: io.ErrShortWrite}
	if e.Error() != "It is full. Wait." || !errors.Is(e, io.ErrShortWrite) {
		t.Errorf("it says %q", e)
	}
	if err := usererror.Flow("a", io.ErrClosedPipe); err != io.ErrClosedPipe { //nolint:errorlint // the error itself
		t.Errorf("a fault of the store became %v", err)
	}
	if near := usererror.Nearest("zebra", []string{"refund"}); near != "" {
		t.Errorf("it is near%s", near)
	}
}
