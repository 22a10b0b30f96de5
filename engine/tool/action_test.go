package tool_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/secret"
	"sluice/engine/tool"
)

const shopActions = `actions:
  - name: shop.get_order
    description: Get an order from the shop
    words: [get order, look up order]
    method: GET
    url: "BASE/orders/{{order_id}}?shop=eu&lang={{lang}}"
    params:
      type: object
      properties: {order_id: {type: string}, lang: {type: string}, page: {type: integer, default: 1}}
      required: [order_id]
    result: {type: object, properties: {amount: {type: number}}}
    headers: {Authorization: "Bearer {{secret.SHOP_TOKEN}}", X-Lang: "{{ lang }}"}
  - name: shop.refund
    description: Refund an order
    method: POST
    url: "BASE/orders/{{order_id}}/refunds"
    effects: idempotent
    params: {type: object, properties: {order_id: {type: string}, amount: {type: number}, note: {type: string}}, required: [order_id, amount]}
  - name: shop.label
    description: Put a label on an order
    method: PUT
    url: "BASE/labels"
    params: {type: object, properties: {order_id: {type: string}, note: {type: string}, tags: {type: array}}, required: [order_id]}
    body: {id: "{{order_id}}", note: "{{note}}", text: "for {{order_id}}", tags: "{{tags}}", fixed: [1, {a: null}]}
    policy: ask
`

// shop loads the actions above for a service on loopback.
func shop(t *testing.T, s *service, opts tool.Options) *tool.Set {
	t.Helper()
	tools, err := tool.LoadActions("actions.yaml", []byte(strings.ReplaceAll(shopActions, "BASE", s.URL)), opts)
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.New(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func env(t *testing.T, variables ...string) *secret.Env {
	t.Helper()
	e, err := secret.NewEnv(variables)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestActions(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"amount": 250, "echo": %q}`, r.Header.Get("Authorization"))
	})
	e := env(t, "SLUICE_SECRET_SHOP_TOKEN=topsecret")
	set := shop(t, s, tool.Options{Secrets: e, Redactor: e.Redactor()})
	for _, c := range []struct {
		tool    string
		params  map[string]any
		request string
		body    string
		headers map[string]string
	}{
		{
			"shop.get_order",
			map[string]any{"order_id": "A 1?x#y%2F", "lang": "de&en"},
			"GET /orders/A%201%3Fx%23y%252F?shop=eu&lang=de%26en&page=1", "",
			map[string]string{"Authorization": "Bearer topsecret", "X-Lang": "de&en", "Idempotency-Key": ""},
		},
		{"shop.get_order", map[string]any{"order_id": "A-1", "page": 3}, "GET /orders/A-1?shop=eu&page=3", "", map[string]string{"X-Lang": ""}},
		{
			"shop.refund",
			map[string]any{"order_id": "A-1", "amount": 12.5},
			"POST /orders/A-1/refunds", `{"amount":12.5}`,
			map[string]string{"Content-Type": "application/json", "Idempotency-Key": "run/2/0/0"},
		},
		{
			"shop.label",
			map[string]any{"order_id": "A-1", "tags": []any{"x", 2}},
			"PUT /labels",
			`{"fixed":[1,{"a":null}],"id":"A-1","tags":["x",2],"text":"for A-1"}`, nil,
		},
	} {
		x, _ := set.Lookup(c.tool)
		got, err := x.Call(t.Context(), tool.Call{Tool: c.tool, Key: "run/2/0/0", Flow: "refund", Params: c.params})
		if err != nil {
			t.Fatal(err)
		}
		all := s.requests()
		r, body := all[len(all)-1], s.body[len(all)-1]
		if sent := r.Method + " " + r.URL.RequestURI(); sent != c.request || body != c.body {
			t.Errorf("%s sent %s %s, want %s %s", c.tool, sent, body, c.request, c.body)
		}
		for name, want := range c.headers {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s sent %s: %q, want %q", c.tool, name, got, want)
			}
		}
		data := got.Data.(map[string]any)
		if fmt.Sprint(data["amount"]) != "250" || strings.Contains(fmt.Sprint(data), "topsecret") {
			t.Errorf("%s gave %v", c.tool, data)
		}
	}
}

func TestActionDeclaration(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	set := shop(t, s, tool.Options{})
	type facts struct {
		Name, Host string
		Effects    flow.Effects
		Policy     tool.Policy
		Secrets    []string
	}
	var got []facts
	for _, x := range set.All() {
		got = append(got, facts{x.Name, x.Host, x.Effects, x.Policy, x.Secrets})
	}
	want := []facts{
		{"shop.get_order", s.host(), flow.EffectsRead, tool.Allow, []string{"SHOP_TOKEN"}},
		{"shop.label", s.host(), flow.EffectsIdempotent, tool.Ask, nil},
		{"shop.refund", s.host(), flow.EffectsIdempotent, tool.Allow, nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever a parameter holds, it stays inside its segment of the path or its value of the query.
func TestActionParamsCannotChangeTheAddress(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	e := env(t, "SLUICE_SECRET_SHOP_TOKEN=topsecret")
	x, _ := shop(t, s, tool.Options{Secrets: e}).Lookup("shop.refund")
	for value, ok := range map[string]bool{
		"A-1": true, "a b": true, "@evil.example": true, ":80": true, "?admin=1": true, "#x": true, "%2e%2e": true, "...": true, "ü": true, "a;b": true, "{{x}}": true,
		"..": false, ".": false, "": false, "../admin": false, "a/b": false, `a\b`: false, "a\nb": false, "a\x00": false, "//evil.example/": false,
	} {
		before := len(s.requests())
		_, err := x.Call(t.Context(), tool.Call{Key: "k", Params: map[string]any{"order_id": value, "amount": 1}})
		if ok != (err == nil) {
			t.Errorf("%q: got %v", value, err)
		}
		for _, r := range s.requests()[before:] {
			parts := strings.Split(r.URL.EscapedPath(), "/")
			if !ok || len(parts) != 4 || parts[1] != "orders" || parts[3] != "refunds" || r.URL.RawQuery != "" || r.URL.Path != "/orders/"+value+"/refunds" {
				t.Errorf("%q arrived as %s", value, r.URL.RequestURI())
			}
		}
		if err != nil && failed(t, err).Type != "ParameterError" {
			t.Errorf("%q: got %v", value, err)
		}
	}
}

func TestActionSecrets(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	for name, c := range map[string]struct {
		env  []string
		says string
	}{
		"bound to the host":    {[]string{"SLUICE_SECRET_SHOP_TOKEN=topsecret", "SLUICE_SECRET_SHOP_TOKEN_HOSTS=" + s.host()}, ""},
		"bound to no host":     {[]string{"SLUICE_SECRET_SHOP_TOKEN=topsecret"}, ""},
		"bound to another one": {[]string{"SLUICE_SECRET_SHOP_TOKEN=topsecret", "SLUICE_SECRET_SHOP_TOKEN_HOSTS=other.example"}, "is not for " + s.host()},
		"for another flow":     {[]string{"SLUICE_SECRET_SHOP_TOKEN=topsecret", "SLUICE_SECRET_SHOP_TOKEN_FLOWS=digest"}, "is not for the flow refund"},
		"not set":              {nil, "set the environment variable SLUICE_SECRET_SHOP_TOKEN"},
	} {
		e := env(t, c.env...)
		x, _ := shop(t, s, tool.Options{Secrets: e, Redactor: e.Redactor()}).Lookup("shop.get_order")
		_, err := x.Call(t.Context(), tool.Call{Flow: "refund", Params: map[string]any{"order_id": "A-1"}})
		if c.says == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		e2 := failed(t, err)
		if e2.Type != "AuthenticationError" || !e2.Permanent || !strings.Contains(e2.Message, c.says) || strings.Contains(e2.Message, "topsecret") {
			t.Errorf("%s: got %+v", name, e2)
		}
	}
}

func TestActionStaysOnItsHost(t *testing.T) {
	t.Parallel()
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "internal") })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/x", http.StatusFound) })
	e := env(t, "SLUICE_SECRET_SHOP_TOKEN=topsecret")
	x, _ := shop(t, s, tool.Options{Secrets: e, AllowPrivate: []string{"127.0.0.0/8"}}).Lookup("shop.get_order")
	_, err := x.Call(t.Context(), tool.Call{Params: map[string]any{"order_id": "A-1"}})
	if got := failed(t, err); !strings.Contains(got.Message, "is declared for "+s.host()+" only") {
		t.Errorf("got %+v", got)
	}
	if len(other.requests()) > 0 {
		t.Error("the other host was called")
	}
}
