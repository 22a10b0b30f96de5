package flow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Canonical gives the flow as bytes: JSON without positions or comments, keys in a fixed order, defaults written out, so
// that equal meaning gives equal bytes. It panics if JSON cannot represent a free value. Parse and FromJSON never make
// such a value.
func Canonical(f *Flow) []byte {
	b, err := marshal(f.WithDefaults())
	if err != nil {
		panic("flow: a value that JSON does not have: " + err.Error())
	}
	return b
}

// Hash is the SHA-256 of the canonical form, in hexadecimal.
func Hash(f *Flow) string { return sum(Canonical(f)) }

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// FromJSON reads the canonical form. Unknown keys are errors, because ignoring a key of a newer release would change the flow.
func FromJSON(canonical []byte) (*Flow, error) {
	f := new(Flow)
	if err := json.Unmarshal(canonical, f); err != nil {
		return nil, fmt.Errorf("reading a stored flow: %w", err)
	}
	fillDefaults(f)
	return f, nil
}

// strict decodes one JSON value with unknown keys refused and large integers kept.
func strict(data []byte, out any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	return dec.Decode(out)
}

// UnmarshalJSON reads a flow as Canonical writes it.
func (f *Flow) UnmarshalJSON(data []byte) error {
	type plain Flow
	var p plain
	if err := strict(data, &p); err != nil {
		return err
	}
	*f = Flow(p)
	f.Raw = plainNumbers(f.Raw).(map[string]any)
	for i := range f.Inputs {
		in := &f.Inputs[i]
		in.Example, in.Default, in.Enum = plainNumbers(in.Example), plainNumbers(in.Default), plainNumbers(in.Enum).([]any)
	}
	for i := range f.Triggers {
		if s := f.Triggers[i].Schedule; s != nil {
			s.Inputs = plainNumbers(s.Inputs).(map[string]any)
		}
	}
	for i := range f.Agents {
		f.Agents[i].Output = plainNumbers(f.Agents[i].Output).(map[string]any)
	}
	return nil
}

// MarshalJSON writes a node with the part of its kind inlined: {"id", "type", ...}.
func (n Node) MarshalJSON() ([]byte, error) {
	kind := n.Kind
	if n.Spec != nil {
		kind = n.Spec.Kind()
	}
	stored := n.stored()
	stored.Type = kind
	head, err := marshal(stored)
	if err != nil || n.Spec == nil {
		return head, err
	}
	own, err := marshal(n.Spec)
	if err != nil {
		return nil, fmt.Errorf("node %q: %w", n.ID, err)
	}
	if len(own) > len("{}") {
		head = append(append(head[:len(head)-1], ','), own[1:]...)
	}
	return head, nil
}

// marshal is json.Marshal without escaping <, > and &, which expressions are full of.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// UnmarshalJSON reads a node as MarshalJSON writes it.
func (n *Node) UnmarshalJSON(data []byte) error {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var kind Kind
	if err := json.Unmarshal(parts["type"], &kind); err != nil {
		return fmt.Errorf("a node has no type: %w", err)
	}
	spec := NewSpec(kind)
	if spec == nil {
		return fmt.Errorf("unknown node type %q", kind)
	}
	own := map[string]json.RawMessage{}
	for key, part := range parts {
		if !slices.Contains(commonKeys, key) {
			own[key] = part
			delete(parts, key)
		}
	}
	var head storedNode
	if err := strictParts(parts, &head); err != nil {
		return fmt.Errorf("node %q: %w", head.ID, err)
	}
	if err := strictParts(own, spec); err != nil {
		return fmt.Errorf("node %q: %w", head.ID, err)
	}
	settleNumbers(reflect.ValueOf(spec))
	*n = Node{
		ID: head.ID, Kind: kind, Name: head.Name, Description: head.Description, FlowchartType: head.FlowchartType,
		Routes: head.Routes, OnError: head.OnError, Retry: head.Retry, Timeout: head.Timeout,
		Policy: head.Policy, NoMatch: head.NoMatch, Criteria: head.Criteria, Subagents: head.Subagents, Aside: head.Aside, Arrivals: head.Arrivals,
		Spec: spec,
	}
	for _, params := range n.Arrivals {
		plainNumbers(params)
	}
	return nil
}

// jsonKeys lists the keys that the fields of a struct have in JSON.
func jsonKeys(t reflect.Type) []string {
	keys := make([]string, t.NumField())
	for i := range keys {
		keys[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return keys
}

func strictParts(parts map[string]json.RawMessage, out any) error {
	data, err := json.Marshal(parts)
	if err != nil {
		return err
	}
	return strict(data, out)
}

// commonKeys are those of nodes of every kind.
var commonKeys = slices.Concat(jsonKeys(reflect.TypeFor[NodeFields]()), jsonKeys(reflect.TypeFor[foreignParts]()))

// settleNumbers replaces every json.Number inside a value by the number that Parse makes, in place.
func settleNumbers(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			settleNumbers(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(reflect.ValueOf(plainNumbers(v.Interface())))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			settleNumbers(field)
		}
	case reflect.Slice:
		for i := range v.Len() {
			settleNumbers(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			item := reflect.New(v.Type().Elem()).Elem()
			item.Set(v.MapIndex(key))
			settleNumbers(item)
			v.SetMapIndex(key, item)
		}
	}
}

// plainNumbers replaces json.Number by the number that Parse makes, in place. The type of the outermost value stays.
func plainNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		return Number(value)
	case []any:
		for i := range value {
			value[i] = plainNumbers(value[i])
		}
		return value
	case map[string]any:
		for k := range value {
			value[k] = plainNumbers(value[k])
		}
		return value
	default:
		return value
	}
}

// Clone is a copy that shares nothing with the flow.
func (f *Flow) Clone() *Flow {
	out := deepCopy(reflect.ValueOf(f))
	return out.Interface().(*Flow)
}

// deepCopy copies pointers, slices, maps and interfaces all the way down.
func deepCopy(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(deepCopy(v.Elem()))
		return out
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(deepCopy(v.Elem()))
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			out.Field(i).Set(deepCopy(v.Field(i)))
		}
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(deepCopy(v.Index(i)))
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, k := range v.MapKeys() {
			out.SetMapIndex(k, deepCopy(v.MapIndex(k)))
		}
		return out
	default:
		return v
	}
}
