package secret_test

import (
	"strings"
	"testing"

	"sluice/engine/secret"
)

func TestHideAddresses(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"postgres://ana:hunter22@db.example:5432/sluice":            "postgres://***@db.example:5432/sluice",
		"postgres://ana:hun/ter?2@2@db.example/sluice":              "postgres://***@db.example/sluice",
		"postgresql://db.example/sluice?user=a&password=hunter22":   "postgresql://db.example/sluice?user=***&password=***",
		"https://hunter22@models.example/v1?api-key=hunter22#frag":  "https://***@models.example/v1?api-key=***",
		"https://x.example/v1;token=hunter22":                       "https://x.example/v1;token=***",
		"socks5://u:hunter22@proxy:1080":                            "socks5://***@proxy:1080",
		`Get "https://a:hunter22@b.example/x?k=hunter22": EOF`:      `Get "https://***@b.example/x?k=***": EOF`,
		"host=db user=ana password=hunter22 dbname=x":               "host=db user=ana password=*** dbname=x",
		`host=db password='hunt er\'22' sslkey=hunter22 dbname=x`:   `host=db password=*** sslkey=*** dbname=x`,
		"https://api.openai.com/v1":                                 "https://api.openai.com/v1",
		"write postgres://USER@HOST/DATABASE":                       "write postgres://USER@HOST/DATABASE",
		"sqlite .sluice/sluice.db":                                  "sqlite .sluice/sluice.db",
		"write to ana@example.com, or look at https://example.com/": "write to ana@example.com, or look at https://example.com/",
	} {
		if got := secret.HideAddresses(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"postgres://ana:hunter22@db/x": "hunter22", "https://key1@m.example": "key1", "https://m.example/?api-key=k%26k": "k&k", "postgres://ana@db/x?sslmode=prefer": "", "::": "",
	} {
		if got := strings.Join(secret.AddressSecrets(in), " "); got != want {
			t.Errorf("of %q %q is secret, want %q", in, got, want)
		}
	}
}
