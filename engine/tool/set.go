package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Set is a catalogue that holds its tools in memory. Tools may come and go while others look them up.
type Set struct {
	mu    sync.RWMutex
	tools map[string]Tool
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$`)

const maxName = 62 // characters; with __ for the dot, a name still fits what models accept

// New makes a catalogue. The error joins every problem: a bad or repeated name, a schema that is none.
func New(tools ...Tool) (*Set, error) {
	s := &Set{tools: map[string]Tool{}}
	if err := s.Add(tools...); err != nil {
		return nil, err
	}
	return s, nil
}

// Add puts all the tools into the catalogue, or none if one of them is not right or its name is taken.
func (s *Set) Add(tools ...Tool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := map[string]Tool{}
	var problems []error
	for _, t := range tools {
		_, taken := s.tools[t.Name]
		if _, twice := added[t.Name]; twice || taken {
			problems = append(problems, fmt.Errorf("the tool %s is declared twice", t.Name))
			continue
		}
		checked, err := checking(t)
		if err != nil {
			problems = append(problems, fmt.Errorf("the tool %s: %w", t.Name, err))
			continue
		}
		added[t.Name] = checked
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	maps.Copy(s.tools, added)
	return nil
}

// Remove takes tools out of the catalogue; names that are not in it do not matter. Calls under way go on.
func (s *Set) Remove(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		delete(s.tools, name)
	}
}

// Lookup finds a tool. Its Call checks the parameters before it does anything.
func (s *Set) Lookup(name string) (Tool, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, ok := s.tools[name]
	return t, ok
}

// All lists the tools by name.
func (s *Set) All() []Tool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]Tool, 0, len(s.tools))
	for _, t := range s.tools {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// checking verifies a tool and puts the check of its parameters before its Call.
func checking(t Tool) (Tool, error) {
	switch {
	case !nameForm.MatchString(t.Name):
		return Tool{}, errors.New("a name has the form module.action, in small letters, digits, _ and -")
	case len(t.Name) > maxName:
		return Tool{}, fmt.Errorf("the name is longer than %d characters", maxName)
	case t.Call == nil:
		return Tool{}, errors.New("nothing performs it")
	case t.Effects != "" && !knownEffects(t.Effects):
		return Tool{}, fmt.Errorf("effects %q is none of read, idempotent, once", t.Effects)
	}
	if t.Policy == "" {
		t.Policy = Allow
	}
	params, err := CompileSchema(t.Params)
	if err != nil {
		return Tool{}, fmt.Errorf("params: %w", err)
	}
	if _, err := CompileSchema(t.Result); err != nil {
		return Tool{}, fmt.Errorf("result: %w", err)
	}
	call, declared := t.Call, t.Params
	t.Call = func(ctx context.Context, c Call) (Result, error) {
		c.Params = withDefaults(declared, c.Params)
		if err := checkParams(t.Name, params, c.Params); err != nil {
			return Result{}, err
		}
		return call(ctx, c)
	}
	return t, nil
}

// CheckParams says what is wrong with the parameters of a call as a *[Error] of type ParameterError that names every
// parameter concerned, or nil. Tools looked up in a [Set] do this by themselves before each call.
func CheckParams(t Tool, params map[string]any) error {
	schema, err := CompileSchema(t.Params)
	if err != nil {
		return &Error{Type: "ParameterError", Message: t.Name + ": " + err.Error(), Permanent: true, Err: err}
	}
	return checkParams(t.Name, schema, withDefaults(t.Params, params))
}

// withDefaults gives the parameters with the schema's defaults for those that are absent.
func withDefaults(schema, params map[string]any) map[string]any {
	all := map[string]any{}
	props, _ := schema["properties"].(map[string]any)
	for name, p := range props {
		if s, ok := p.(map[string]any); ok && s["default"] != nil {
			all[name] = s["default"]
		}
	}
	maps.Copy(all, params)
	return all
}

func checkParams(name string, schema *Schema, params map[string]any) error {
	problems := schema.Check(params)
	if len(problems) == 0 {
		return nil
	}
	return badParams(name, strings.Join(problems, "; "))
}

func badParams(name, message string) *Error {
	return &Error{Type: "ParameterError", Message: name + ": " + message, Permanent: true}
}
