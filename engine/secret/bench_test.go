package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/secret"
)

// BenchmarkRedact looks for three secrets in texts that hold none.
func BenchmarkRedact(b *testing.B) {
	r := secret.NewRedactor(map[string]string{"A": "sk_live_0123456789abcdefghij", "B": "hunter2hunter2", "C": "xoxb-1234-5678-abcdefghijklmnop"})
	for name, text := range map[string]string{
		"prose": "The customer asked for a refund of order A-1001, and the shop agreed to it. ",
		"json":  `{"order_id":"A-1001","customer":"Mara Silva","amount":250,"note":"said \"please\"\n"},`, "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo",
	} {
		for _, size := range []int{100, 1000, 16_000} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				part := strings.Repeat(text, size/len(text)+1)[:size]
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					r.Redact(part)
				}
			})
		}
	}
}
