package typecheck

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/tool"
)

// schemas are compiled once for each part of a tool's schema.
type schemas map[uintptr]*tool.Schema

// check says what is wrong with a literal. A part of a schema that needs the rest of it, such as by a reference, says nothing.
func (s schemas) check(schema map[string]any, v any) []string {
	key := reflect.ValueOf(schema).Pointer()
	compiled, ok := s[key]
	if !ok {
		compiled, _ = tool.CompileSchema(schema)
		s[key] = compiled
	}
	return compiled.Check(v)
}

// params checks what one tool gets.
type params struct {
	*checker
	tool *tool.Tool
}

// call compares the parameters of a step with what its tool takes.
func (c *checker) call(at place, s *flow.ToolSpec) {
	t := c.tools[s.Tool]
	if t == nil || t.Params == nil {
		c.value(at, s.Params)
		return
	}
	p := params{c, t}
	if complexSchema(t.Params) {
		c.value(at, s.Params)
		if !dynamic(s.Params) {
			for _, phrase := range c.schemas.check(t.Params, s.Params) {
				c.error(at, -1, "wrong-params", fmt.Sprintf("'%s' refuses this: %s", t.Name, phrase), "")
			}
		}
		return
	}
	p.object(at, "", s.Params, t.Params)
}

// taken warns of the call of a step of another format that its tool surely refuses: by the names of its parameters.
func (c *checker) taken(at place, n *flow.Node) {
	s, ok := n.Spec.(*flow.ToolSpec)
	if !ok || len(n.Arrivals) > 0 || c.tools[s.Tool] == nil {
		return
	}
	p := params{c, c.tools[s.Tool]}
	schema, at := p.tool.Params, at.in("params")
	props := jsonschema.Properties(schema)
	for _, name := range sorted(s.Params) {
		if _, known := props[name]; !known && schema["additionalProperties"] == false {
			p.unknown(p.warn, at.in(name), name, name, props)
		}
	}
	p.missing(p.warn, at, "", s.Params, schema)
}

// missing reports the parameters that a tool needs and does not get.
func (p params) missing(report func(place, int, string, string, string), at place, prefix string, given, schema map[string]any) {
	props := jsonschema.Properties(schema)
	for _, name := range jsonschema.Required(schema) {
		member, _ := props[name].(map[string]any)
		if _, ok := given[name]; !ok && member["default"] == nil {
			report(at, -1, "missing-param", fmt.Sprintf("'%s' needs the parameter '%s'", p.tool.Name, prefix+name), fmt.Sprintf("write %s: ... under params", prefix+name))
		}
	}
}

// object compares an object with its schema, member by member.
func (p params) object(at place, prefix string, given, schema map[string]any) {
	props := jsonschema.Properties(schema)
	for _, name := range sorted(given) {
		here, label := at.in(name), prefix+name
		member, known := props[name]
		more, listed := schema["additionalProperties"]
		switch {
		case known:
			p.member(here, label, given[name], member)
			continue
		case listed && more != false:
			p.member(here, label, given[name], more)
			continue
		case listed:
			p.unknown(p.error, here, label, name, props)
		case len(props) > 0:
			p.unknown(p.warn, here, label, name, props)
		}
		p.value(here, given[name])
	}
	p.missing(p.error, at, prefix, given, schema)
}

func (p params) unknown(report func(place, int, string, string, string), at place, label, name string, props map[string]any) {
	hint := p.suggest(name, sorted(props))
	if hint == "" && len(props) > 0 && len(props) <= 12 {
		hint = "it takes " + strings.Join(sorted(props), ", ")
	}
	report(at, -1, "unknown-param", fmt.Sprintf("'%s' has no parameter '%s'", p.tool.Name, label), hint)
}

// member compares one value with its schema.
func (p params) member(at place, label string, v, schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		p.value(at, v)
		return
	}
	want := ofSchema(s)
	switch v := v.(type) {
	case map[string]any:
		if p.mayBe(at, label, object, want) {
			p.object(at, label+".", v, s)
		} else {
			p.value(at, v)
		}
	case []any:
		fits := p.mayBe(at, label, list, want)
		for i, item := range v {
			if fits {
				p.member(at.index(i), fmt.Sprintf("%s[%d]", label, i), item, want.schema["items"])
			} else {
				p.value(at.index(i), item)
			}
		}
	case string:
		p.text(at, label, v, s, want)
	default:
		p.literal(at, label, v, s)
	}
}

// mayBe reports a value of a kind that the schema does not allow.
func (p params) mayBe(at place, label string, is kinds, want shape) bool {
	if want.kinds != 0 && want.kinds&is == 0 {
		p.error(at, -1, "wrong-type", fmt.Sprintf("'%s' must be %s, not %s", label, want.kinds.words(), is.words()), "")
		return false
	}
	return want.schema != nil
}

func (p params) literal(at place, label string, v any, schema map[string]any) bool {
	problems := p.schemas.check(schema, v)
	for _, phrase := range problems {
		p.error(at, -1, "wrong-type", fmt.Sprintf("'%s' %s", label, strings.TrimPrefix(phrase, "the value ")), "")
	}
	return len(problems) == 0
}

// text compares a text, or what a template gives, with its schema.
func (p params) text(at place, label, v string, schema map[string]any, want shape) {
	means, sure := meaningOf(p.tool, label, schema)
	if !strings.Contains(v, "{{") {
		if p.literal(at, label, v, schema) {
			p.meant(at, label, v, schema, means, sure)
		}
		return
	}
	is := p.template(at, v)
	if is.kinds&instant != 0 {
		is.kinds |= text
	}
	switch {
	case want.kinds != 0 && is.kinds != 0 && want.kinds&is.kinds == 0:
		p.error(at, 0, "wrong-type", fmt.Sprintf("'%s' must be %s, and %s is %s", label, want.kinds.words(), shorten(v), is.kinds.words()), conversion(want.kinds, is.kinds, v))
	case want.enum != nil && is.enum != nil && !shareValue(want.enum, is.enum):
		p.warn(at, 0, "unknown-value", fmt.Sprintf("'%s' must be one of %s, and %s is none of them", label, listed(want.enum), shorten(v)), "")
	case means == urlKind:
		p.url(at, label, v, sure)
	}
}

// conversion shows how to give a value another kind.
func conversion(want, is kinds, v string) string {
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(v, "{{"), "}}"))
	switch {
	case strings.ContainsAny(inner, "{}|"):
		return ""
	case want&text != 0 && is&(number|boolean) != 0:
		return fmt.Sprintf("write {{str(%s)}}", inner)
	case want&number != 0 && is == text:
		return fmt.Sprintf("write {{float(%s)}}", inner)
	}
	return ""
}

// dynamic reports whether a value holds a template.
func dynamic(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "{{")
	case []any:
		return slices.ContainsFunc(v, dynamic)
	case map[string]any:
		for _, member := range v {
			if dynamic(member) {
				return true
			}
		}
	}
	return false
}

// subflow compares what another flow gets with its inputs.
func (c *checker) subflow(at place, s *flow.SubflowSpec) {
	c.value(at.in("inputs"), s.Inputs)
	if c.w.Flow == nil || s.Flow == "" || s.Flow == c.f.Name {
		return
	}
	inputs, ok := c.w.Flow(s.Flow)
	if !ok {
		c.warn(at.in("flow").about(s.Flow), -1, "unknown-flow", fmt.Sprintf("there is no flow '%s'", s.Flow), "it must be approved before this one runs")
		return
	}
	var names []string
	for _, in := range inputs {
		names = append(names, in.Name)
		v, given := s.Inputs[in.Name]
		switch {
		case !given && in.Required:
			c.error(at.in("inputs"), -1, "missing-input", fmt.Sprintf("the flow '%s' needs the input '%s'", s.Flow, in.Name), "")
		case given && !dynamic(v) && kindOfType[in.Type] == number && !asNumber(v):
			c.error(at.in("inputs").in(in.Name), -1, "wrong-type", fmt.Sprintf("the input '%s' of '%s' must be a number, not %s", in.Name, s.Flow, shown(v)), "")
		case given && !dynamic(v) && len(in.Enum) > 0 && !shareValue(in.Enum, []any{v}):
			c.error(at.in("inputs").in(in.Name), -1, "wrong-value", fmt.Sprintf("the input '%s' of '%s' must be one of %s, not %s", in.Name, s.Flow, listed(in.Enum), expr.Text(v)), "")
		}
	}
	for _, name := range sorted(s.Inputs) {
		if !slices.Contains(names, name) {
			c.error(at.in("inputs").in(name), -1, "unknown-input", fmt.Sprintf("the flow '%s' has no input '%s'", s.Flow, name), c.suggest(name, names))
		}
	}
}
