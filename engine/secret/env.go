package secret

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Prefix is what the environment variables that hold secrets begin with.
const Prefix = "SLUICE_SECRET_"

const (
	hostsSuffix = "_HOSTS"
	flowsSuffix = "_FLOWS"
	minLength   = 4 // characters of a value; see the package comment
)

// Env is the source that reads the environment once, when it is made. It is safe for concurrent use.
type Env struct {
	secrets  map[string]entry
	redactor *Redactor
}

type entry struct {
	value string
	hosts []string // nil = not bound to any host
	flows []string // nil = every flow
}

// NewEnv reads secrets from variables in the form of os.Environ. The error joins every problem: bindings of a secret that
// is not set, values that are too short, names and bindings that cannot be meant.
func NewEnv(environ []string) (*Env, error) {
	e := &Env{secrets: map[string]entry{}}
	lists := map[string]string{}
	var problems []error
	for _, variable := range environ {
		key, value, _ := strings.Cut(variable, "=")
		name, ok := strings.CutPrefix(key, Prefix)
		if !ok {
			continue
		}
		if _, suffix := binding(name); suffix != "" {
			lists[name] = value
			continue
		}
		if err := checkValue(name, value); err != nil {
			problems = append(problems, err)
			continue
		}
		e.secrets[name] = entry{value: value}
	}
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		if err := e.bind(key, lists[key]); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	values := map[string]string{}
	for name, s := range e.secrets {
		values[name] = s.value
	}
	e.redactor = NewRedactor(values)
	return e, nil
}

// RedactorWith gives a redactor that knows more secrets by name, such as those of the settings.
func (e *Env) RedactorWith(more map[string]string) *Redactor {
	values := map[string]string{}
	maps.Copy(values, more)
	for name, s := range e.secrets {
		values[name] = s.value
	}
	return NewRedactor(values)
}

func checkValue(name, value string) error {
	switch {
	case !nameForm.MatchString(name):
		return fmt.Errorf("%s%s: the name of a secret is made of capitals, digits and _", Prefix, name)
	case len([]rune(essence(value))) < minLength:
		return fmt.Errorf("%s%s: the value is shorter than %d characters, too short to be kept out of texts", Prefix, name, minLength)
	}
	return nil
}

// binding splits SHOP_TOKEN_HOSTS into SHOP_TOKEN and _HOSTS.
func binding(name string) (secret, suffix string) {
	for _, suffix := range []string{hostsSuffix, flowsSuffix} {
		if secret, ok := strings.CutSuffix(name, suffix); ok && secret != "" {
			return secret, suffix
		}
	}
	return name, ""
}

func (e *Env) bind(key, list string) error {
	name, suffix := binding(key)
	s, ok := e.secrets[name]
	if !ok {
		return fmt.Errorf("%s%s: there is no %s%s that it could bind", Prefix, key, Prefix, name)
	}
	entries := []string{}
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if suffix == hostsSuffix {
			part = strings.ToLower(part)
			if err := checkHost(part); err != nil {
				return fmt.Errorf("%s%s: %w", Prefix, key, err)
			}
		}
		entries = append(entries, part)
	}
	if suffix == hostsSuffix {
		s.hosts = entries
	} else {
		s.flows = entries
	}
	e.secrets[name] = s
	return nil
}

func checkHost(entry string) error {
	rest := strings.TrimPrefix(entry, "*.")
	if rest == "" || strings.ContainsAny(rest, "*/@ ") {
		return fmt.Errorf("%q is not a host; write api.example.com, *.example.com or host:port", entry)
	}
	return nil
}

// Names lists the secrets that are set.
func (e *Env) Names() []string { return slices.Sorted(maps.Keys(e.secrets)) }

// Redactor gives the redactor that knows every secret of the environment.
func (e *Env) Redactor() *Redactor { return e.redactor }

// Resolve gives the value if the secret is set and bound to the use; see [Source].
func (e *Env) Resolve(_ context.Context, name string, use Use) (string, error) {
	s, ok := e.secrets[name]
	if !ok {
		return "", e.missing(name)
	}
	if s.flows != nil && !slices.Contains(s.flows, use.Flow) {
		return "", fmt.Errorf("secret.%s is not for %s; add the flow to %s%s%s to allow it: %w",
			name, flowWords(use.Flow), Prefix, name, flowsSuffix, ErrNotBound)
	}
	if s.hosts == nil {
		if use.Declared {
			return s.value, nil
		}
		return "", fmt.Errorf("secret.%s is bound to no host, so %s cannot use it; set %s%s%s to the hosts that may receive it: %w",
			name, flowWords(use.Flow), Prefix, name, hostsSuffix, ErrNotBound)
	}
	if use.Host == "" {
		return "", fmt.Errorf("secret.%s is for %s only, and %s sends its parameters to no fixed host: %w",
			name, strings.Join(s.hosts, ", "), use.Tool, ErrNotBound)
	}
	if host := strings.ToLower(use.Host); !slices.ContainsFunc(s.hosts, func(entry string) bool { return hostMatches(entry, host) }) {
		return "", fmt.Errorf("secret.%s is not for %s; add the host to %s%s%s to allow it: %w",
			name, use.Host, Prefix, name, hostsSuffix, ErrNotBound)
	}
	return s.value, nil
}

func (e *Env) missing(name string) error {
	if up := strings.ToUpper(name); up != name {
		if _, ok := e.secrets[up]; ok {
			return fmt.Errorf("secret.%s does not exist; did you mean secret.%s? %w", name, up, ErrMissing)
		}
	}
	if !ValidName(name) {
		return fmt.Errorf("secret.%s cannot exist: a name is made of capitals, digits and _, and does not end in %s or %s: %w",
			name, hostsSuffix, flowsSuffix, ErrMissing)
	}
	return fmt.Errorf("secret.%s has no value; set the environment variable %s%s: %w", name, Prefix, name, ErrMissing)
}

func flowWords(flow string) string {
	if flow == "" {
		return "a call outside a flow"
	}
	return "the flow " + flow
}

// hostMatches compares a binding with a host. *.example.com covers every name below example.com, not example.com itself.
func hostMatches(entry, host string) bool {
	host, entry = strings.TrimSuffix(host, ":443"), strings.TrimSuffix(entry, ":443")
	if tail, ok := strings.CutPrefix(entry, "*"); ok {
		return len(host) > len(tail) && strings.HasSuffix(host, tail)
	}
	return entry == host
}
