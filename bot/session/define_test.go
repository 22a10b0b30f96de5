package session

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"sluice/bot/drafts"
	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/people"
	"sluice/engine/usererror"
)

// TestADefinitionIsPut: the token's person puts it, and each outcome has its status.
func TestADefinitionIsPut(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.h.Open(Config{Store: o.store, Rights: people.New(o.store, o, nil, o.h.log), Define: func(_ context.Context, user, channel, name string, src []byte) (drafts.Put, error) {
		switch {
		case user != "ana" || channel != "C1":
			return drafts.Put{}, request.ErrHidden
		case name == "bad":
			return drafts.Put{}, flow.Problems{{Severity: flow.SeverityError, Message: "it has no nodes"}}
		case name == "other":
			return drafts.Put{}, &usererror.Error{Code: "other_name", Text: "It is that of two."}
		}
		return drafts.Put{Flow: name, Draft: "d1", Same: string(src) == "same"}, nil
	}, Remove: func(_ context.Context, user, name string) error {
		switch {
		case user != "ana":
			return request.ErrHidden
		case name == "gone":
			return usererror.Removed(name)
		}
		return nil
	}})
	for _, c := range []struct {
		token, path, body, want string
		code                    int
	}{
		{"ana", "chat", "-", `"flow":"chat","status":"removed"`, http.StatusOK},
		{"ana", "gone", "-", "no_such_workflow", http.StatusNotFound},
		{"eve", "chat", "-", "no_such_workflow", http.StatusNotFound},
		{"nobody", "chat", "-", "unauthorized", http.StatusUnauthorized},
		{"ana", "chat?channel=C1", "new", `"status":"proposed","draft":"d1"`, http.StatusCreated},
		{"ana", "chat?channel=C1", "same", `"status":"unchanged"`, http.StatusOK},
		{"ana", "chat?channel=C2", "new", "no_such_workflow", http.StatusNotFound},
		{"eve", "chat?channel=C1", "new", "no_such_workflow", http.StatusNotFound},
		{"nobody", "chat?channel=C1", "new", "unauthorized", http.StatusUnauthorized},
		{"ana", "bad?channel=C1", "new", "it has no nodes", http.StatusUnprocessableEntity},
		{"ana", "other?channel=C1", "new", "other_name", http.StatusConflict},
		{"ana", "chat?channel=C1", strings.Repeat("x", flow.MaxDocumentBytes+1), "too_large", http.StatusRequestEntityTooLarge},
	} {
		method := http.MethodPut
		if c.body == "-" {
			method = http.MethodDelete
		}
		r, err := http.NewRequestWithContext(t.Context(), method, o.url+WorkflowPath+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+o.tokens[c.token])
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != c.code || !strings.Contains(string(text), c.want) {
			t.Errorf("%s by %s: %d %s (%v)", c.path, c.token, answer.StatusCode, text, err)
		}
	}
}
