package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"unicode/utf8"

	"sluice/engine/expr"
)

// Decode reads JSON without losing digits.
func Decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	if _, err := d.Token(); err != io.EOF {
		return nil
	}
	return v
}

// Normal gives a value as it will be when it comes back from storage.
func Normal(v any) any {
	switch x := v.(type) {
	case nil, bool, json.Number:
		return v
	case string:
		if utf8.ValidString(x) {
			return x
		}
	}
	return Decode([]byte(expr.JSON(expr.Redacted(v))))
}

// NormalMap is Normal for the values of a map; an empty one is nil.
func NormalMap(m map[string]any) map[string]any {
	if len(m) == 0 {
		return nil
	}
	n, _ := Normal(m).(map[string]any)
	return n
}

// Digest stands for a value: equal values have equal ones.
func Digest(v any) string {
	sum := sha256.Sum256([]byte(expr.JSON(v)))
	return hex.EncodeToString(sum[:])
}
