package tool

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// target is the address of an action: a fixed host, and a path and query with parameters in them. Whatever the
// parameters are, the host and the number of segments of the path stay.
type target struct {
	base  *url.URL // scheme and host
	path  template // escaped
	query []queryPair
}

// queryPair is name=value; a pair whose parameter is absent is left out.
type queryPair struct {
	name  string // escaped
	value template
}

var addressForm = regexp.MustCompile(`^(?i:(https?))://([^/?#]*)([^?#]*)(?:\?([^#]*))?$`)

// parseTarget reads the url of an action.
func parseTarget(text string) (*target, error) {
	m := addressForm.FindStringSubmatch(text)
	if m == nil {
		return nil, errors.New("must begin with http:// or https:// and hold no #")
	}
	if strings.Contains(m[2], "{{") {
		return nil, errors.New("must name its host; a parameter can stand in the path and after ? only")
	}
	base, err := parseAddress(m[1] + "://" + m[2])
	if err != nil {
		return nil, err
	}
	t := &target{base: base}
	if t.path, err = parseTemplate(m[3]); err != nil {
		return nil, err
	}
	for pair := range strings.SplitSeq(m[4], "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		if strings.Contains(name, "{{") {
			return nil, errors.New("must write out the names after ?; only values can be parameters")
		}
		parsed, err := parseTemplate(value)
		if err != nil {
			return nil, err
		}
		t.query = append(t.query, queryPair{name, parsed})
	}
	if slices.ContainsFunc(t.templates(), func(x template) bool { return len(x.secrets()) > 0 }) {
		return nil, errors.New("must not hold a secret: addresses end up in logs; use a header instead")
	}
	if _, err := t.address(func(string) (any, bool) { return "x", true }); err != nil {
		return nil, errors.New("is not an address")
	}
	return t, nil
}

func (t *target) templates() []template {
	all := []template{t.path}
	for _, q := range t.query {
		all = append(all, q.value)
	}
	return all
}

// params lists the parameters used in the address.
func (t *target) params() []string {
	var names []string
	for _, x := range t.templates() {
		names = append(names, x.params()...)
	}
	return names
}

// address puts parameters into the address.
func (t *target) address(value func(name string) (any, bool)) (*url.URL, error) {
	path, err := t.path.render(func(p templatePart) (string, error) {
		v, ok := value(p.param)
		if !ok {
			return "", fmt.Errorf("%s is missing", p.param)
		}
		return segment(p.param, v)
	})
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(strings.Split(path, "/"), dots) {
		return nil, errors.New("the parameters make a path with . or .. in it")
	}
	u, err := url.Parse(t.base.Scheme + "://" + t.base.Host + path)
	if err != nil || u.Host != t.base.Host || u.User != nil || u.EscapedPath() != path {
		return nil, errors.New("the parameters do not make an address")
	}
	u.RawQuery, err = t.queryText(value)
	return u, err
}

func (t *target) queryText(value func(name string) (any, bool)) (string, error) {
	var pairs []string
	for _, q := range t.query {
		absent := slices.ContainsFunc(q.value.params(), func(name string) bool { _, ok := value(name); return !ok })
		if absent {
			continue
		}
		text, err := q.value.render(func(p templatePart) (string, error) {
			v, _ := value(p.param)
			s, err := scalar(p.param, v)
			return url.QueryEscape(s), err
		})
		if err != nil {
			return "", err
		}
		pairs = append(pairs, q.name+"="+text)
	}
	return strings.Join(pairs, "&"), nil
}

// segment escapes a value for one segment of a path. A value with a slash is refused and not only escaped: many servers
// and proxies undo the escape before they look at the path.
func segment(name string, v any) (string, error) {
	s, err := scalar(name, v)
	switch {
	case err != nil:
		return "", err
	case s == "":
		return "", fmt.Errorf("%s is empty, which would change the address", name)
	case strings.ContainsAny(s, `/\`) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf(`%s holds a character that cannot stand in an address (/, \ or a control character)`, name)
	}
	return url.PathEscape(s), nil
}

// dots reports whether a segment means this folder or the one above, however its dots are escaped.
func dots(segment string) bool {
	plain := strings.ReplaceAll(strings.ToLower(segment), "%2e", ".")
	return plain == "." || plain == ".."
}

func scalar(name string, v any) (string, error) {
	switch v.(type) {
	case map[string]any, []any:
		return "", fmt.Errorf("%s is a list or an object, which cannot stand in an address or header", name)
	}
	return scalarText(v), nil
}
