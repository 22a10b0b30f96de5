package models

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"sluice/engine/llm"
	"sluice/engine/secret"
)

// Settings name the services whose language models answer for agents.
type Settings struct {
	OpenAIKey     string `name:"openai-api-key" env:"OPENAI_API_KEY" help:"Key of the language model's service." secret:""`
	OpenAIBaseURL string `name:"openai-base-url" env:"OPENAI_BASE_URL" help:"Address of an OpenAI-compatible service."`
	OpenAIModel   string `name:"openai-model" env:"OPENAI_MODEL" help:"Default model of agents."`
	DraftModel    string `name:"draft-model" env:"SLUICE_DRAFT_MODEL" help:"Model that makes drafts from words; default: the default model."`
	Models        string `name:"models" env:"SLUICE_MODELS" help:"File of model providers, with prices and limits." type:"path"`
}

// DefaultProvider is the provider of the three variables. An entry of that name in the file adds to it.
const DefaultProvider = "default"

type modelsFile struct {
	Providers []providerEntry `yaml:"providers"`
}

type providerEntry struct {
	Name      string                `yaml:"name"`
	BaseURL   string                `yaml:"base_url"`
	Key       string                `yaml:"key"`   // the variable that holds it, or secret.NAME
	Model     string                `yaml:"model"` // the default one
	Prices    map[string]priceEntry `yaml:"prices"`
	PerMinute int                   `yaml:"requests_per_minute"`
	PerDay    struct {
		Tokens int     `yaml:"tokens"`
		USD    float64 `yaml:"usd"`
	} `yaml:"per_person_and_day"`
}

// priceEntry is in USD for a million tokens.
type priceEntry struct {
	Input       *float64 `yaml:"input"`
	CachedInput *float64 `yaml:"cached_input"`
	Output      *float64 `yaml:"output"`
}

// List gives the configured providers, the default one first, and what is wrong with them.
func (s *Settings) List() (list []llm.Provider, problems []string) {
	if s.OpenAIKey != "" || s.OpenAIBaseURL != "" || s.OpenAIModel != "" {
		list = append(list, llm.Provider{OpenAIOptions: llm.OpenAIOptions{
			Name: DefaultProvider, BaseURL: s.OpenAIBaseURL, Key: s.OpenAIKey, KeyName: "OPENAI_API_KEY", Model: s.OpenAIModel,
		}})
	}
	entries, err := s.entries()
	if err != nil {
		return list, []string{err.Error()}
	}
	for _, e := range entries {
		p := llm.Provider{}
		own := e.Name == DefaultProvider && len(list) > 0 && list[0].Name == DefaultProvider
		if own {
			p = list[0]
		}
		problems = append(problems, e.into(&p)...)
		if own {
			list[0] = p
			continue
		}
		list = append(list, p)
	}
	if len(list) > 0 && s.OpenAIModel == "" && list[0].Name == DefaultProvider && list[0].Model == "" {
		return list, append(problems, "OPENAI_MODEL must name the default model when a model's service is configured")
	}
	if len(list) > 0 {
		if _, err := llm.NewProviders(list...); err != nil {
			problems = append(problems, strings.Split(err.Error(), "\n")...)
		}
	}
	return list, problems
}

// entries reads the file. Its values are not in the error: somebody may have written a key into it.
func (s *Settings) entries() ([]providerEntry, error) {
	if s.Models == "" {
		return nil, nil
	}
	src, err := os.ReadFile(s.Models)
	if err != nil {
		return nil, fmt.Errorf("SLUICE_MODELS: the file %s cannot be read: %w", s.Models, errors.Unwrap(err))
	}
	var f modelsFile
	err = yaml.NewDecoder(bytes.NewReader(src), yaml.Strict()).Decode(&f)
	if err != nil && !errors.Is(err, io.EOF) {
		where := ""
		if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil {
			where = fmt.Sprintf(":%d:%d", e.GetToken().Position.Line, e.GetToken().Position.Column)
			err = errors.New(e.GetMessage())
		}
		return nil, fmt.Errorf("SLUICE_MODELS: %s%s: %w", s.Models, where, err)
	}
	if len(f.Providers) == 0 {
		return nil, fmt.Errorf("SLUICE_MODELS: %s lists no providers", s.Models)
	}
	return f.Providers, nil
}

var variableName = regexp.MustCompile(`^(secret\.)?[A-Z][A-Z0-9_]*$`)

// into overlays a provider with what the file says of it.
func (e providerEntry) into(p *llm.Provider) (problems []string) {
	p.Name, p.BaseURL, p.Model = cmp.Or(e.Name, p.Name), cmp.Or(e.BaseURL, p.BaseURL), cmp.Or(e.Model, p.Model)
	p.Pace, p.PerDay = e.PerMinute, llm.Quota{Tokens: e.PerDay.Tokens, USD: e.PerDay.USD}
	wrong := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf("the model provider %q: "+format, append([]any{e.Name}, args...)...))
	}
	if e.Key != "" {
		name := e.Key
		if own, is := strings.CutPrefix(name, "secret."); is {
			name = "SLUICE_SECRET_" + own
		}
		p.Key, p.KeyName = os.Getenv(name), name
		switch {
		case !variableName.MatchString(e.Key):
			p.Key, p.KeyName = "", ""
			wrong("key is the name of the environment variable that holds the key, such as ACME_KEY, or secret.ACME: never the key itself")
		case p.Key == "":
			wrong("the variable %s, which holds its key, is not set", name)
		}
	}
	p.Prices = map[string]llm.Price{}
	for _, model := range slices.Sorted(maps.Keys(e.Prices)) {
		price := e.Prices[model]
		if price.Input == nil || price.Output == nil {
			wrong("the price of %s needs input and output, in USD for a million tokens", model)
			continue
		}
		p.Prices[model] = llm.Price{Input: *price.Input, Output: *price.Output, CachedInput: price.CachedInput}
	}
	return problems
}

// HasModel reports whether any provider is configured.
func (s *Settings) HasModel() bool { return s.OpenAIModel != "" || s.Models != "" }

// Open gives the language models, or nil when none is configured.
func (s *Settings) Open() (llm.Model, error) {
	if !s.HasModel() {
		return nil, nil
	}
	list, problems := s.List()
	if len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "; "))
	}
	return llm.NewProviders(list...)
}

// Secrets are the keys of the providers, and what else is secret of their addresses.
func (s *Settings) Secrets() map[string]string {
	all := map[string]string{}
	list, _ := s.List()
	for _, p := range list {
		all["key of "+p.Name] = p.Key
		for i, value := range secret.AddressSecrets(p.BaseURL) {
			all[fmt.Sprintf("address of %s %d", p.Name, i+1)] = value
		}
	}
	return all
}

// Rows show the providers of the file, without their keys.
func (s *Settings) Rows(row func(name, value string)) {
	row("draft-model", cmp.Or(s.DraftModel, "(the default model)"))
	row("models", cmp.Or(s.Models, "(none)"))
	if s.Models == "" {
		return
	}
	list, _ := s.List()
	for _, p := range list {
		words := []string{p.Model + " at " + cmp.Or(p.BaseURL, llm.DefaultBaseURL)}
		add := func(is bool, format string, args ...any) {
			if is {
				words = append(words, fmt.Sprintf(format, args...))
			}
		}
		add(p.KeyName != "", "key in %s", p.KeyName)
		for _, model := range slices.Sorted(maps.Keys(p.Prices)) {
			add(true, "%s costs %g/%g USD", model, p.Prices[model].Input, p.Prices[model].Output)
		}
		add(p.Pace > 0, "%d requests a minute", p.Pace)
		add(p.PerDay.Tokens > 0, "%d tokens per person and day", p.PerDay.Tokens)
		add(p.PerDay.USD > 0, "%g USD per person and day", p.PerDay.USD)
		row("provider "+p.Name, strings.Join(words, "; "))
	}
}

// Listed names the models of the providers; nil = no model is configured.
func (s *Settings) Listed() []string {
	if !s.HasModel() {
		return nil
	}
	list, _ := s.List() // a list needs no keys
	all, err := llm.NewProviders(list...)
	if err != nil {
		return nil
	}
	return all.Listed()
}

// Priced says whether the price of a model is known; nil = no model is configured.
func (s *Settings) Priced() func(model string) (string, bool) {
	if !s.HasModel() {
		return nil
	}
	list, _ := s.List() // a check needs no keys
	all, err := llm.NewProviders(list...)
	if err != nil {
		return nil
	}
	return func(model string) (string, bool) {
		terms := all.Terms(model)
		return terms.Model, terms.Price != nil
	}
}
