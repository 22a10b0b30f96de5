package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sluice/bot"
	"sluice/engine/secret"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
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
)

// Reasons to refuse a delivery, for the log.
var (
	errUnsigned  = errors.New("it is not signed")
	errID        = errors.New("its id is missing or cannot be one")
	errTime      = errors.New("its time cannot be read")
	errOff       = errors.New("its time is more than five minutes off")
	errSignature = errors.New("the signature is not right")
)

// signed is what a request says about itself before its body is read.
type signed struct {
	id     string
	header http.Header // of Standard Webhooks; nil = GitHub's way
	hub    []byte      // what GitHub's signature must be
}

// readSigned reads the headers of a delivery.
func readSigned(h http.Header, now time.Time) (signed, error) {
	switch {
	case len(h.Values(webhooks.HeaderWebhookSignature)) > 0:
		return readStandard(h, now)
	case len(h.Values(hubSignature)) > 0:
		return readHub(h)
	}
	return signed{}, errUnsigned
}

func readStandard(h http.Header, now time.Time) (signed, error) {
	id, err := readID(h, webhooks.HeaderWebhookID)
	if err != nil {
		return signed{}, err
	}
	at, err := only(h, webhooks.HeaderWebhookTimestamp)
	if err != nil {
		return signed{}, errTime
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || seconds < 0 {
		return signed{}, errTime
	}
	if now.Unix()-seconds > int64(off/time.Second) || seconds-now.Unix() > int64(off/time.Second) {
		return signed{}, errOff
	}
	header := http.Header{}
	header.Set(webhooks.HeaderWebhookID, id)
	header.Set(webhooks.HeaderWebhookTimestamp, at)
	header.Set(webhooks.HeaderWebhookSignature, strings.Join(h.Values(webhooks.HeaderWebhookSignature), " "))
	return signed{id: id, header: header}, nil
}

func readHub(h http.Header) (signed, error) {
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
	return signed{id: id, hub: sum}, nil
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
type key struct {
	standard *webhooks.Webhook
	hub      []byte
}

// newKey makes a key of a secret.
func newKey(text string) (key, error) {
	k := key{hub: []byte(text)}
	var err error
	least := len(text)
	if encoded, ok := strings.CutPrefix(text, "whsec_"); ok {
		least = len(encoded) * 3 / 4
		k.standard, err = webhooks.NewWebhook(text)
	} else {
		k.standard, err = webhooks.NewWebhookRaw([]byte(text))
	}
	if err != nil {
		return key{}, errors.New("what follows whsec_ must be base64")
	}
	if least < keyLeast {
		return key{}, fmt.Errorf("it must have at least %d bytes: `openssl rand -hex 32` makes one", keyLeast)
	}
	return k, nil
}

// CheckSecret says what keeps the secret of a flow's hook from being used.
func CheckSecret(ctx context.Context, secrets secret.Source, flow, path string) error {
	_, err := secretKey(ctx, secrets, flow, path)
	return err
}

// secretKey makes the key of a hook's secret. The installation declares the use by the secret's name: a secret that flows may send
// somewhere (one that is bound to hosts) is refused, and one that is bound to flows is for these.
func secretKey(ctx context.Context, secrets secret.Source, flow, path string) (key, error) {
	name := bot.HookSecret(path)
	text, err := secrets.Resolve(ctx, name, secret.Use{Flow: flow, Tool: "the webhook " + path, Declared: true})
	if err != nil {
		return key{}, err
	}
	k, err := newKey(text)
	if err != nil {
		return key{}, fmt.Errorf("%s%s cannot be a key: %w", secret.Prefix, name, err)
	}
	return k, nil
}

// randomKey is a key that nobody has.
func randomKey() key {
	text := rand.Text() + rand.Text()
	k, err := newKey(text)
	if err != nil {
		panic(fmt.Errorf("a random text is no key: %w", err)) // it is long enough
	}
	return k
}

// verify holds a delivery against a key.
func (k key) verify(s signed, body []byte) error {
	if s.header != nil {
		if k.standard.VerifyIgnoringTimestamp(body, s.header) != nil { // readStandard has looked at the time
			return errSignature
		}
		return nil
	}
	mac := hmac.New(sha256.New, k.hub)
	mac.Write(body)
	if !hmac.Equal(mac.Sum(nil), s.hub) {
		return errSignature
	}
	return nil
}
