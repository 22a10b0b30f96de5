package expr_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/engine/expr"
)

var errUnbound = errors.New("not bound here")

func resolve(name string) (string, error) {
	if name == "KEY" {
		return "s3cr3t", nil
	}
	return "", errUnbound
}

func render(t *testing.T, src any, scope expr.Scope) any {
	t.Helper()
	v, err := renderValue(src, nil, scope, expr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSecretsAreSealedAndUnsealed(t *testing.T) {
	t.Parallel()
	rendered := render(t, map[string]any{
		"whole":   "{{secret.KEY}}",
		"inside":  "Bearer {{ secret.KEY }} for {{category}}",
		"nested":  []any{map[string]any{"k": "{{secret['KEY']}}"}},
		"default": "{{ secret.KEY | default('x') }}",
		"chosen":  "{{ flag ? secret.KEY : '' }}",
		"listed":  "{{ [secret.KEY] }}",
		"looks":   "{{evil}} «secret KEY»",
		"plain":   map[string]any{"Name": "KEY"},
	}, world())
	want := map[string]any{
		"whole":   "s3cr3t",
		"inside":  "Bearer s3cr3t for refund",
		"nested":  []any{map[string]any{"k": "s3cr3t"}},
		"default": "s3cr3t",
		"chosen":  "s3cr3t",
		"listed":  []any{"s3cr3t"},
		"looks":   "{{secret.KEY}} «secret KEY»",
		"plain":   map[string]any{"Name": "KEY"},
	}
	got, err := expr.Unseal(rendered, resolve)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Unseal: %v, differs (-want +got):\n%s", err, diff)
	}
	wantRedacted := map[string]any{
		"whole":   "«secret KEY»",
		"inside":  "Bearer «secret KEY» for refund",
		"nested":  []any{map[string]any{"k": "«secret KEY»"}},
		"default": "«secret KEY»",
		"chosen":  "«secret KEY»",
		"listed":  []any{"«secret KEY»"},
		"looks":   "{{secret.KEY}} «secret KEY»",
		"plain":   map[string]any{"Name": "KEY"},
	}
	redacted := expr.Redacted(rendered)
	if diff := cmp.Diff(wantRedacted, redacted); diff != "" {
		t.Errorf("Redacted differs (-want +got):\n%s", diff)
	}

	// A redaction that was stored cannot be unsealed.
	stored, err := json.Marshal(rendered)
	if err != nil {
		t.Fatal(err)
	}
	var loaded any
	if err := json.Unmarshal(stored, &loaded); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(redacted, loaded, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what is stored is not the redaction (-want +got):\n%s", diff)
	}
	if after, err := expr.Unseal(loaded, resolve); err != nil || !cmp.Equal(after, loaded) {
		t.Errorf("what was stored is unsealed: %v, %v", after, err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		shown := fmt.Sprintf(format, render(t, "{{secret.KEY}}", world()))
		if shown != "«secret KEY»" {
			t.Errorf("formatted with %s: %s", format, shown)
		}
		shown = fmt.Sprintf(format, render(t, "a {{secret.KEY}}", world()))
		if shown != "a «secret KEY»" {
			t.Errorf("formatted with %s: %s", format, shown)
		}
	}
}

func TestUnsealFails(t *testing.T) {
	t.Parallel()
	for _, src := range []any{"{{secret.OTHER}}", "a {{secret.OTHER}}", []any{"{{secret.OTHER}}"}, map[string]any{"k": "{{secret.OTHER}}"}} {
		_, err := expr.Unseal(render(t, src, world()), resolve)
		if !errors.Is(err, errUnbound) || err.Error() != "secret OTHER: not bound here" {
			t.Errorf("Unseal(%v): %v", src, err)
		}
	}
}

func TestSecretsGiveNothingAway(t *testing.T) {
	t.Parallel()
	tests := []struct {
		src  string
		want any
	}{
		{"{{ secret.KEY == 's3cr3t' }}", false},
		{"{{ secret.KEY != 's3cr3t' }}", false},
		{"{{ secret.KEY == secret.KEY }}", false},
		{"{{ secret.KEY > 0 }}", false},
		{"{{ secret.KEY in ['«secret KEY»'] }}", false},
		{"{{ secret.KEY contains 's' }}", false},
		{"{{ 's' in secret.KEY }}", false},
		{"{{ secret.KEY in 'a' }}", false},
		{"{{ secret.KEY matches '.*' }}", false},
		{"{{ [secret.KEY] == ['«secret KEY»'] }}", false},
		{"{{ len(secret.KEY) }}", nil},
		{"{{ int(secret.KEY) }}", nil},
		{"{{ secret.KEY.x }}", nil},
		{"{{ secret.KEY[0] }}", nil},
		{"{{ secret }}", nil},
		{"{{ secret.get('KEY') }}", nil},
		{"{{ (flag ? secret : 1)[evil] }}", nil},
		{"{{ str(secret.KEY) }}", "«secret KEY»"},
		{"{{ secret.KEY | upper }}", "«SECRET KEY»"},
		{"{{ secret.KEY | trim }}", "«secret KEY»"},
		{"{{ secret.KEY | json }}", `"«secret KEY»"`},
		{"{{ [secret.KEY] | join('') }}", "«secret KEY»"},
		{"{{ secret.KEY | date('year') }}", "«secret KEY»"},
		{"a {{ [secret.KEY] }}", `a ["«secret KEY»"]`},
		{"{{ secret.KEY ? 1 : 2 }}", int64(1)},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, render(t, tt.src, world())); diff != "" {
				t.Errorf("%s differs (-want +got):\n%s", tt.src, diff)
			}
		})
	}
}

// forbidding is a scope that gives secrets but reports the name as unknown.
type forbidding struct{}

func (forbidding) Get(string) (any, bool) { return expr.Secrets{}, false }

// TestSecretsOutOfScope: outside the parameters of a tool the scope has no secrets, or another value under the name.
func TestSecretsOutOfScope(t *testing.T) {
	t.Parallel()
	for _, scope := range []expr.Scope{expr.Map{}, expr.Map{"secret": map[string]any{"KEY": "x"}}, forbidding{}, nil} {
		if got := render(t, "{{secret.KEY}}", scope); got != nil {
			t.Errorf("secret.KEY = %v, want nil", got)
		}
		if got := render(t, "{{ flag and secret.KEY ? secret.KEY : secret['KEY'] }}", scope); got != nil {
			t.Errorf("a choice of secret.KEY = %v, want nil", got)
		}
		if got := render(t, "a{{secret.KEY}}", scope); got != "a" {
			t.Errorf("a{{secret.KEY}} = %v, want a", got)
		}
	}
}
