package drafts_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/bot/drafts"
	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/tool"
)

// The description that people can copy is made of the tools that there are: values that are looked up are those that are used.
func ExampleExample() {
	properties := func(names ...string) map[string]any {
		all := map[string]any{}
		for _, n := range names {
			all[n] = map[string]any{"type": "string"}
		}
		return map[string]any{"properties": all}
	}
	fmt.Println(drafts.Example([]tool.Tool{
		{Name: "http.get", Effects: flow.EffectsRead, Words: []string{"get a page"}},
		{Name: "shop.order", Effects: flow.EffectsRead, Words: []string{"look up the order"}, Result: properties("order_total")},
		{Name: "shop.refund", Effects: flow.EffectsOnce, Words: []string{"refund it"}, Params: properties("order_total", "order_id")},
	}))
	// Output:
	// example:
	// 1. look up the order
	// 2. ask me to approve
	// 3. refund it with the order total
	// 4. tell #general
}

// A message is about its files when it says nothing else, or when one of them may be a flow.
func TestBring(t *testing.T) {
	t.Parallel()
	picture, sheet := request.File{Name: "cat.png", Type: "image/png"}, request.File{Name: "flow.yaml"}
	for _, c := range []struct {
		text  string
		files []request.File
		want  bool
	}{
		{"", nil, false},
		{"look", nil, false},
		{" ", []request.File{picture}, true},
		{"look at my cat", []request.File{picture}, false},
		{"make this a flow", []request.File{picture, sheet}, true},
	} {
		if got := drafts.Bring(request.Incoming{Text: c.text, Files: c.files}); got != c.want {
			t.Errorf("%q with %d files: %v", strings.TrimSpace(c.text), len(c.files), got)
		}
	}
}
