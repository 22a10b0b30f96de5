package webhook

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/bot/request"
	"sluice/engine/history"
	"sluice/storage"
)

// TestDelivery: a delivery is stored, then answered, and starts one run.
func TestDelivery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve(refund)
	const body = `{"order_id": 20061900000000000001, "amount": "12.5", "iban": "DE02 1203", "text": "broken on arrival", "lines": [{"sku": 7}], "order": null}`
	first := w.post("msg-1", body)
	if first.status != http.StatusAccepted || first.Delivery != "msg-1" || first.header.Get("Content-Type") != "application/json" {
		t.Fatalf("answered %d %s", first.status, first.text)
	}
	if rows, _ := w.runs(); len(rows) != 0 || len(w.pending()) != 1 {
		t.Fatalf("%d runs have started, %d deliveries wait", len(rows), len(w.pending()))
	}
	if again := w.post("msg-1", body); again.status != first.status || again.text != first.text || len(w.pending()) != 1 {
		t.Errorf("the same again is answered %d %s; %d wait", again.status, again.text, len(w.pending()))
	}
	w.work()
	if again := w.post("msg-1", body); again.status != first.status || again.text != first.text || len(w.pending()) != 0 {
		t.Errorf("the same after its run started is answered %d %s; %d wait", again.status, again.text, len(w.pending()))
	}
	rows, starts := w.runs()
	if len(rows) != 1 {
		t.Fatalf("%d runs have started", len(rows))
	}
	if r := rows[0]; r.Channel != "C1" || r.By != "ana" || r.Title != "Refund 20061900000000000001" || r.Thread != "" {
		t.Errorf("the run is %+v", r)
	}
	if got, err := json.Marshal(starts[0].Inputs); err != nil || string(got) != `{"amount":12.5,"iban":"DE02 1203","order_id":"20061900000000000001"}` {
		t.Errorf("its inputs are %s: %v", got, err)
	}
	const event = `{"payload":{"body":{"amount":"12.5","lines":[{"sku":7}],"order":null,"order_id":20061900000000000001,"text":"broken on arrival"},` +
		`"delivery":"msg-1","message":"broken on arrival"},"type":"webhook"}`
	if got, err := json.Marshal(starts[0].Event); err != nil || string(got) != event {
		t.Errorf("its event is %s: %v", got, err)
	}
	var who history.Actor
	facts, err := w.store.Facts(t.Context(), rows[0].ID, 0)
	if err == nil {
		err = json.Unmarshal(facts[0].Actor, &who)
	}
	if err != nil || who.Via != history.ViaHTTP || who.Name != "the webhook refunds" || who.User != "" {
		t.Errorf("started by %+v: %v", who, err)
	}
	for _, bad := range []string{"DE02", "broken on arrival", shopKey} {
		if strings.Contains(w.log.String(), bad) {
			t.Errorf("the log holds %q:\n%s", bad, w.log)
		}
	}
}

// TestOtherBodies: GitHub's way of signing, and bodies without fields.
func TestOtherBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "SLUICE_SECRET_HOOK_REFUNDS="+shopKey, "SLUICE_SECRET_HOOK_A_B_C="+shopKey)
	w.approve(strings.NewReplacer("order_id}}", "order_id}}{{event.payload.delivery}}", "required: true", "default: none").Replace(refund))
	w.approve(strings.NewReplacer("name: refund", "name: other", "path: refunds", "path: a/b-c, scheme: github").Replace(refund))
	for i, c := range []struct {
		path, kind, body string
		hub              bool
		order            any
		message          any
	}{
		{"refunds", "application/json", `{"order_id": "A-1", "message": "one", "text": "two"}`, false, "A-1", "one"},
		{"refunds", "application/json; charset=utf-8", `["order_id"]`, false, "none", nil},
		{"refunds", "application/vnd.shop+json", `"just words"`, false, "none", "just words"},
		{"refunds", "application/json", `null`, false, "none", nil},
		{"refunds", "application/json", `{"order_id": null, "message": 3}`, false, "none", nil},
		{"a/b-c", "application/json", `{"order_id": true}`, true, "true", nil},
	} {
		id := fmt.Sprint("d", i)
		r := w.delivery(id, c.body)
		r.URL.Path = "/hooks/" + c.path
		r.Header.Set("Content-Type", c.kind)
		if c.hub {
			asHub(r, id, hubSign(shopKey, c.body))
		}
		if got := w.send(r); got.status != http.StatusAccepted || got.Delivery != id {
			t.Errorf("%s is answered %d %s", c.body, got.status, got.text)
			continue
		}
		w.work()
		if c.path != "refunds" {
			continue
		}
		_, starts := w.runs()
		s := starts[len(starts)-1]
		if p := s.Event["payload"].(map[string]any); s.Inputs["order_id"] != c.order || p["message"] != c.message || p["delivery"] != id {
			t.Errorf("%s became the inputs %v and the event %v", c.body, s.Inputs, s.Event)
		}
	}
	other, err := w.store.Runs(t.Context(), storage.RunQuery{Flow: "other"})
	if err != nil || len(other) != 1 {
		t.Errorf("the other flow has %d runs: %v", len(other), err)
	}
}

// asHub signs a request as GitHub does.
func asHub(r *http.Request, id, sum string) {
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		r.Header.Del(name)
	}
	r.Header.Set("X-GitHub-Delivery", id)
	r.Header.Set("X-Hub-Signature-256", sum)
}

// TestRefusals: a delivery that cannot be taken is answered with the reason, and nothing is stored.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve(refund)
	for name, c := range map[string]struct {
		body   string
		change func(r *http.Request)
		status int
		code   string
		says   []string
	}{
		"read":          {`{}`, func(r *http.Request) { r.Method = http.MethodGet }, http.StatusMethodNotAllowed, "not_post", nil},
		"a text":        {`{}`, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusUnsupportedMediaType, "bad_type", nil},
		"a form":        {`{}`, func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, http.StatusUnsupportedMediaType, "bad_type", nil},
		"compressed":    {`{}`, func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, http.StatusUnsupportedMediaType, "bad_type", nil},
		"two schemes":   {`{}`, func(r *http.Request) { r.Header.Set("X-Hub-Signature-256", hubSign(shopKey, `{}`)) }, http.StatusNotFound, "no_hook", nil},
		"a name twice":  {`{"order_id": "A-1", "order_id": "A-2"}`, nil, http.StatusBadRequest, "bad_body", nil},
		"no type":       {`{}`, func(r *http.Request) { r.Header.Del("Content-Type") }, http.StatusUnsupportedMediaType, "bad_type", nil},
		"large":         {`"` + strings.Repeat("x", bodyMost) + `"`, nil, http.StatusRequestEntityTooLarge, "too_large", nil},
		"not JSON":      {`{"order_id"`, nil, http.StatusBadRequest, "bad_body", nil},
		"empty":         {``, nil, http.StatusBadRequest, "bad_body", nil},
		"unsigned":      {`{}`, func(r *http.Request) { r.Header.Del("webhook-signature") }, http.StatusNotFound, "no_hook", nil},
		"wrong inputs":  {`{"amount": "much", "iban": ["DE02"]}`, nil, http.StatusUnprocessableEntity, "bad_inputs", []string{"order_id is missing (Order number)", `amount must be a number, and "much" is not`, "iban must be a string, and the given value is not"}},
		"a path beyond": {`{}`, func(r *http.Request) { r.URL.Path = "/hooks/refunds/more" }, http.StatusNotFound, "no_hook", nil},
		"a NUL":         {`{}`, func(r *http.Request) { r.URL.Path = "/hooks/refunds\x00" }, http.StatusNotFound, "no_hook", nil},
		"a broken text": {`{}`, func(r *http.Request) { r.URL.Path = "/hooks/refunds\xff" }, http.StatusNotFound, "no_hook", nil},
		"no path":       {`{}`, func(r *http.Request) { r.URL.Path = "/hooks/" }, http.StatusNotFound, "no_hook", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.delivery("msg-"+strings.ReplaceAll(name, " ", "-"), c.body)
			if c.change != nil {
				c.change(r)
			}
			got := w.send(r)
			if got.status != c.status || got.Code != c.code || got.Error == "" {
				t.Errorf("answered %d %s, want %d %s", got.status, got.text, c.status, c.code)
			}
			if diff := cmp.Diff(c.says, got.Problems); diff != "" {
				t.Error(diff)
			}
			if allow := got.header.Get("Allow"); (allow == "POST") != (c.status == http.StatusMethodNotAllowed) {
				t.Errorf("allowed is %q", allow)
			}
		})
	}
	if n := len(w.pending()); n > 0 {
		t.Errorf("%d deliveries are stored", n)
	}
	if strings.Contains(w.log.String(), "much") {
		t.Errorf("the log repeats what came in:\n%s", w.log)
	}
}

// TestNothingIsRevealed: a sender who cannot sign does not learn which hooks exist, and the log says which setting is missing.
func TestNothingIsRevealed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "SLUICE_SECRET_HOOK_REFUNDS="+shopKey, "SLUICE_SECRET_HOOK_SHORT=short key", "SLUICE_SECRET_HOOK_THEIRS="+shopKey, "SLUICE_SECRET_HOOK_THEIRS_FLOWS=refund",
		"SLUICE_SECRET_HOOK_SENT="+shopKey, "SLUICE_SECRET_HOOK_SENT_HOSTS=shop.example")
	w.approve(refund)
	for _, path := range []string{"short", "missing", "theirs", "sent"} {
		w.approve(strings.NewReplacer("name: refund", "name: "+path, "path: refunds", "path: "+path).Replace(refund))
	}
	answers := map[string]string{}
	for name, change := range map[string]func(r *http.Request){
		"unknown":      func(r *http.Request) { r.URL.Path = "/hooks/unknown" },
		"wrong":        func(r *http.Request) { r.Header.Set("webhook-signature", standardSum) },
		"old":          func(r *http.Request) { r.Header.Set("webhook-timestamp", "1614265330") },
		"no secret":    func(r *http.Request) { r.URL.Path = "/hooks/missing" },
		"short secret": func(r *http.Request) { r.URL.Path = "/hooks/short" },
		"not for it":   func(r *http.Request) { r.URL.Path = "/hooks/theirs" },
		"for hosts":    func(r *http.Request) { r.URL.Path = "/hooks/sent" },
	} {
		r := w.delivery("msg-1", `{"order_id": "A-1"}`)
		change(r)
		got := w.send(r)
		got.header.Del("Date")
		answers[fmt.Sprint(got.status, got.header, got.text)] += name + ", "
	}
	if len(answers) != 1 || len(w.pending()) != 0 {
		t.Errorf("there are %d answers, %d deliveries are stored:\n%v", len(answers), len(w.pending()), answers)
	}
	for _, want := range []string{"set the environment variable SLUICE_SECRET_HOOK_MISSING", "SLUICE_SECRET_HOOK_SHORT cannot be a key: it must have at least 16 bytes", "SLUICE_SECRET_HOOK_THEIRS_FLOWS", "secret.HOOK_SENT is for shop.example only", "no flow listens to it", errOff.Error(), errSignature.Error()} {
		if !strings.Contains(w.log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, w.log)
		}
	}
	if got := w.post("msg-1", `{"order_id": "A-1"}`); got.status != http.StatusAccepted {
		t.Errorf("who can sign is answered %d %s", got.status, got.text)
	}
}

// TestPausedFlow: a delivery that arrives while its flow is paused is stored, and its run waits.
func TestPausedFlow(t *testing.T) {
	t.Parallel()
	for _, paused := range []string{"refund", ""} {
		t.Run("pause "+paused, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.approve(refund)
			if _, err := w.engine.PauseFlow(t.Context(), paused, history.Actor{User: "ana"}, "", nil); err != nil {
				t.Fatal(err)
			}
			if got := w.post("msg-1", `{"order_id": "A-1"}`); got.status != http.StatusAccepted {
				t.Fatalf("answered %d %s", got.status, got.text)
			}
			w.work()
			rows, _ := w.runs()
			if len(rows) != 1 || rows[0].Status != string(history.Paused) {
				t.Fatalf("the runs are %+v", rows)
			}
			if n, err := w.engine.ResumeFlow(t.Context(), paused, history.Actor{User: "ana"}, "", nil); n != 1 || err != nil {
				t.Errorf("%d runs go on: %v", n, err)
			}
		})
	}
}

// TestSameKey: a run with the same key is there; nothing starts, and the audit says so.
func TestSameKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve(refund)
	for i := range 2 {
		if got := w.post(fmt.Sprint("msg-", i), `{"order_id": "A-1"}`); got.status != http.StatusAccepted {
			t.Fatalf("answered %d %s", got.status, got.text)
		}
		w.work()
	}
	if rows, _ := w.runs(); len(rows) != 1 {
		t.Errorf("there are %d runs", len(rows))
	}
	if a := w.audited(); len(a) != 1 || a[0] != `hook_duplicate http {"delivery":"msg-1","path":"refunds","run":"refund-1"}` {
		t.Errorf("the audit says %q", a)
	}
}

// TestForgottenDelivery: the id of a delivery that is not kept any more still does not start a second run.
func TestForgottenDelivery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve(strings.Replace(refund, `key: "{{inputs.order_id}}"`, `key: ""`, 1))
	for range 2 {
		if got := w.post("msg-1", `{"order_id": "A-1"}`); got.status != http.StatusAccepted || len(w.pending()) != 1 {
			t.Fatalf("answered %d %s, %d wait", got.status, got.text, len(w.pending()))
		}
		w.work()
		if n, err := w.store.RemoveInbox(t.Context(), w.engine.Now().AddDate(1, 0, 0), 10); n != 1 || err != nil {
			t.Fatalf("%d deliveries are removed: %v", n, err)
		}
	}
	if rows, _ := w.runs(); len(rows) != 1 {
		t.Errorf("there are %d runs", len(rows))
	}
}

// TestChangedMeanwhile: between the answer and the start the flow became another one; its channel is told what did not start.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		next string
		runs int
		says string
	}{
		"as before":         {refund, 1, ""},
		"without the hook":  {strings.Replace(refund, "triggers: [{webhook: {path: refunds}}]", "", 1), 0, "does not have this trigger any more"},
		"with another one":  {strings.Replace(refund, "path: refunds", "path: other", 1), 0, "does not have this trigger any more"},
		"with a long key":   {strings.Replace(refund, "key: \"{{inputs.order_id}}\"", "key: \""+strings.Repeat("x", 1001)+"\"", 1), 0, "the key has 1001 bytes, and may have 1000"},
		"with other inputs": {strings.Replace(refund, "amount: {type: number, default: 10}", "amount: {type: number, required: true}", 1), 0, "amount is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.approve(refund)
			if got := w.post("msg-1", `{"order_id": "A-1"}`); got.status != http.StatusAccepted {
				t.Fatalf("answered %d %s", got.status, got.text)
			}
			w.approve(c.next)
			w.work()
			rows, _ := w.runs()
			told := strings.Join(w.notices(), "\n")
			if len(rows) != c.runs || !strings.Contains(told, c.says) || (told == "") != (c.says == "") || c.says != "" && !strings.HasPrefix(told, "C1 :warning: A delivery of the webhook refunds started nothing") {
				t.Errorf("%d runs, told %q", len(rows), told)
			}
			if failed := slices.ContainsFunc(w.audited(), func(s string) bool { return strings.HasPrefix(s, "hook_failed http") }); failed != (c.says != "") {
				t.Errorf("the audit says %q", w.audited())
			}
		})
	}
}

// TestGivenUp: a delivery that keeps failing ends with a word in the flow's channel.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve(refund)
	w.post("msg-1", `{"order_id": "A-1"}`)
	row := w.pending()[0]
	if err := w.bot.GiveUp(t.Context(), request.Incoming{Kind: request.KindHook, Payload: row.Payload, Inbox: row.ID}); err != nil {
		t.Fatal(err)
	}
	if told := w.notices(); len(told) != 1 || !strings.Contains(told[0], "something broke on my side") || len(w.pending()) != 0 {
		t.Errorf("told %q, %d wait", told, len(w.pending()))
	}
}

// TestLeftBehind: a trigger that another program left behind, of an earlier revision, does not count.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve(refund)
	w.post("msg-1", `{"order_id": "A-1"}`)
	head, err := w.store.Flow(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	head.Head++
	w.write(&storage.Batch{Flow: &head})
	if got := w.post("msg-2", `{"order_id": "A-2"}`); got.status != http.StatusNotFound || got.Code != "no_hook" {
		t.Errorf("answered %d %s", got.status, got.text)
	}
	w.work()
	if rows, _ := w.runs(); len(rows) != 0 || len(w.notices()) != 1 {
		t.Errorf("%d runs have started, told %q", len(rows), w.notices())
	}
}

// TestLongValues: a value of any length does not keep a run from being shown.
func TestLongValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve(strings.Replace(refund, `key: "{{inputs.order_id}}"`, `key: ""`, 1))
	if got := w.post("msg-1", `{"order_id": "`+strings.Repeat("ä", 1000)+`"}`); got.status != http.StatusAccepted {
		t.Fatalf("answered %d %s", got.status, got.text)
	}
	w.work()
	rows, starts := w.runs()
	if len(rows) != 1 || len([]rune(rows[0].Title)) != 300 || !strings.HasSuffix(rows[0].Title, "ä…") || starts[0].Inputs["order_id"] != strings.Repeat("ä", 1000) {
		t.Errorf("%d runs have started, with the title %q", len(rows), rows[0].Title)
	}
}
