package secret_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/secret"
)

const token = `p4ss/w+rd "x"&y`

func env(t *testing.T, variables ...string) *secret.Env {
	t.Helper()
	e, err := secret.NewEnv(variables)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestResolve(t *testing.T) {
	t.Parallel()
	e := env(t, "PATH=/bin", "SLUICE_SECRET_OPEN=open-value",
		"SLUICE_SECRET_SHOP="+token, "SLUICE_SECRET_SHOP_HOSTS=API.example.com, *.shop.example,127.0.0.1:8086", "SLUICE_SECRET_SHOP_FLOWS=refund, digest",
		"SLUICE_SECRET_NOWHERE=nowhere-value", "SLUICE_SECRET_NOWHERE_HOSTS=", "SLUICE_SECRET_NOWHERE_FLOWS=")
	for name, c := range map[string]struct {
		secret string
		use    secret.Use
		want   error
		says   string
	}{
		"bound host":                {"SHOP", secret.Use{Flow: "refund", Host: "api.example.com"}, nil, ""},
		"host in capitals":          {"SHOP", secret.Use{Flow: "refund", Host: "Api.Example.com"}, nil, ""},
		"usual port written out":    {"SHOP", secret.Use{Flow: "refund", Host: "api.example.com:443"}, nil, ""},
		"below a wildcard":          {"SHOP", secret.Use{Flow: "digest", Host: "eu.shop.example"}, nil, ""},
		"wildcard's own name":       {"SHOP", secret.Use{Flow: "digest", Host: "shop.example"}, secret.ErrNotBound, "SLUICE_SECRET_SHOP_HOSTS"},
		"wildcard as a bare suffix": {"SHOP", secret.Use{Flow: "digest", Host: "evilshop.example"}, secret.ErrNotBound, ""},
		"with its port":             {"SHOP", secret.Use{Flow: "refund", Host: "127.0.0.1:8086"}, nil, ""},
		"another port":              {"SHOP", secret.Use{Flow: "refund", Host: "127.0.0.1:8087"}, secret.ErrNotBound, ""},
		"plain http":                {"SHOP", secret.Use{Flow: "refund", Host: "api.example.com:80"}, secret.ErrNotBound, ""},
		"name that only begins so":  {"SHOP", secret.Use{Flow: "refund", Host: "api.example.com.evil.example"}, secret.ErrNotBound, ""},
		"another host":              {"SHOP", secret.Use{Flow: "refund", Host: "evil.example"}, secret.ErrNotBound, "secret.SHOP is not for evil.example"},
		"no host":                   {"SHOP", secret.Use{Flow: "refund", Tool: "slack.post_message"}, secret.ErrNotBound, "slack.post_message"},
		"another flow":              {"SHOP", secret.Use{Flow: "other", Host: "api.example.com"}, secret.ErrNotBound, "SLUICE_SECRET_SHOP_FLOWS"},
		"declared, another flow":    {"SHOP", secret.Use{Flow: "other", Host: "api.example.com", Declared: true}, secret.ErrNotBound, ""},
		"declared, another host":    {"SHOP", secret.Use{Flow: "refund", Host: "x.example", Declared: true}, secret.ErrNotBound, ""},
		"unbound in a flow":         {"OPEN", secret.Use{Flow: "refund", Host: "api.example.com"}, secret.ErrNotBound, "SLUICE_SECRET_OPEN_HOSTS"},
		"unbound, declared":         {"OPEN", secret.Use{Flow: "refund", Host: "api.example.com", Declared: true}, nil, ""},
		"empty bindings":            {"NOWHERE", secret.Use{Flow: "refund", Host: "api.example.com", Declared: true}, secret.ErrNotBound, ""},
		"not set":                   {"ABSENT", secret.Use{Flow: "refund", Host: "api.example.com"}, secret.ErrMissing, "SLUICE_SECRET_ABSENT"},
		"small letters":             {"shop", secret.Use{Flow: "refund", Host: "api.example.com"}, secret.ErrMissing, "did you mean secret.SHOP?"},
		"a binding's name":          {"SHOP_HOSTS", secret.Use{Flow: "refund", Host: "api.example.com"}, secret.ErrMissing, "_HOSTS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := e.Resolve(t.Context(), c.secret, c.use)
			if !errors.Is(err, c.want) {
				t.Fatalf("got error %v, want %v", err, c.want)
			}
			if err == nil {
				if got != token && got != "open-value" {
					t.Fatalf("got value %q", got)
				}
				return
			}
			if got != "" || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "-value") {
				t.Fatalf("a refused secret was shown: %q, %v", got, err)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Fatalf("the error does not name %q: %v", c.says, err)
			}
		})
	}
}

func TestNewEnvReportsEveryProblem(t *testing.T) {
	t.Parallel()
	_, err := secret.NewEnv([]string{
		"SLUICE_SECRET_SHORT=abc", "SLUICE_SECRET_lower=long enough", "SLUICE_SECRET_GONE_HOSTS=x.example",
		"SLUICE_SECRET_GOOD=long enough", "SLUICE_SECRET_GOOD_HOSTS=https://x.example/path",
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"SLUICE_SECRET_SHORT: ", "SLUICE_SECRET_lower: ", "SLUICE_SECRET_GONE_HOSTS: ", "SLUICE_SECRET_GOOD_HOSTS: "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "abc") {
		t.Errorf("a value is shown: %v", err)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	r := env(t, "SLUICE_SECRET_SHOP="+token, "SLUICE_SECRET_LONGER="+token+"-and-more", "SLUICE_SECRET_PLAIN=hunter22").Redactor()
	quoted, _ := json.Marshal("a " + token + " b")
	for name, c := range map[string]struct{ in, want string }{
		"plain":          {"key " + token + "!", "key «secret SHOP»!"},
		"longest first":  {token + "-and-more", "«secret LONGER»"},
		"query":          {"?t=" + url.QueryEscape(token), "?t=«secret SHOP»"},
		"path":           {"/x/" + url.PathEscape(token) + "/y", "/x/«secret SHOP»/y"},
		"json":           {string(quoted), `"a «secret SHOP» b"`},
		"base64":         {base64.StdEncoding.EncodeToString([]byte("hunter22")), "«secret PLAIN»"},
		"nothing secret": {"hunter2 is shorter", "hunter2 is shorter"},
	} {
		if got := r.Redact(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestRedactFindsBase64InsideOtherText(t *testing.T) {
	t.Parallel()
	r := secret.NewRedactor(map[string]string{"PLAIN": "hunter22"})
	for _, before := range []string{"", "u", "us", "use", "user:"} {
		for _, after := range []string{"", "\n", ":x", "end"} {
			encoded := base64.StdEncoding.EncodeToString([]byte(before + "hunter22" + after))
			if got := r.Redact(encoded); !strings.Contains(got, secret.Mark("PLAIN")) {
				t.Errorf("%q between %q and %q is left as %q", "hunter22", before, after, got)
			}
		}
	}
}

func TestRedactValue(t *testing.T) {
	t.Parallel()
	r := secret.NewRedactor(map[string]string{"A": "alpha-value", "TINY": "abc"})
	in := map[string]any{
		"alpha-value": []any{"x alpha-value", 1.5, nil, true, map[string]any{"k": "alpha-value"}},
		"strings":     []string{"alpha-value", "abc"},
		"headers":     map[string]string{"h": "alpha-value"},
		"error":       errors.New("refused alpha-value"),
		"raw":         json.RawMessage(`{"a":"alpha-value"}`),
	}
	want := map[string]any{
		"«secret A»": []any{"x «secret A»", 1.5, nil, true, map[string]any{"k": "«secret A»"}},
		"strings":    []string{"«secret A»", "abc"},
		"headers":    map[string]string{"h": "«secret A»"},
		"error":      "refused «secret A»",
		"raw":        json.RawMessage(`{"a":"«secret A»"}`),
	}
	if diff := cmp.Diff(want, r.RedactValue(in)); diff != "" {
		t.Error(diff)
	}
	if in["strings"].([]string)[0] != "alpha-value" {
		t.Error("the given value was changed")
	}
	var none *secret.Redactor
	if got := none.Redact("alpha-value"); got != "alpha-value" {
		t.Errorf("a nil redactor gave %q", got)
	}
}
