package flow

import "strings"

// JoinPath is the path of a key inside the part at a path.
func JoinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// ParentPath is the path without its last key or index.
func ParentPath(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}
