package planner_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/planner"
	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
	"sluice/engine/tool"
)

// everydayActions is the catalogue of a small shop.
const everydayActions = `actions:
  - {name: shop.get_order, description: Get an order, words: [get order, look up order, fetch the order], method: GET, url: "https://gw.example/o/{{order_id}}", effects: read,
     params: {type: object, properties: {order_id: {type: string}}, required: [order_id]},
     result: {type: object, properties: {order_id: {type: string}, amount: {type: number}, customer: {type: string}, status: {type: string}}}}
  - {name: shop.refund, description: Refund an order, words: [refund, refund order, give the money back], method: POST, url: "https://gw.example/r", effects: once,
     params: {type: object, properties: {order_id: {type: string}, amount: {type: number}}, required: [order_id, amount]},
     result: {type: object, properties: {refund_id: {type: string}}}}
  - {name: payments.pay, description: Pay an invoice, words: [pay, pay invoice], method: POST, url: "https://gw.example/p", effects: once,
     params: {type: object, properties: {invoice_id: {type: string}, amount: {type: number}}, required: [invoice_id]},
     result: {type: object, properties: {payment_id: {type: string}}}}
  - {name: deploy.production, description: Deploy to production, words: [deploy to production, release, ship it], method: POST, url: "https://gw.example/d", effects: once,
     params: {type: object, properties: {version: {type: string}}, required: [version]},
     result: {type: object, properties: {status: {type: string}}}}
  - {name: ci.smoke_tests, description: Run the smoke tests, words: [run smoke tests], method: GET, url: "https://gw.example/s", effects: read,
     params: {type: object, properties: {environment: {type: string}}},
     result: {type: object, properties: {passed: {type: boolean}}}}
  - {name: tickets.create, description: Create a ticket, words: [create ticket, open a ticket, file a ticket], method: POST, url: "https://gw.example/t", effects: once,
     params: {type: object, properties: {summary: {type: string}, priority: {type: string}}, required: [summary]},
     result: {type: object, properties: {ticket_id: {type: string}, url: {type: string}}}}
  - {name: mail.send, description: Send an e-mail, words: [send email, send an e-mail, email], method: POST, url: "https://gw.example/m", effects: once,
     params: {type: object, properties: {to: {type: string}, subject: {type: string}, body: {type: string}}, required: [to]},
     result: {type: object, properties: {id: {type: string}}}}
  - {name: sales.weekly, description: Get the sales numbers of a week, words: [get sales numbers, fetch weekly numbers, weekly sales], method: GET, url: "https://gw.example/w", effects: read,
     params: {type: object, properties: {week: {type: string}}},
     result: {type: object, properties: {revenue: {type: number}, orders: {type: integer}}}}
`

// everydayWorld is the one in which the everyday descriptions are read.
func everydayWorld(t *testing.T) env.World {
	t.Helper()
	tools, err := tool.LoadActions("actions.yaml", []byte(everydayActions), tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return plannertest.World(tools...)
}

// TestEveryday plans everyday descriptions without a model and compares what people see: the steps, the read-back and the questions.
func TestEveryday(t *testing.T) {
	t.Parallel()
	w := everydayWorld(t)
	everydayFile(t, "testdata/everyday.txtar", w)
	everydayFile(t, "testdata/clauses.txtar", w)
	w.Kind = func(name string) string {
		switch name {
		case "@ana", "@bob", "@ann", "@cfo":
			return "user"
		case "#team", "#support", "#shop", "#ops":
			return "channel"
		case "@finance":
			return "group"
		}
		return ""
	}
	everydayFile(t, "testdata/people.txtar", w)
}

// everydayFile compares what people see of the descriptions of a file.
func everydayFile(t *testing.T, file string, w env.World) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		f := &archive.Files[i]
		words, want, _ := strings.Cut(string(f.Data), "\n=>\n")
		got := everyday(words, w)
		if flag.Lookup("update").Value.String() == "true" {
			f.Data = []byte(words + "\n=>\n" + got + "\n")
			continue
		}
		if diff := cmp.Diff(strings.TrimRight(want, "\n"), strings.TrimRight(got, "\n")); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", f.Name, words, diff)
		}
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// everyday writes what people see of a description.
func everyday(words string, w env.World) string {
	tr, ok := outline.Read(strings.TrimSpace(words), "U1", planner.People(words, w)...)
	if !ok {
		return "no\n"
	}
	p := planner.Plan(tr, w)
	var b strings.Builder
	b.WriteString(strings.Join(sketch(p.Tree), "\n") + "\n")
	if p.Flow != nil {
		for _, l := range readback.Lines(p.Flow, w.Tools, readback.Numbers(p.Flow)) {
			fmt.Fprintf(&b, "> %s\n", l.Text)
		}
	}
	for _, q := range p.Questions {
		fmt.Fprintf(&b, "? %s\n", q.Text)
	}
	for _, n := range p.Notes {
		if n.Blocks {
			fmt.Fprintf(&b, "! %s\n", n.Text)
		}
	}
	return b.String()
}
