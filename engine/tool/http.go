package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sluice/engine/flow"
)

// method is what the tools know about an HTTP method.
type method struct {
	name    string
	effects flow.Effects
	body    bool
	words   []string
}

var methods = []method{
	{http.MethodGet, flow.EffectsRead, false, []string{"fetch address", "download"}},
	{http.MethodHead, flow.EffectsRead, false, []string{"check address"}},
	{http.MethodPost, flow.EffectsOnce, true, []string{"call webhook", "send to address"}},
	{http.MethodPut, flow.EffectsIdempotent, true, nil},
	{http.MethodPatch, flow.EffectsOnce, true, nil},
	{http.MethodDelete, flow.EffectsIdempotent, false, nil},
}

// HTTP gives the built-in tools http.get, http.head, http.post, http.put, http.patch and http.delete. Their result is
// {status, headers, body}: header names in small letters, the body parsed if it is JSON, else text. The error names every
// entry of AllowPrivate that cannot be read.
func HTTP(opts Options) ([]Tool, error) {
	g, err := newGuard(opts.AllowPrivate, opts.Resolver)
	if err != nil {
		return nil, err
	}
	c := newClient(opts, g)
	tools := make([]Tool, len(methods))
	for i, m := range methods {
		tools[i] = Tool{
			Name:        "http." + strings.ToLower(m.name),
			Description: fmt.Sprintf("Send an HTTP %s request to an address.", m.name),
			Words:       m.words,
			Params:      httpParams(m),
			Result: map[string]any{"type": "object", "properties": map[string]any{
				"status": map[string]any{"type": "integer"}, "headers": map[string]any{"type": "object"}, "body": map[string]any{},
			}},
			Effects: m.effects,
			Policy:  Allow,
			Call:    func(ctx context.Context, call Call) (Result, error) { return callHTTP(ctx, c, m, call) },
		}
	}
	return tools, nil
}

func httpParams(m method) map[string]any {
	scalars := func(list bool) map[string]any {
		types := []any{"string", "number", "boolean"}
		if list {
			types = append(types, "array")
		}
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": types}}
	}
	query, headers := scalars(true), scalars(false)
	query["description"], headers["description"] = "added to the address", "request headers"
	props := map[string]any{
		"url":     map[string]any{"type": "string", "minLength": 1, "description": "the address, with http:// or https://"},
		"query":   query,
		"headers": headers,
	}
	if m.body {
		props["json"] = map[string]any{"description": "the body, sent as JSON"}
		props["body"] = map[string]any{"type": "string", "description": "the body, sent as text"}
	}
	return object(props, "url")
}

func callHTTP(ctx context.Context, c *client, m method, call Call) (Result, error) {
	x, err := httpExchange(m, call)
	if err != nil {
		return Result{}, c.redact(badParams(call.Tool, err.Error()))
	}
	r, err := c.do(ctx, x)
	if err != nil {
		return Result{}, err
	}
	data := map[string]any{"status": r.status, "headers": headerMap(r.header), "body": r.value()}
	if r.cut {
		data["truncated"] = true
	}
	return Result{Data: c.opts.Redactor.RedactValue(data)}, nil
}

func httpExchange(m method, call Call) (exchange, error) {
	text, _ := call.Params["url"].(string)
	u, err := parseAddress(text)
	if err != nil {
		return exchange{}, fmt.Errorf("url %w", err)
	}
	x := exchange{method: m.name, url: u, header: http.Header{}, key: call.Key, safe: m.effects == flow.EffectsRead}
	query, _ := call.Params["query"].(map[string]any)
	addQuery(u, query)
	headers, _ := call.Params["headers"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if err := setHeader(x.header, name, scalarText(headers[name])); err != nil {
			return exchange{}, err
		}
	}
	if !m.body {
		return x, nil
	}
	value, isJSON := call.Params["json"]
	body, isText := call.Params["body"].(string)
	switch {
	case isJSON && isText:
		return exchange{}, fmt.Errorf("json and body exclude each other")
	case isJSON:
		return x, x.setJSON(value)
	case isText:
		x.body = []byte(body)
		if x.header.Get("Content-Type") == "" {
			x.header.Set("Content-Type", "text/plain; charset=utf-8")
		}
	}
	return x, nil
}

func (x *exchange) setJSON(value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("the body cannot be written as JSON")
	}
	x.body = body
	if x.header.Get("Content-Type") == "" {
		x.header.Set("Content-Type", "application/json")
	}
	return nil
}

func addQuery(u *url.URL, query map[string]any) {
	if len(query) == 0 {
		return
	}
	values := url.Values{}
	for name, v := range query {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, item := range list {
			values.Add(name, scalarText(item))
		}
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += values.Encode()
}

// ownHeaders are set by the program or the protocol, never by a flow.
var ownHeaders = []string{
	"Idempotency-Key", "Host", "Connection", "Content-Length", "Transfer-Encoding", "Te", "Trailer", "Upgrade", "Keep-Alive", "Expect",
	"Accept-Encoding",
}

// setHeader adds a header that cannot change the meaning of the request around it.
func setHeader(h http.Header, name, value string) error {
	canonical := http.CanonicalHeaderKey(name)
	switch {
	case !isToken(name):
		return fmt.Errorf("headers: %q is not the name of a header", name)
	case slices.Contains(ownHeaders, canonical) || strings.HasPrefix(canonical, "Proxy-"):
		return fmt.Errorf("headers: %s is set by the program itself; leave it out", canonical)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return fmt.Errorf("headers: the value of %s holds a line break or another control character", canonical)
	}
	h.Set(canonical, value)
	return nil
}

func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("()<>@,;:\\\"/[]?={}", r)
	})
}

// scalarText writes a value into an address or a header.
func scalarText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case map[string]any, []any:
		b, _ := json.Marshal(v)
		return string(b)
	default:
		return fmt.Sprint(v)
	}
}

func headerMap(h http.Header) map[string]any {
	out := map[string]any{}
	for name, values := range h {
		if name == "Set-Cookie" { // a session of the service; nothing here could use it, and it is a secret
			continue
		}
		out[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return out
}

// value is the body as data: parsed if it is JSON, nil if it is empty, a note if it is not text.
func (r *reply) value() any {
	if len(r.body) == 0 {
		return nil
	}
	declared := r.header.Get("Content-Type")
	media, _, _ := mime.ParseMediaType(declared)
	if !r.cut && (media == "application/json" || strings.HasSuffix(media, "+json") || declared == "") {
		if v, ok := parsed(r.body); ok {
			return v
		}
	}
	if !strings.HasPrefix(media, "text/") && !r.cut && !utf8.Valid(r.body) {
		return fmt.Sprintf("(%d bytes of %s)", len(r.body), strings.ToValidUTF8(media, ""))
	}
	return strings.ToValidUTF8(string(r.body), "\ufffd")
}

// parsed reads one JSON value. Numbers stay json.Number, so that long order numbers keep their digits.
func parsed(body []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, errors.Is(err, io.EOF)
}
