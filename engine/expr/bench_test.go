package expr_test

import (
	"testing"

	"sluice/engine/expr"
)

func BenchmarkEval(b *testing.B) {
	scope := world()
	for _, src := range []string{
		"look_up.result.body.amount",
		"category == 'refund'",
		"look_up.result.body.amount > 100",
		"category == 'refund' and not (amount > 100 or approvals.gate == 'reject') and tags contains 'late'",
		"event.payload.message matches 'A-[0-9]+'",
	} {
		b.Run(src, func(b *testing.B) {
			e, err := expr.Compile(src, ids)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Eval(scope, expr.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := expr.Compile("category == 'refund' and look_up.result.body.amount > 100", ids); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	tmpl, err := expr.ParseTemplate("Refund {{look_up.result.body.amount}} EUR for {{ category | upper }}?", ids)
	if err != nil {
		b.Fatal(err)
	}
	scope := world()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tmpl.Render(scope, expr.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
