package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow"
)

// The examples that the two schemes publish.
const (
	stdSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	stdID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	standardTime = 1614265330
	standardBody = `{"test": 2432232314}`
	standardSum  = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

	hubSecret = "It's a Secret to Everybody"
	hubBody   = "Hello, World!"
	hubSum    = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
)

func standardHeaders(change map[string]string) http.Header {
	h := http.Header{}
	h.Set("webhook-id", stdID)
	h.Set("webhook-timestamp", fmt.Sprint(standardTime))
	h.Set("webhook-signature", standardSum)
	return changed(h, change)
}

func hubHeaders(change map[string]string) http.Header {
	h := http.Header{}
	h.Set("X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958")
	h.Set("X-Hub-Signature-256", hubSum)
	return changed(h, change)
}

// changed sets headers, and takes those away that are set to nothing.
func changed(h http.Header, change map[string]string) http.Header {
	for name, v := range change {
		h.Set(name, v)
		if v == "" {
			h.Del(name)
		}
	}
	return h
}

// standardSign signs as the scheme's text says, for itself: not with the library that verifies.
func standardSign(key []byte, id string, at int64, body string) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", id, at, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func hubSign(key, body string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	const wrong = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="
	headers := func(h http.Header, twice string, v string) http.Header { h.Add(twice, v); return h }
	for name, c := range map[string]struct {
		secret string
		header http.Header
		body   string
		late   time.Duration // after the signature's time
		want   error
	}{
		"published":                    {stdSecret, standardHeaders(nil), standardBody, 0, nil},
		"five minutes old":             {stdSecret, standardHeaders(nil), standardBody, 5 * time.Minute, nil},
		"older":                        {stdSecret, standardHeaders(nil), standardBody, 5*time.Minute + time.Second, errOff},
		"five minutes ahead":           {stdSecret, standardHeaders(nil), standardBody, -5 * time.Minute, nil},
		"further ahead":                {stdSecret, standardHeaders(nil), standardBody, -5*time.Minute - time.Second, errOff},
		"another body":                 {stdSecret, standardHeaders(nil), standardBody + " ", 0, errSignature},
		"another id":                   {stdSecret, standardHeaders(map[string]string{"webhook-id": stdID + "x"}), standardBody, 0, errSignature},
		"another time":                 {stdSecret, standardHeaders(map[string]string{"webhook-timestamp": fmt.Sprint(standardTime + 1)}), standardBody, 0, errSignature},
		"another secret":               {"whsec_" + base64.StdEncoding.EncodeToString([]byte("sixteen bytes or more")), standardHeaders(nil), standardBody, 0, errSignature},
		"the secret's text as the key": {"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", standardHeaders(nil), standardBody, 0, errSignature},
		"a text for a secret":          {hubSecret, standardHeaders(map[string]string{"webhook-signature": standardSign([]byte(hubSecret), stdID, standardTime, standardBody)}), standardBody, 0, nil},
		"rotated, the right one last":  {stdSecret, standardHeaders(map[string]string{"webhook-signature": wrong + " v2,abc v1 " + standardSum}), standardBody, 0, nil},
		"two signature headers":        {stdSecret, headers(standardHeaders(map[string]string{"webhook-signature": wrong}), "webhook-signature", standardSum), standardBody, 0, errUnsigned},
		"only wrong ones":              {stdSecret, standardHeaders(map[string]string{"webhook-signature": wrong + " " + wrong}), standardBody, 0, errSignature},
		"of another version":           {stdSecret, standardHeaders(map[string]string{"webhook-signature": "v2" + standardSum[2:]}), standardBody, 0, errSignature},
		"nothing after the comma":      {stdSecret, standardHeaders(map[string]string{"webhook-signature": "v1,"}), standardBody, 0, errSignature},
		"no signature":                 {stdSecret, standardHeaders(map[string]string{"webhook-signature": ""}), standardBody, 0, errUnsigned},
		"no id":                        {stdSecret, standardHeaders(map[string]string{"webhook-id": ""}), standardBody, 0, errID},
		"two ids":                      {stdSecret, headers(standardHeaders(nil), "webhook-id", "other"), standardBody, 0, errID},
		"an id with a line break":      {stdSecret, standardHeaders(map[string]string{"webhook-id": "a\nb"}), standardBody, 0, errID},
		"a long id":                    {stdSecret, standardHeaders(map[string]string{"webhook-id": strings.Repeat("x", 256)}), standardBody, 0, errID},
		"no time":                      {stdSecret, standardHeaders(map[string]string{"webhook-timestamp": ""}), standardBody, 0, errTime},
		"a time in words":              {stdSecret, standardHeaders(map[string]string{"webhook-timestamp": "2021-02-25T15:02:10Z"}), standardBody, 0, errTime},
		"a time before all times":      {stdSecret, standardHeaders(map[string]string{"webhook-timestamp": "-9223372036854775808"}), standardBody, 0, errTime},
		"a time after all times":       {stdSecret, standardHeaders(map[string]string{"webhook-timestamp": "9223372036854775807"}), standardBody, 0, errOff},
		"a time with a sign":           {stdSecret, standardHeaders(map[string]string{"webhook-timestamp": "+" + fmt.Sprint(standardTime)}), standardBody, 0, errTime},
		"GitHub's, published":          {hubSecret, hubHeaders(nil), hubBody, 0, nil},
		"GitHub's, years later":        {hubSecret, hubHeaders(nil), hubBody, 9999 * time.Hour, nil},
		"GitHub's, another body":       {hubSecret, hubHeaders(nil), hubBody + "!", 0, errSignature},
		"GitHub's, another secret":     {hubSecret + "!", hubHeaders(nil), hubBody, 0, errSignature},
		"GitHub's, without an id":      {hubSecret, hubHeaders(map[string]string{"X-GitHub-Delivery": ""}), hubBody, 0, errID},
		"GitHub's, cut short":          {hubSecret, hubHeaders(map[string]string{"X-Hub-Signature-256": hubSum[:len(hubSum)-2]}), hubBody, 0, errSignature},
		"GitHub's, empty":              {hubSecret, hubHeaders(map[string]string{"X-Hub-Signature-256": "sha256="}), hubBody, 0, errSignature},
		"GitHub's, not in hex":         {hubSecret, hubHeaders(map[string]string{"X-Hub-Signature-256": "sha256=" + strings.Repeat("z", 64)}), hubBody, 0, errSignature},
		"GitHub's, the older sum":      {hubSecret, hubHeaders(map[string]string{"X-Hub-Signature-256": "sha1" + hubSum[6:]}), hubBody, 0, errSignature},
		"GitHub's, twice":              {hubSecret, headers(hubHeaders(nil), "X-Hub-Signature-256", hubSum), hubBody, 0, errSignature},
		"both schemes":                 {hubSecret, headers(hubHeaders(nil), "webhook-signature", wrong), hubBody, 0, errBoth},
		"both, the other's id alone":   {hubSecret, headers(hubHeaders(nil), "webhook-id", "x"), hubBody, 0, errBoth},
		"too many signatures":          {stdSecret, standardHeaders(map[string]string{"webhook-signature": strings.Repeat(wrong+" ", sumsMost) + standardSum}), standardBody, 0, errSignature},
		"nothing at all":               {stdSecret, http.Header{}, standardBody, 0, errUnsigned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := readSigned(c.header, time.Unix(standardTime, 0).Add(c.late))
			if err == nil {
				err = check(t, c.secret, s, c.body)
			}
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if err == nil && s.id == "" {
				t.Error("the delivery has no id")
			}
		})
	}
}

// check holds a body against a secret.
func check(t *testing.T, secret string, s signed, body string) error {
	t.Helper()
	k, err := newKey(s.scheme, secret)
	if err != nil {
		t.Fatal(err)
	}
	d := k.digest(s)
	for i := range len(body) { // as slowly as it may come
		d.Write([]byte{body[i]})
	}
	return d.verify()
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		stdSecret:                            true,
		hubSecret:                            true,
		"fifteen bytes..":                    false,
		"whsec_":                             false,
		"whsec_c2hvcnQ=":                     false,
		"whsec_not base64 but long enough!!": false,
	} {
		if _, err := newKey(flow.SchemeStandard, text); (err == nil) != good {
			t.Errorf("%q as a secret: %v", text, err)
		}
	}
	if _, err := newKey(flow.SchemeGitHub, stdSecret); err == nil {
		t.Error("a secret of Standard Webhooks is a key of GitHub's scheme")
	}
	if _, err := newKey(flow.SchemeGitHub, hubSecret); err != nil {
		t.Error(err)
	}
}

// TestRandomKey: requests to unknown paths are compared with a key that is new in each process.
func TestRandomKey(t *testing.T) {
	t.Parallel()
	a, b := randomKey(), randomKey()
	if string(a) == string(b) || len(a) < 2*keyLeast {
		t.Errorf("%q and %q", a, b)
	}
}

// FuzzSigned: whatever the headers hold, only what was signed with the key passes.
func FuzzSigned(f *testing.F) {
	f.Add(stdID, fmt.Sprint(standardTime), standardSum, "", "", standardBody)
	f.Add("a", "1", "v1,x v1, ,", "b", hubSum, "{}")
	f.Add("", "", "", "c", "sha256=00", "")
	now := time.Unix(standardTime, 0)
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(stdSecret, "whsec_"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, id, at, signature, hubID, hub, body string) {
		h := changed(http.Header{}, map[string]string{
			"webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature, "X-GitHub-Delivery": hubID, "X-Hub-Signature-256": hub,
		})
		s, err := readSigned(h, now)
		if err != nil {
			return
		}
		if s.id == "" || len(s.id) > idMost || strings.ContainsAny(s.id, " \n\x00") {
			t.Errorf("%q passes as an id", s.id)
		}
		secret := map[string]string{flow.SchemeStandard: stdSecret, flow.SchemeGitHub: hubSecret}[s.scheme]
		if check(t, secret, s, body) != nil {
			return
		}
		var seconds int64
		if _, err := fmt.Sscan(at, &seconds); err == nil && hubID+hub == "" && strings.Contains(signature, standardSign(raw, id, seconds, body)) {
			return
		}
		if !strings.EqualFold(hub, hubSign(hubSecret, body)) || id+at+signature != "" {
			t.Errorf("a delivery passes that nobody has signed: %v %q", h, body)
		}
	})
}
