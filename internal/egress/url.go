package egress

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// CheckURL reports whether a URL can be sent to, as far as that is known without looking up its host. Its errors do
// not repeat the URL, which may contain a secret.
func CheckURL(raw string) error {
	_, err := parseURL(raw)
	return err
}

func parseURL(raw string) (*url.URL, error) {
	target, err := url.Parse(EncodeURL(raw))
	if err != nil {
		return nil, errors.New("the URL is not understood: write one such as https://hooks.example.com/path")
	}
	switch {
	case strings.ContainsFunc(raw, unicode.IsSpace): // one in the query would break the request line
		return nil, errors.New("the URL must not hold spaces: write %20 instead")
	case target.Scheme != "http" && target.Scheme != "https":
		return nil, errors.New("the URL must begin with http:// or https://")
	case target.Hostname() == "":
		return nil, errors.New("the URL has no host: write one such as https://hooks.example.com/path")
	case target.User != nil:
		return nil, errors.New("the URL must not hold a user or password: send an Authorization header instead")
	case strings.Contains(raw, "#"):
		return nil, errors.New("the URL must not have a fragment (#…): it would not be sent")
	case strings.Contains(target.Hostname(), "%"):
		return nil, errors.New("the URL's host must not have a zone")
	}
	if port := target.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, errors.New("the URL's port must be a number from 1 to 65535")
		}
	}
	return target, nil
}

// EncodeURL returns a URL as it is sent: in path and query, bytes that are not allowed there are percent-encoded, and
// everything else stays as it is. Without it net/http would decode a path with one such byte and encode it again,
// turning %2F into a slash, and would send those of a query raw. The host is left alone, and so are blanks, control
// characters and a stray % in the path, all of which CheckURL refuses.
func EncodeURL(raw string) string {
	scheme, rest, _ := strings.Cut(raw, "://")
	start := strings.IndexAny(rest, "/?#")
	if start < 0 {
		return raw
	}
	start += len(scheme) + len("://")
	b := append(make([]byte, 0, len(raw)+32), raw[:start]...)
	inQuery := false
	for i := start; i < len(raw); i++ {
		c := raw[i]
		inQuery = inQuery || c == '?'
		if stray := c == '%' && inQuery && !encodes(raw[i:]); stray || !inURL(c) {
			const digits = "0123456789ABCDEF"
			b = append(b, '%', digits[c>>4], digits[c&15])
			continue
		}
		b = append(b, c)
	}
	return string(b)
}

// inURL reports whether a byte may stay in a path or query. RFC 3986 has no square brackets there, but browsers,
// net/url and receivers that read ?id[]=1 leave them.
func inURL(c byte) bool {
	return c <= ' ' || c == 0x7f || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("-._~!$&'()*+,;=:@/?#%[]", c) >= 0
}

// encodes reports whether a text begins with a percent-encoded byte.
func encodes(s string) bool {
	_, err := url.PathUnescape(s[:min(len(s), 3)])
	return err == nil
}
