package egress

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// CheckURL says whether a URL can be sent to, as far as that is known without looking its
// host up. Its errors do not repeat the URL, which may hold a secret.
func CheckURL(raw string) error {
	_, err := parseURL(raw)
	return err
}

func parseURL(raw string) (*url.URL, error) {
	target, err := url.Parse(raw)
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
