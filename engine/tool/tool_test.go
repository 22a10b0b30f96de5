package tool_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/tool"
)

func answering(name string) tool.Tool {
	return tool.Tool{Name: name, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		return tool.Result{Data: c.Params["order_id"]}, nil
	}}
}

func TestSet(t *testing.T) {
	t.Parallel()
	s, err := tool.New(answering("shop.refund"), answering("shop.get_order"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(answering("mail.send")); err != nil {
		t.Fatal(err)
	}
	s.Remove("shop.refund", "shop.absent")
	var names []string
	for _, x := range s.All() {
		names = append(names, x.Name)
	}
	if diff := cmp.Diff([]string{"mail.send", "shop.get_order"}, names); diff != "" {
		t.Error(diff)
	}
	if _, ok := s.Lookup("shop.refund"); ok {
		t.Error("a removed tool is still found")
	}
	got, ok := s.Lookup("mail.send")
	if !ok || got.Policy != tool.Allow {
		t.Errorf("got %v, policy %q", ok, got.Policy)
	}
}

// Tools come and go while others look them up; the race detector watches.
func TestSetConcurrently(t *testing.T) {
	t.Parallel()
	s, err := tool.New(answering("shop.stays"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := fmt.Sprintf("shop.tool%d", i)
			for range 100 {
				if err := s.Add(answering(name)); err != nil {
					t.Error(err)
				}
				if x, ok := s.Lookup("shop.stays"); !ok {
					t.Error("a tool is lost")
				} else if _, err := x.Call(t.Context(), tool.Call{}); err != nil {
					t.Error(err)
				}
				s.All()
				s.Remove(name)
			}
		})
	}
	all.Wait()
	if n := len(s.All()); n != 1 {
		t.Errorf("%d tools are left", n)
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	bad := answering("shop.get")
	bad.Params = map[string]any{"type": "strange"}
	elsewhere := answering("shop.get")
	elsewhere.Params = map[string]any{"$ref": "file:///etc/hostname"}
	risky := answering("shop.get")
	risky.Effects = "sometimes"
	for name, c := range map[string]struct {
		tools []tool.Tool
		says  string
	}{
		"twice":            {[]tool.Tool{answering("shop.get"), answering("shop.get")}, "shop.get is declared twice"},
		"no module":        {[]tool.Tool{answering("get")}, "module.action"},
		"capitals":         {[]tool.Tool{answering("Shop.Get")}, "module.action"},
		"too long":         {[]tool.Tool{answering("shop." + strings.Repeat("x", 60))}, "longer than 62"},
		"nobody":           {[]tool.Tool{{Name: "shop.get"}}, "nothing performs it"},
		"schema":           {[]tool.Tool{bad}, "params: not a JSON Schema"},
		"schema elsewhere": {[]tool.Tool{elsewhere}, "refer to itself only"},
		"effects":          {[]tool.Tool{risky}, `"sometimes"`},
	} {
		if _, err := tool.New(c.tools...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", name, err, c.says)
		}
	}
}

func TestCallChecksParams(t *testing.T) {
	t.Parallel()
	x := answering("shop.refund")
	x.Params = map[string]any{
		"type": "object", "required": []any{"order_id", "amount", "currency"}, "additionalProperties": false,
		"properties": map[string]any{
			"currency": map[string]any{"type": "string", "default": "EUR"},
			"order_id": map[string]any{"type": "string", "minLength": 3},
			"amount":   map[string]any{"type": "number", "maximum": 500},
			"reason":   map[string]any{"enum": []any{"damaged", "late", 3}},
			"lines": map[string]any{"type": "array", "items": map[string]any{
				"type": "object", "required": []any{"sku"},
			}},
		},
	}
	s, err := tool.New(x)
	if err != nil {
		t.Fatal(err)
	}
	x, _ = s.Lookup("shop.refund")
	for name, c := range map[string]struct {
		params map[string]any
		want   string
	}{
		"valid":       {map[string]any{"order_id": "A-1", "amount": 5}, ""},
		"missing":     {nil, "shop.refund: order_id is missing; amount is missing"},
		"misspelt":    {map[string]any{"order_id": "A-1", "amount": 5, "raeson": "late"}, "shop.refund: raeson is not known here; did you mean reason?"},
		"foreign":     {map[string]any{"order_id": "A-1", "amount": 5, "zzz": 1}, "shop.refund: zzz is not known here (known: amount, currency, lines, order_id, reason)"},
		"wrong types": {map[string]any{"order_id": 7, "amount": "topsecret"}, "shop.refund: amount must be a number, not a string; order_id must be a string, not a number"},
		"enum":        {map[string]any{"order_id": "A-1", "amount": 5, "reason": "topsecret"}, "shop.refund: reason must be one of damaged, late, 3"},
		"limits":      {map[string]any{"order_id": "A", "amount": 501}, "shop.refund: amount must be at most 500; order_id must have at least 3 characters"},
		"nested":      {map[string]any{"order_id": "A-1", "amount": 5, "lines": []any{map[string]any{"sku": 1}, map[string]any{}}}, "shop.refund: lines[1].sku is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := x.Call(t.Context(), tool.Call{Params: c.params})
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			e, ok := errors.AsType[*tool.Error](err)
			if !ok || e.Type != "ParameterError" || !e.Permanent {
				t.Fatalf("got %v", err)
			}
			if sortedPhrases(e.Message) != sortedPhrases(c.want) {
				t.Errorf("got  %s\nwant %s", e.Message, c.want)
			}
		})
	}
}

// sortedPhrases makes messages comparable: the order of problems in a schema check is not fixed.
func sortedPhrases(message string) string {
	head, rest, _ := strings.Cut(message, ": ")
	phrases := strings.Split(rest, "; ")
	for i := range phrases {
		for j := i + 1; j < len(phrases); j++ {
			if phrases[j] < phrases[i] {
				phrases[i], phrases[j] = phrases[j], phrases[i]
			}
		}
	}
	return head + ": " + strings.Join(phrases, "; ")
}

func TestEffects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ own, override, want flow.Effects }{
		{"", "", flow.EffectsOnce},
		{flow.EffectsRead, "", flow.EffectsRead},
		{flow.EffectsOnce, flow.EffectsIdempotent, flow.EffectsIdempotent},
		{"strange", "stranger", flow.EffectsOnce},
	} {
		if got := tool.Effects(tool.Tool{Effects: c.own}, c.override); got != c.want {
			t.Errorf("%q over %q gave %q, want %q", c.override, c.own, got, c.want)
		}
	}
}

type posts struct{ got []tool.Message }

func (p *posts) Post(_ context.Context, m tool.Message) (tool.Posted, error) {
	if m.Channel == "#gone" {
		return tool.Posted{}, errors.New("channel_not_found")
	}
	p.got = append(p.got, m)
	return tool.Posted{Channel: "C1", TS: "1.2"}, nil
}

func TestPostMessage(t *testing.T) {
	t.Parallel()
	p := &posts{}
	s, err := tool.New(tool.PostMessage(p))
	if err != nil {
		t.Fatal(err)
	}
	post, _ := s.Lookup("slack.post_message")
	got, err := post.Call(t.Context(), tool.Call{Key: "run/1/0/0", Run: "r1", Params: map[string]any{"channel": "#support", "text": "done {{x}}"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"channel": "C1", "ts": "1.2"}, got.Data); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]tool.Message{{Key: "run/1/0/0", Channel: "#support", Text: "done {{x}}", Run: "r1"}}, p.got); diff != "" {
		t.Error(diff)
	}
	if _, err := post.Call(t.Context(), tool.Call{ByModel: true, Params: map[string]any{"channel": "#support", "text": "**done**"}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][2]int{{0, 8}}, p.got[1].Model); diff != "" || p.got[0].Model != nil {
		t.Errorf("what a model wrote: %s, and what a flow says is a model's at %v", diff, p.got[0].Model)
	}
	_, err = post.Call(t.Context(), tool.Call{Params: map[string]any{"channel": "#gone", "text": "x"}})
	if e, ok := errors.AsType[*tool.Error](err); !ok || e.Type != "ToolError" || !strings.Contains(e.Message, "channel_not_found") {
		t.Errorf("got %v", err)
	}
	if post.Effects != flow.EffectsIdempotent {
		t.Errorf("effects are %q", post.Effects)
	}
}
