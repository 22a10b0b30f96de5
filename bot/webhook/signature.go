package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sluice/bot/triggers"
	"sluice/engine/flow"
	"sluice/engine/secret"
)

// The headers of a delivery by Standard Webhooks.
const (
	standardID        = "Webhook-Id"
	standardTimestamp = "Webhook-Timestamp"
	standardSignature = "Webhook-Signature"
	standardPrefix    = "v1,"
	standardSecret    = "whsec_"
)

// The headers of a delivery as GitHub sends it.
const (
	hubSignature = "X-Hub-Signature-256"
	hubDelivery  = "X-Github-Delivery"
	hubPrefix    = "sha256="
)

const (
	// off is how far the time of a signature may be from now.
	off = 5 * time.Minute
	// idMost is how long the id of a delivery may be.
	idMost = 255
	// keyLeast is how many bytes a key must have, so that it cannot be guessed.
	keyLeast = 16
	// sumsMost is how many signatures a delivery may have: the sender's keys, old and new.
	sumsMost = 16
)

// Reasons to refuse a delivery, for the log.
var (
	errUnsigned  = errors.New("it is not signed")
	errBoth      = errors.New("it has headers of two schemes")
	errID        = errors.New("its id is missing or cannot be one")
	errTime      = errors.New("its time cannot be read")
	errOff       = errors.New("its time is more than five minutes off")
	errSignature = errors.New("the signature is not right")
	errScheme    = errors.New("it is signed in another way than its hook declares")
)

// signed is what a request says about itself before its body is read.
type signed struct {
	scheme string // flow.SchemeStandard or flow.SchemeGitHub
	id     string
	prefix string   // what is signed in front of the body
	sums   [][]byte // what the signature may be
}

// readSigned reads the headers of a delivery. A request with headers of both schemes has no single reading, and is refused.
func readSigned(h http.Header, now time.Time) (signed, error) {
	standard := anyOf(h, standardID, standardTimestamp, standardSignature)
	hub := anyOf(h, hubDelivery, hubSignature)
	switch {
	case standard && hub:
		return signed{}, errBoth
	case standard:
		return readStandard(h, now)
	case hub:
		return readHub(h)
	}
	return signed{}, errUnsigned
}

func anyOf(h http.Header, names ...string) bool {
	for _, name := range names {
		if len(h.Values(name)) > 0 {
			return true
		}
	}
	return false
}

func readStandard(h http.Header, now time.Time) (signed, error) {
	text, err := only(h, standardSignature)
	if err != nil {
		return signed{}, errUnsigned
	}
	id, err := readID(h, standardID)
	if err != nil {
		return signed{}, err
	}
	at, err := only(h, standardTimestamp)
	if err != nil {
		return signed{}, errTime
	}
	seconds, err := strconv.ParseUint(at, 10, 63)
	if err != nil {
		return signed{}, errTime
	}
	if now.Unix()-int64(seconds) > int64(off/time.Second) || int64(seconds)-now.Unix() > int64(off/time.Second) {
		return signed{}, errOff
	}
	s := signed{scheme: flow.SchemeStandard, id: id, prefix: id + "." + at + "."}
	for part := range strings.FieldsSeq(text) {
		encoded, ok := strings.CutPrefix(part, standardPrefix)
		if sum, err := base64.StdEncoding.DecodeString(encoded); ok && err == nil && len(sum) == sha256.Size {
			s.sums = append(s.sums, sum)
		}
	}
	if len(s.sums) == 0 || len(s.sums) > sumsMost {
		return signed{}, errSignature
	}
	return s, nil
}

func readHub(h http.Header) (signed, error) {
	if len(h.Values(hubSignature)) == 0 {
		return signed{}, errUnsigned
	}
	id, err := readID(h, hubDelivery)
	if err != nil {
		return signed{}, err
	}
	text, err := only(h, hubSignature)
	if err != nil {
		return signed{}, errSignature
	}
	digits, ok := strings.CutPrefix(text, hubPrefix)
	if !ok {
		return signed{}, errSignature
	}
	sum, err := hex.DecodeString(digits)
	if err != nil || len(sum) != sha256.Size {
		return signed{}, errSignature
	}
	return signed{scheme: flow.SchemeGitHub, id: id, sums: [][]byte{sum}}, nil
}

// readID reads an id: it is stored, and shown in the log.
func readID(h http.Header, name string) (string, error) {
	id, err := only(h, name)
	if err != nil || len(id) > idMost || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errID
	}
	return id, nil
}

// only gives a header that is there once.
func only(h http.Header, name string) (string, error) {
	all := h.Values(name)
	if len(all) != 1 || all[0] == "" {
		return "", fmt.Errorf("%s is there %d times", name, len(all))
	}
	return all[0], nil
}

// key verifies the deliveries of one hook.
type key []byte

// newKey makes a key of a secret. A secret whsec_BASE64 belongs to Standard Webhooks, and is no key of another scheme.
func newKey(scheme, text string) (key, error) {
	k := key(text)
	if encoded, ok := strings.CutPrefix(text, standardSecret); ok {
		if scheme != flow.SchemeStandard {
			return nil, errors.New("a secret that begins with " + standardSecret + " is for Standard Webhooks, and the hook declares another scheme")
		}
		var err error
		if k, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return nil, errors.New("what follows " + standardSecret + " must be base64")
		}
	}
	if len(k) < keyLeast {
		return nil, fmt.Errorf("it must have at least %d bytes: `openssl rand -hex 32` makes one", keyLeast)
	}
	return k, nil
}

// CheckSecret says what keeps the secret of a flow's hook from being used.
func CheckSecret(ctx context.Context, secrets secret.Source, name string, w flow.WebhookTrigger) error {
	_, err := secretKey(ctx, secrets, triggers.Hook{Path: w.Path, Flow: name, Scheme: w.SchemeOrDefault()})
	return err
}

// secretKey makes the key of a hook's secret. The installation declares the use by the secret's name: a secret that flows may send
// somewhere (one that is bound to hosts) is refused, and one that is bound to flows is for these.
func secretKey(ctx context.Context, secrets secret.Source, h triggers.Hook) (key, error) {
	name := triggers.HookSecret(h.Path)
	text, err := secrets.Resolve(ctx, name, secret.Use{Flow: h.Flow, Tool: "the webhook " + h.Path, Declared: true})
	if err != nil {
		return nil, err
	}
	k, err := newKey(h.Scheme, text)
	if err != nil {
		return nil, fmt.Errorf("%s%s cannot be a key: %w", secret.Prefix, name, err)
	}
	return k, nil
}

// randomKey is a key that no sender can know.
func randomKey() key { return key(rand.Text() + rand.Text()) }

// digest takes the body of a delivery, piece by piece, and then checks the signature with the key.
type digest struct {
	hash.Hash
	signed
}

func (k key) digest(s signed) *digest {
	d := &digest{hmac.New(sha256.New, k), s}
	d.Write([]byte(s.prefix))
	return d
}

// verify compares without a hint of where a signature differs, or which of several was right.
func (d *digest) verify() error {
	want, right := d.Sum(nil), false
	for _, sum := range d.sums {
		right = hmac.Equal(want, sum) || right
	}
	if !right {
		return errSignature
	}
	return nil
}
