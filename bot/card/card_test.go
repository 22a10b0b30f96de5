package card

import "testing"

func TestGuard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain & simple":                         "plain & simple",
		"&lt;b&gt; stays":                        "&lt;b&gt; stays",
		"run <flow> [input=value ...]":           "run &lt;flow&gt; [input=value ...]",
		"<@U0ANA> in <#C0SUPPORT>":               "<@U0ANA> in <#C0SUPPORT>",
		"<!channel> and <https://example.com|x>": "&lt;!channel&gt; and &lt;https://example.com|x&gt;",
		"<!date^1^{date}|1970> <":                "<!date^1^{date}|1970> &lt;",
		"<<@U0ANA>>":                             "&lt;<@U0ANA>&gt;",
	} {
		if got := Guard(text); got != want {
			t.Errorf("Guard(%q) = %q, want %q", text, got, want)
		}
	}
}
