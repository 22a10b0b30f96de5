package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
)

func TestProvidersAreChosenByName(t *testing.T) {
	t.Parallel()
	main, other := llmtest.New(t), llmtest.New(t)
	for _, s := range []*llmtest.Server{main, other} {
		s.Script(func(llmtest.Request) llmtest.Reply {
			return llmtest.Reply{Text: "x", Input: 1000, Cached: 600, Output: 100}
		})
	}
	half := 0.5
	p, err := llm.NewProviders(
		llm.Provider{OpenAIOptions: llm.OpenAIOptions{Name: "main", BaseURL: main.URL, Key: "k1", Model: "small", Prices: map[string]llm.Price{"small": {Input: 2, Output: 10, CachedInput: &half}}}},
		llm.Provider{
			OpenAIOptions: llm.OpenAIOptions{Name: "other", BaseURL: other.URL, Key: "k2", Model: "big", Prices: map[string]llm.Price{"big": {Input: 1, Output: 1}}},
			PerDay:        llm.Quota{Tokens: 5},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		server *llmtest.Server
		asked  string
		full   string
		priced bool
		usd    float64
	}{
		"":              {main, "small", "small", true, (400*2 + 600*0.5 + 100*10) / 1e6},
		"small":         {main, "small", "small", true, (400*2 + 600*0.5 + 100*10) / 1e6},
		"main/small":    {main, "small", "small", true, (400*2 + 600*0.5 + 100*10) / 1e6},
		"other":         {other, "big", "other/big", true, 1100 / 1e6},
		"other/big":     {other, "big", "other/big", true, 1100 / 1e6},
		"other/a/b":     {other, "a/b", "other/a/b", false, 0},
		"vendor/model":  {main, "vendor/model", "vendor/model", false, 0},
		"main/other/x":  {main, "other/x", "main/other/x", false, 0},
		"large":         {main, "large", "large", false, 0},
		"other/":        {main, "other/", "other/", false, 0},
		"main/main/odd": {main, "main/odd", "main/main/odd", false, 0},
	} {
		before := len(want.server.Requests())
		r := ask("x")
		r.Model = name
		res, err := p.Chat(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		usage := llm.Usage{Model: want.full, Input: 1000, Cached: 600, Output: 100, USD: want.usd, Priced: want.priced}
		if diff := cmp.Diff(usage, res.Usage); diff != "" {
			t.Errorf("%q: %s", name, diff)
		}
		got := want.server.Requests()
		if len(got) != before+1 || got[before].Model != want.asked {
			t.Errorf("%q: the wrong provider was asked, or for the wrong model", name)
		}
		terms := llm.TermsOf(p, name)
		if terms.Model != want.full || (terms.Price != nil) != want.priced || (terms.PerDay.Tokens == 5) != (want.server == other) {
			t.Errorf("%q: terms %+v", name, terms)
		}
	}
}

func TestProvidersThatCannotWork(t *testing.T) {
	t.Parallel()
	one := func(change func(*llm.Provider)) []llm.Provider {
		p := llm.Provider{OpenAIOptions: llm.OpenAIOptions{Name: "a", Model: "m"}}
		change(&p)
		return []llm.Provider{p}
	}
	for want, list := range map[string][]llm.Provider{
		"no model provider":   nil,
		`called "a b"`:        one(func(p *llm.Provider) { p.Name = "a b" }),
		"no default model":    one(func(p *llm.Provider) { p.Model = "" }),
		`model provider "a"`:  one(func(p *llm.Provider) { p.BaseURL = "ftp://x" }),
		"is below zero":       one(func(p *llm.Provider) { p.PerDay.Tokens = -1 }),
		"the price of m":      one(func(p *llm.Provider) { p.Prices = map[string]llm.Price{"m": {Input: -1}} }),
		"needs the price":     one(func(p *llm.Provider) { p.PerDay.USD = 1 }),
		`are called "a"`:      append(one(func(*llm.Provider) {}), one(func(*llm.Provider) {})...),
		"must begin with htt": one(func(p *llm.Provider) { p.BaseURL = "localhost" }),
	} {
		if _, err := llm.NewProviders(list...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// An error names the provider, its host, what it answered, and what to do; the key is not in it.
func TestErrorsNameTheProvider(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Script(func(llmtest.Request) llmtest.Reply { return llmtest.Fail(503) })
	m := model(t, s, func(o *llm.OpenAIOptions) { o.Name, o.KeyName, o.Attempts = "acme", "ACME_KEY", 1 })
	_, err := m.Chat(t.Context(), ask("x"))
	e, ok := errors.AsType[*llm.Error](err)
	host := strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/v1")
	want := `the model provider "acme" (` + host + `) answered 503 Service Unavailable: scripted failure; it is broken or overloaded: wait, or look at its status page`
	if !ok || e.Message != want || !e.Away || e.Status != 503 {
		t.Errorf("got %+v", e)
	}
	s.Script(func(llmtest.Request) llmtest.Reply { return llmtest.Fail(401) })
	if _, err = m.Chat(t.Context(), ask("x")); !strings.Contains(err.Error(), "check its key, ACME_KEY") {
		t.Errorf("got %v", err)
	}
}

// More requests than the pace allows wait; one that could not be made in time says so.
func TestRequestsAMinute(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Script(func(llmtest.Request) llmtest.Reply { return llmtest.Text("x") })
	m := model(t, s, func(o *llm.OpenAIOptions) { o.Pace = 1 })
	if _, err := m.Chat(t.Context(), ask("x")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := m.Chat(ctx, ask("x"))
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Type != "RateLimitError" || !e.Away || !strings.Contains(e.Message, "requests_per_minute") {
		t.Errorf("got %v", err)
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestUsagesAddUp(t *testing.T) {
	t.Parallel()
	priced := llm.Usage{Model: "a", Input: 10, Output: 1, USD: 0.5, Priced: true}
	unknown := llm.Usage{Model: "b", Input: 5, Output: 1}
	if got := (llm.Usage{}).Add(priced); got != priced {
		t.Errorf("got %+v", got)
	}
	if got, want := priced.Add(unknown), (llm.Usage{Model: "b", Input: 15, Output: 2, USD: 0.5}); got != want {
		t.Errorf("got %+v", got)
	}
}
