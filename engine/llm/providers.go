package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Price is what a model costs, in USD for a million tokens.
type Price struct {
	Input, Output float64
	CachedInput   *float64 // nil = as Input
}

// Cost gives the price of a usage in USD.
func (p Price) Cost(u Usage) float64 {
	cached := p.Input
	if p.CachedInput != nil {
		cached = *p.CachedInput
	}
	return (p.Input*float64(u.Input-u.Cached) + cached*float64(u.Cached) + p.Output*float64(u.Output)) / 1e6
}

// Quota is what one person may use in a day. Zero is no limit.
type Quota struct {
	Tokens int
	USD    float64
}

// Terms are what holds for a model before it is asked.
type Terms struct {
	Provider string
	Model    string // the full name, as usages have it
	Price    *Price // nil = not known
	PerDay   Quota  // of one person, at this provider
}

// TermsOf says what holds for a model of the given name; empty = the default. Models that tell nothing have no price.
func TermsOf(m Model, name string) Terms {
	if t, ok := m.(interface{ Terms(model string) Terms }); ok {
		return t.Terms(name)
	}
	return Terms{Model: name}
}

// Provider is a service with models.
type Provider struct {
	OpenAIOptions
	PerDay Quota // of one person
}

// Providers is a [Model] behind several services. A model is called "provider/model", or "model" at the default provider.
type Providers struct {
	list    []Provider // the default first
	clients []*OpenAI
}

var providerName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// NewProviders makes a model of services, the default one first. The error says what is wrong with any of them.
func NewProviders(list ...Provider) (*Providers, error) {
	var problems []error
	seen := map[string]bool{}
	p := &Providers{list: list}
	if len(list) == 0 {
		problems = append(problems, errors.New("no model provider is given"))
	}
	for _, one := range list {
		if !providerName.MatchString(one.Name) {
			problems = append(problems, fmt.Errorf("a model provider cannot be called %q: use lower-case letters, digits, _ and -", one.Name))
		}
		if seen[one.Name] {
			problems = append(problems, fmt.Errorf("two model providers are called %q", one.Name))
		}
		seen[one.Name] = true
		if err := one.check(); err != nil {
			problems = append(problems, err)
		}
		p.clients = append(p.clients, NewOpenAI(one.OpenAIOptions))
	}
	return p, errors.Join(problems...)
}

// check says which settings cannot work, or would never have an effect.
func (p Provider) check() error {
	problems := []error{p.Check()}
	wrong := func(is bool, format string, args ...any) {
		if is {
			problems = append(problems, fmt.Errorf("the model provider %q: "+format, append([]any{p.Name}, args...)...))
		}
	}
	wrong(p.Pace < 0 || p.PerDay.Tokens < 0 || p.PerDay.USD < 0, "a limit is below zero")
	for name, price := range p.Prices {
		wrong(price.Input < 0 || price.Output < 0 || price.CachedInput != nil && *price.CachedInput < 0, "the price of %s is below zero", name)
	}
	_, known := p.Prices[p.Model]
	wrong(p.PerDay.USD > 0 && !known, "a limit in USD needs the price of %s, its default model", p.Model)
	return errors.Join(problems...)
}

// find gives the provider of a model, and the model's name there.
func (p *Providers) find(model string) (index int, name string) {
	if at, rest, ok := strings.Cut(model, "/"); ok && rest != "" {
		if i := slices.IndexFunc(p.list, func(o Provider) bool { return o.Name == at }); i >= 0 {
			return i, rest
		}
	}
	if i := slices.IndexFunc(p.list, func(o Provider) bool { return o.Name == model }); i >= 0 {
		return i, p.list[i].Model // a provider alone is its default model
	}
	return 0, cmp.Or(model, p.list[0].Model)
}

// full is the name of a model under which it is found again.
func (p *Providers) full(index int, name string) string {
	if i, same := p.find(name); i == index && same == name {
		return name
	}
	return p.list[index].Name + "/" + name
}

// Terms says what holds for a model.
func (p *Providers) Terms(model string) Terms {
	i, name := p.find(model)
	t := p.clients[i].Terms(name)
	t.Model, t.PerDay = p.full(i, name), p.list[i].PerDay
	return t
}

// List gives the providers, the default first.
func (p *Providers) List() []Provider { return slices.Clone(p.list) }

// Listed names the models that the providers list: the default of each, and those with a price.
func (p *Providers) Listed() []string {
	var all []string
	for i, one := range p.list {
		for _, name := range append([]string{one.Model}, slices.Sorted(maps.Keys(one.Prices))...) {
			if full := p.full(i, name); !slices.Contains(all, full) {
				all = append(all, full)
			}
		}
	}
	return all
}

// Chat asks the provider that the request's model names.
func (p *Providers) Chat(ctx context.Context, r Request) (Response, error) {
	i, name := p.find(r.Model)
	r.Model = name
	res, err := p.clients[i].Chat(ctx, r)
	res.Usage.Model = p.full(i, name)
	return res, err
}
