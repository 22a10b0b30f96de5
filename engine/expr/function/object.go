package function

import (
	"maps"
	"strings"

	"sluice/engine/expr/value"
)

func toObject(c *Call) any {
	if len(c.args)%2 != 0 {
		return c.fail(BadArgument, "the value of the last key is missing")
	}
	made := map[string]any{}
	for i := 0; i < len(c.args); i += 2 {
		made[c.text(i)] = c.any(i + 1)
	}
	return made
}

// lookUp finds a member by its key, or else by a path of keys: a.b[0]. It reports whether it is there.
func (c *Call) lookUp(v any, path string) (any, bool) {
	if object, ok := value.Object(value.Plain(v)); ok {
		if member, ok := object[path]; ok {
			return member, true
		}
	}
	for _, key := range steps(path) {
		if !c.charge(1) {
			return nil, false
		}
		if v = value.Get(v, key); v == nil {
			return nil, false
		}
	}
	return v, path != ""
}

// steps splits a path into its keys.
func steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

func get(c *Call) any {
	if key, ok := c.any(1).(string); ok {
		if v, found := c.lookUp(c.args[0], key); found && v != nil {
			return v
		}
		return c.any(2)
	}
	if v := value.Get(c.args[0], c.any(1)); v != nil {
		return v
	}
	return c.any(2)
}

// maxSteps limits the keys of a path that set creates.
const maxSteps = 64

// set copies the objects on the path and replaces other values on it by objects.
func set(c *Call) any {
	object, path := c.object(0), strings.Split(c.text(1), ".")
	if len(path) > maxSteps || strings.TrimSpace(c.text(1)) == "" {
		return c.fail(BadArgument, "a path has 1 to %d keys", maxSteps)
	}
	made := c.copied(object)
	at := made
	for _, key := range path[:len(path)-1] {
		inner, ok := value.Object(at[key])
		if !ok {
			inner = map[string]any{}
		}
		next := c.copied(inner)
		at[key], at = next, next
	}
	at[path[len(path)-1]] = c.any(2)
	return made
}

func (c *Call) copied(object map[string]any) map[string]any {
	made := map[string]any{}
	if c.mayMake(len(object) + 1) {
		maps.Copy(made, object)
	}
	return made
}

func merge(c *Call) any {
	made := map[string]any{}
	for i := range c.args {
		object := c.object(i)
		if !c.mayMake(len(made) + len(object)) {
			return nil
		}
		maps.Copy(made, object)
	}
	return made
}

func pick(c *Call) any {
	object, made := c.object(0), map[string]any{}
	for i := 1; i < len(c.args); i++ {
		if v, ok := object[c.text(i)]; ok {
			made[c.text(i)] = v
		}
	}
	return made
}

func omit(c *Call) any {
	made := c.copied(c.object(0))
	for i := 1; i < len(c.args); i++ {
		delete(made, c.text(i))
	}
	return made
}

func keys(c *Call) any {
	object := c.object(0)
	if !c.mayMake(len(object)) {
		return nil
	}
	return anything(value.Keys(object))
}

func values(c *Call) any {
	object := c.object(0)
	if !c.mayMake(len(object)) {
		return nil
	}
	list := []any{}
	for _, key := range value.Keys(object) {
		list = append(list, object[key])
	}
	return list
}
