package secret

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	addressForm = regexp.MustCompile("(?i)\\b[a-z][a-z0-9+.-]*://[^\\s\"'<>`]+")
	queryValue  = regexp.MustCompile(`([?&;#][^=&;#?]*=)[^&;#]+`)
	settingForm = regexp.MustCompile(`(?i)\b(password|passwd|pwd|sslpassword|sslkey|passfile|api[_-]?key|token|secret)(\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&;,]+)`)
)

const hidden = "***"

// HideAddresses takes out of a text what its addresses (URLs, and settings such as password=...) may hold besides where they lead: users,
// passwords, the values of parameters.
func HideAddresses(text string) string {
	text = addressForm.ReplaceAllStringFunc(text, func(a string) string {
		scheme, rest, _ := strings.Cut(a, "://")
		// A password that is not escaped may hold / or ?, so everything up to the last @ counts as one.
		if i := strings.LastIndexByte(rest, '@'); i >= 0 && secretUser(scheme, rest[:i]) {
			rest = hidden + rest[i:]
		}
		return scheme + "://" + queryValue.ReplaceAllString(rest, "${1}"+hidden)
	})
	return settingForm.ReplaceAllString(text, "${1}${2}"+hidden)
}

// secretUser tells a user with a password, or a key in the place of a user, from a user alone, and from the example in an error.
func secretUser(scheme, user string) bool {
	return user != "user:password" && (strings.ContainsAny(user, ":/?") || strings.HasPrefix(strings.ToLower(scheme), "http"))
}

// AddressSecrets are the parts of an address that nobody else may see, such as its password.
func AddressSecrets(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	var all []string
	if u.User != nil {
		if password, ok := u.User.Password(); ok {
			all = append(all, password)
		} else if u.Scheme == "http" || u.Scheme == "https" {
			all = append(all, u.User.Username()) // a key in the place of a user
		}
	}
	for name, values := range u.Query() {
		switch strings.ToLower(name) {
		case "password", "sslpassword", "passwd", "pwd", "key", "api_key", "apikey", "api-key", "token", "access_token", "secret", "code", "sig":
			all = append(all, values...)
		}
	}
	return all
}
