package agentgraph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Upgrade writes an older document in today's form: an input is an approval, the one condition of an if is the first of a list, its handle
// true is condition-0, and the node end with its connections is left out. A document that has today's form already comes back as it is.
func Upgrade(src []byte) ([]byte, error) {
	var root map[string]any
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	if err := dec.Decode(&root); err != nil {
		return nil, fmt.Errorf("read a graph: %w", err)
	}
	ifs, ends := map[any]bool{}, map[any]bool{}
	nodes, _ := root["nodes"].([]any)
	kept := []any{}
	for _, item := range nodes {
		n, _ := item.(map[string]any)
		switch n["type"] {
		case typeEnd:
			ends[n["id"]] = true
			continue
		case typeInput:
			n["type"] = typeApproval
		case typeIf:
			ifs[n["id"]] = true
			upgradeIf(n)
		}
		kept = append(kept, item)
	}
	root["nodes"] = kept
	connections, _ := root["connections"].([]any)
	left := []any{}
	for _, item := range connections {
		c, _ := item.(map[string]any)
		if ifs[c["source"]] && c["sourceHandle"] == handleTrue {
			c["sourceHandle"] = conditionHandle(0)
		}
		if !ends[c["source"]] && !ends[c["target"]] {
			left = append(left, item)
		}
	}
	root["connections"] = left
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write a graph: %w", err)
	}
	if sameJSON(src, out) {
		return src, nil
	}
	return out, nil
}

// sameJSON reports whether two documents hold the same values.
func sameJSON(a, b []byte) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}

func upgradeIf(n map[string]any) {
	data, _ := n["data"].(map[string]any)
	old, has := data["condition"]
	if now, _ := data["conditions"].([]any); has && len(now) == 0 {
		data["conditions"] = []any{map[string]any{"operator": "contains", "value": old}}
	}
	delete(data, "condition")
}
