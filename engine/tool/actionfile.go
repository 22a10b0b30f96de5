package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/lookalike"
	"sluice/engine/secret"
)

// LoadActions reads a file of declared actions; file is its name for messages. The error is [flow.Problems] with every
// problem of the file at its line and column, unless the options themselves are wrong.
//
// An action has the keys name, description, method and url, and may have words, params (JSON Schema), result (JSON Schema),
// effects (read, idempotent, once; default by method), policy (allow, ask, deny), headers and body. {{param}} stands for a
// parameter in the path and query of url, in headers and in the texts of body; {{secret.NAME}} stands in headers only.
// Parameters that are used nowhere become the JSON body of POST, PUT and PATCH, unless a body is written out, and the
// query of the other methods. The result of a call is the body of the answer.
//
// A host that an action names is allowed for that action, be it private or not.
func LoadActions(file string, src []byte, opts Options) ([]Tool, error) {
	g, err := newGuard(opts.AllowPrivate, opts.Resolver)
	if err != nil {
		return nil, err
	}
	r := &actionReader{document: newDocument(file, src), clients: &clients{opts: opts, guard: g, byHost: map[string]*client{}}, secrets: opts.Secrets}
	tools := r.file()
	if err := r.problems.Err(); err != nil {
		slices.SortStableFunc(r.problems, func(a, b flow.Problem) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Column - b.Column
		})
		return nil, r.problems
	}
	return tools, nil
}

type actionReader struct {
	*document
	clients *clients
	secrets secret.Source
}

var actionKeys = []string{"name", "description", "words", "method", "url", "params", "result", "effects", "policy", "headers", "body"}

func (r *actionReader) file() []Tool {
	root, ok := r.read()
	if !ok {
		return nil
	}
	list := r.fields(root, "the file", []string{"actions"}).get("actions")
	if list == nil {
		if len(r.problems) == 0 {
			r.at(root, "missing-key", "the file declares no actions", "begin it with actions:")
		}
		return nil
	}
	if !list.list {
		r.at(*list, "bad-value", "actions must be a list, not "+list.words(), "")
		return nil
	}
	if len(list.items) == 0 {
		r.at(*list, "empty", "the file declares no actions", "")
		return nil
	}
	var tools []Tool
	seen := map[string]int{}
	for _, item := range list.items {
		t, nameAt := r.action(item)
		if line, twice := seen[t.Name]; twice && t.Name != "" {
			r.at(nameAt, "duplicate-name", fmt.Sprintf("the action %s is declared twice; first on line %d", t.Name, line), "")
			continue
		}
		seen[t.Name] = nameAt.line
		tools = append(tools, t)
	}
	return tools
}

// fields is a mapping whose keys are known.
type fields map[string]part

func (f fields) get(name string) *part {
	if p, ok := f[name]; ok {
		return &p
	}
	return nil
}

func (r *actionReader) at(p part, code, message, hint string) {
	r.problem(p.line, p.column, code, message, hint)
}

func (r *actionReader) fields(p part, what string, known []string) fields {
	if !p.mapping {
		r.at(p, "bad-value", what+" must be a mapping, not "+p.words(), "")
		return nil
	}
	out := fields{}
	for _, e := range p.keys {
		if !slices.Contains(known, e.name) {
			hint := suggestion(e.name, known)
			if hint == "" {
				hint = "known keys: " + strings.Join(known, ", ")
			}
			r.problem(e.line, e.column, "unknown-key", "unknown key "+quoted(e.name), hint)
			continue
		}
		out[e.name] = e.value
	}
	return out
}

// text reads a required or optional text.
func (r *actionReader) text(of part, f fields, key string, required bool) (string, part) {
	p := f.get(key)
	switch {
	case p == nil && required && f != nil:
		r.at(of, "missing-key", "the action has no "+key, "")
	case p == nil:
	case !p.isText || p.text == "":
		r.at(*p, "bad-value", key+" must be a text, not "+p.words(), "")
	default:
		return p.text, *p
	}
	return "", of
}

func (r *actionReader) action(p part) (Tool, part) {
	f := r.fields(p, "an action", actionKeys)
	if f == nil {
		return Tool{}, p
	}
	a := &action{secrets: r.secrets}
	name, nameAt := r.text(p, f, "name", true)
	if name != "" && (!nameForm.MatchString(name) || len(name) > maxName) {
		r.at(nameAt, "bad-name", quoted(name)+" is not the name of a tool", "write module.action in small letters, such as shop.get_order")
		if odd := lookalike.OddCharacter(name); odd != "" {
			r.at(nameAt, "mixed-scripts", quoted(name)+" mixes scripts: "+odd, "type the name again in one script")
		}
	} else if module, _, _ := strings.Cut(name, "."); module == "http" || module == "slack" {
		r.at(nameAt, "bad-name", "the names "+module+".* belong to built-in tools", "")
	}
	a.tool.Name = name
	a.tool.Description, _ = r.text(p, f, "description", true)
	a.tool.Words = r.words(f)
	a.method = r.method(p, f)
	a.tool.Effects = flow.Effects(r.oneOf(f, "effects", string(a.method.effects), "read", "idempotent", "once"))
	a.tool.Policy = Policy(r.oneOf(f, "policy", string(Allow), "allow", "ask", "deny"))
	a.tool.Params = r.params(f)
	a.tool.Result = r.schema(f, "result")
	r.target(p, f, a)
	r.headers(f, a)
	r.body(f, a)
	var secrets []string
	for _, h := range a.headers {
		secrets = append(secrets, h.value.secrets()...)
	}
	a.tool.Secrets, a.tool.Request = sortedUnique(secrets), f.request()
	return a.asTool(), nameAt
}

// request is the hash of what a call of the action sends, as it is declared.
func (f fields) request() string {
	said := map[string]any{}
	for _, key := range []string{"method", "url", "headers", "body"} {
		if p := f.get(key); p != nil {
			said[key] = p.plain()
		}
	}
	b, err := json.Marshal(said)
	if err != nil { // such as a key that is no text: it is refused elsewhere
		b = fmt.Append(nil, said)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (r *actionReader) words(f fields) []string {
	p := f.get("words")
	if p == nil {
		return nil
	}
	if !p.list {
		r.at(*p, "bad-value", "words must be a list of texts, not "+p.words(), "write [get order, look up order]")
		return nil
	}
	var words []string
	for _, item := range p.items {
		if !item.isText || strings.TrimSpace(item.text) == "" {
			r.at(item, "bad-value", "words must be texts, not "+item.words(), "")
			continue
		}
		words = append(words, item.text)
	}
	return words
}

func (r *actionReader) method(of part, f fields) method {
	name, at := r.text(of, f, "method", true)
	var names []string
	for _, m := range methods {
		if m.name == strings.ToUpper(name) {
			return m
		}
		names = append(names, m.name)
	}
	if name != "" {
		r.at(at, "bad-value", "unknown method "+quoted(name), "one of "+strings.Join(names, ", "))
	}
	return methods[0]
}

func (r *actionReader) oneOf(f fields, key, otherwise string, allowed ...string) string {
	p := f.get(key)
	if p == nil {
		return otherwise
	}
	if !p.isText || !slices.Contains(allowed, p.text) {
		hint := suggestion(p.text, allowed)
		if hint == "" {
			hint = "one of " + strings.Join(allowed, ", ")
		}
		r.at(*p, "bad-value", key+" cannot be "+shown(*p), hint)
		return otherwise
	}
	return p.text
}

func (r *actionReader) schema(f fields, key string) map[string]any {
	p := f.get(key)
	if p == nil {
		return nil
	}
	if !p.mapping {
		r.at(*p, "bad-value", key+" must be a JSON Schema, not "+p.words(), "")
		return nil
	}
	schema, _ := p.plain().(map[string]any)
	if _, err := CompileSchema(schema); err != nil {
		r.at(*p, "bad-schema", key+": "+err.Error(), "")
	}
	return schema
}

// params reads the schema of the parameters: an object that takes no others unless it says so.
func (r *actionReader) params(f fields) map[string]any {
	schema := r.schema(f, "params")
	if schema == nil {
		return object(map[string]any{})
	}
	if kind, ok := schema["type"]; ok && kind != "object" {
		r.at(*f.get("params"), "bad-schema", "params must be the schema of an object", "write {type: object, properties: {...}}")
	}
	schema = maps.Clone(schema)
	schema["type"] = "object"
	if _, said := schema["additionalProperties"]; !said {
		schema["additionalProperties"] = false
	}
	return schema
}

func (r *actionReader) target(of part, f fields, a *action) {
	text, at := r.text(of, f, "url", true)
	if text == "" {
		return
	}
	t, err := parseTarget(text)
	if err != nil {
		r.at(at, "bad-url", "url: "+err.Error(), "")
		return
	}
	a.target, a.tool.Host, a.client = t, hostOf(t.base), r.clients.forBase(t.base)
	required, _ := a.tool.Params["required"].([]any)
	for _, name := range t.params() {
		r.uses(at, a, "url", name)
	}
	for _, name := range t.path.params() {
		_, declared := properties(a.tool.Params, nil)[name]
		if declared && !slices.Contains(required, any(name)) && !hasDefault(a.tool.Params, name) {
			r.at(at, "optional-param", "the path of url needs "+quoted(name)+", which is not required", "add it to required")
		}
	}
}

func hasDefault(schema map[string]any, name string) bool {
	p, _ := properties(schema, nil)[name].(map[string]any)
	return p["default"] != nil
}

// uses checks that a parameter named in a template is declared and can stand there.
func (r *actionReader) uses(at part, a *action, where, name string) {
	props := properties(a.tool.Params, nil)
	p, ok := props[name]
	if !ok {
		r.at(at, "unknown-param", where+" uses "+quoted(name)+", which params does not declare",
			suggestion(name, slices.Sorted(maps.Keys(props))))
		return
	}
	schema, _ := p.(map[string]any)
	if kind := schema["type"]; where != "body" && (kind == "object" || kind == "array") {
		r.at(at, "bad-param", fmt.Sprintf("%s uses %s, which is an %s and cannot stand there", where, quoted(name), kind), "")
	}
}

func (r *actionReader) headers(f fields, a *action) {
	p := f.get("headers")
	if p == nil {
		return
	}
	if !p.mapping {
		r.at(*p, "bad-value", "headers must be a mapping, not "+p.words(), "")
		return
	}
	for _, e := range p.keys {
		if err := setHeader(map[string][]string{}, e.name, ""); err != nil {
			r.problem(e.line, e.column, "bad-header", err.Error(), "")
			continue
		}
		if e.value.mapping || e.value.list {
			r.at(e.value, "bad-value", "the header "+e.name+" must be a text, not "+e.value.words(), "")
			continue
		}
		t, err := parseTemplate(scalarText(e.value.plain()))
		if err != nil {
			r.at(e.value, "bad-template", err.Error(), "")
			continue
		}
		for _, name := range t.params() {
			r.uses(e.value, a, "headers", name)
		}
		for _, name := range t.secrets() {
			if !secret.ValidName(name) {
				r.at(e.value, "bad-secret", "secret."+name+" cannot be the name of a secret", "capitals, digits and _, such as secret.SHOP_TOKEN")
			}
		}
		a.headers = append(a.headers, headerTemplate{e.name, t})
	}
}

func (r *actionReader) body(f fields, a *action) {
	p := f.get("body")
	if p == nil {
		return
	}
	if !a.method.body {
		r.at(*p, "bad-value", "a "+a.method.name+" request has no body", "put parameters into the url, or use POST, PUT or PATCH")
		return
	}
	a.body, a.hasBody = r.bodyPart(*p, a), true
}

// bodyPart turns texts into templates.
func (r *actionReader) bodyPart(p part, a *action) any {
	switch {
	case p.mapping:
		out := map[string]any{}
		for _, e := range p.keys {
			out[e.name] = r.bodyPart(e.value, a)
		}
		return out
	case p.list:
		out := []any{}
		for _, item := range p.items {
			out = append(out, r.bodyPart(item, a))
		}
		return out
	case !p.isText:
		return p.plain()
	}
	t, err := parseTemplate(p.text)
	if err != nil {
		r.at(p, "bad-template", err.Error(), "")
		return p.text
	}
	for _, name := range t.params() {
		r.uses(p, a, "body", name)
	}
	if len(t.secrets()) > 0 {
		r.at(p, "bad-secret", "a body must not hold a secret", "use a header")
	}
	return t
}

func quoted(s string) string { return "'" + s + "'" }

func shown(p part) string {
	if p.isText {
		return quoted(p.text)
	}
	return p.words()
}
