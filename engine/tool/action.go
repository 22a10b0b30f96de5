package tool

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/secret"
)

// action is a declared tool over HTTP, ready to be called.
type action struct {
	tool    Tool // without Call
	method  method
	target  *target
	headers []headerTemplate
	body    any  // templates in place of texts; used when hasBody
	hasBody bool // a body was written out
	client  *client
	secrets secret.Source
}

type headerTemplate struct {
	name  string
	value template
}

// asTool gives the action as a tool.
func (a *action) asTool() Tool {
	t := a.tool
	t.Call = a.call
	return t
}

func (a *action) call(ctx context.Context, c Call) (Result, error) {
	x, err := a.exchange(ctx, c)
	if err != nil {
		return Result{}, err
	}
	r, err := a.client.do(ctx, x)
	if err != nil {
		return Result{}, err
	}
	return Result{Data: a.client.opts.Redactor.RedactValue(r.value())}, nil
}

func (a *action) exchange(ctx context.Context, c Call) (exchange, error) {
	params := withDefaults(a.tool.Params, c.Params)
	value := func(name string) (any, bool) { v, ok := params[name]; return v, ok && v != nil }
	u, err := a.target.address(value)
	if err != nil {
		return exchange{}, a.bad(err)
	}
	x := exchange{
		method: a.method.name, url: u, header: http.Header{}, key: c.Key, safe: a.tool.Effects == flow.EffectsRead, oneHost: true,
	}
	for _, h := range a.headers {
		if err := a.setHeader(ctx, x.header, h, c.Flow, value); err != nil {
			return exchange{}, err
		}
	}
	if err := a.addBody(&x, params, value); err != nil {
		return exchange{}, a.bad(err)
	}
	return x, nil
}

func (a *action) bad(err error) error {
	return a.client.redact(badParams(a.tool.Name, err.Error()))
}

// addBody puts the parameters where they belong: as the body says, else as JSON or, without a body, into the query.
func (a *action) addBody(x *exchange, params map[string]any, value func(string) (any, bool)) error {
	if a.hasBody {
		body, _ := fill(a.body, value)
		return x.setJSON(body)
	}
	rest := maps.Clone(params)
	for _, name := range a.target.params() {
		delete(rest, name)
	}
	for _, h := range a.headers {
		for _, name := range h.value.params() {
			delete(rest, name)
		}
	}
	if a.method.body {
		return x.setJSON(rest)
	}
	addQuery(x.url, rest)
	return nil
}

// setHeader adds a declared header; one with an absent parameter is left out.
func (a *action) setHeader(ctx context.Context, into http.Header, h headerTemplate, flowName string, value func(string) (any, bool)) error {
	if slices.ContainsFunc(h.value.params(), func(name string) bool { _, ok := value(name); return !ok }) {
		return nil
	}
	var failed error
	text, err := h.value.render(func(p templatePart) (string, error) {
		if p.secret != "" {
			s, err := a.resolve(ctx, p.secret, flowName)
			failed = err
			return s, err
		}
		v, _ := value(p.param)
		return scalar(p.param, v)
	})
	switch {
	case failed != nil:
		return a.client.redact(&Error{Type: "AuthenticationError", Message: a.tool.Name + ": " + failed.Error(), Permanent: true, Err: failed})
	case err != nil:
		return a.bad(err)
	}
	if err := setHeader(into, h.name, text); err != nil {
		return a.bad(err)
	}
	return nil
}

func (a *action) resolve(ctx context.Context, name, flowName string) (string, error) {
	if a.secrets == nil {
		return "", fmt.Errorf("secret.%s: %w", name, secret.ErrMissing)
	}
	return a.secrets.Resolve(ctx, name, secret.Use{Flow: flowName, Tool: a.tool.Name, Host: a.tool.Host, Declared: true})
}

// fill puts parameters into a body. A text that is one parameter keeps the parameter's type; if that is absent, so is
// the key that it stands for.
func fill(body any, value func(string) (any, bool)) (filled any, ok bool) {
	switch b := body.(type) {
	case template:
		if name, sole := b.sole(); sole {
			return value(name)
		}
		text, _ := b.render(func(p templatePart) (string, error) {
			v, _ := value(p.param)
			return scalarText(v), nil
		})
		return text, true
	case map[string]any:
		out := make(map[string]any, len(b))
		for key, item := range b {
			if v, ok := fill(item, value); ok {
				out[key] = v
			}
		}
		return out, true
	case []any:
		out := []any{}
		for _, item := range b {
			if v, ok := fill(item, value); ok {
				out = append(out, v)
			}
		}
		return out, true
	default:
		return b, true
	}
}

// clients gives one client per declared host, whose guard lets that host through. Actions of different hosts never share
// a connection, so what one may reach says nothing about another.
type clients struct {
	opts   Options
	guard  *guard
	byHost map[string]*client
}

func (cs *clients) forBase(base *url.URL) *client {
	host := base.Scheme + "://" + hostOf(base)
	if c, ok := cs.byHost[host]; ok {
		return c
	}
	g := cs.guard
	if a, ok := hostAllowance(base.Hostname(), portOf(base)); ok {
		g = g.with(a)
	}
	c := newClient(cs.opts, g)
	cs.byHost[host] = c
	return c
}

func portOf(u *url.URL) uint16 {
	switch {
	case u.Port() != "":
		var n uint16
		_, _ = fmt.Sscan(u.Port(), &n)
		return n
	case u.Scheme == "http":
		return 80
	default:
		return 443
	}
}

func sortedUnique(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}
