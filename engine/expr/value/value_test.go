package value_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"sluice/engine/expr/value"
)

// FuzzValues checks that comparisons, numbers, texts and JSON of two values agree with each other.
func FuzzValues(f *testing.F) {
	for _, seed := range [][2]string{
		{`1`, `"1.0"`},
		{`12345678901234567890`, `"+12345678901234567890"`},
		{`[1, {"a": null}]`, `["1", {"a": ""}]`},
		{`""`, `null`},
		{`true`, `"true"`},
		{`1e400`, `"1e400"`},
		{`-0.0`, `0`},
		{`"2026-01-02"`, `"2026-01-03"`},
		{`0.1`, `1e-7`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		a, ok := decode(one)
		b, ok2 := decode(other)
		if !ok || !ok2 {
			return
		}
		if !value.Compare("==", a, a) {
			t.Errorf("%s does not equal itself", one)
		}
		for op, reversed := range map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">="} {
			if value.Compare(op, a, b) != value.Compare(reversed, b, a) {
				t.Errorf("%s %s %s is not %s %s %s", one, op, other, other, reversed, one)
			}
		}
		if value.Compare("==", a, b) == value.Compare("!=", a, b) || value.Compare("<", a, b) && value.Compare("==", a, b) {
			t.Errorf("%s and %s are equal, and are not", one, other)
		}
		if back, ok := decode(value.JSON(a)); !ok || !value.Compare("==", a, back) || value.JSON(back) != value.JSON(a) {
			t.Errorf("%s is %s as JSON, and comes back as %v", one, value.JSON(a), back)
		}
		if n, ok := value.ToNumber(a); ok {
			if again, ok := value.ParseNumber(n.Text()); !ok || again.Compare(n) != 0 {
				t.Errorf("%s is %s as a text, and another number then", one, n.Text())
			}
		}
	})
}

func decode(src string) (v any, ok bool) {
	decoder := json.NewDecoder(strings.NewReader(src))
	decoder.UseNumber()
	return v, decoder.Decode(&v) == nil
}

func TestEachLeavesItsValueAlone(t *testing.T) {
	t.Parallel()
	v := map[string]any{"a": []any{1, "b"}}
	made, err := value.Each(v, func(leaf any) (any, error) { return value.Text(leaf) + "!", nil })
	if got := value.JSON(made); err != nil || got != `{"a":["1!","b!"]}` || value.JSON(v) != `{"a":[1,"b"]}` {
		t.Errorf("Each makes %s of %s, %v", got, value.JSON(v), err)
	}
}

// Numbers become those of Go where that loses no digit, also inside of lists and objects.
func TestNative(t *testing.T) {
	t.Parallel()
	given := map[string]any{"small": json.Number("1.5"), "large": json.Number("12345678901234567890"), "list": []any{int64(7), "a", nil}}
	want := map[string]any{"small": 1.5, "large": json.Number("12345678901234567890"), "list": []any{7.0, "a", nil}}
	if got := value.Native(given); !reflect.DeepEqual(got, want) {
		t.Errorf("it is %#v", got)
	}
}
