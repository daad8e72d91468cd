package system_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// hostileWriters are the kinds of writes. The short form sends the first.
var hostileWriters = []hostile{
	{"a bulk allocation and small ones in one prefix", preparePrefix, func(s *siege, worker int, key string, _ int64) answer {
		if worker%6 == 0 {
			return s.take(key, 5000)
		}
		return s.take(key, 1)
	}},
	{"empty objects to own tokens", nil, func(s *siege, _ int, key string, _ int64) answer {
		return s.Do(http.MethodPost, "/api/users/tokens/", key, list("{}", 10_000))
	}},
	{"allocations of 5,000 addresses", preparePrefix, func(s *siege, _ int, key string, _ int64) answer { return s.take(key, 5000) }},
	{"allocations of 10,000 addresses", preparePrefix, func(s *siege, _ int, key string, _ int64) answer { return s.take(key, 10_000) }},
	{"large bodies behind a row lock", prepareLocked, func(s *siege, _ int, key string, n int64) answer {
		item := fmt.Sprintf(`{"id":%d,"description":"%d %s"}`, s.target, n, strings.Repeat("d", 100))
		return s.Do(http.MethodPatch, "/api/dcim/sites/", key, list(item, 3000))
	}},
}

func list(item string, n int) string { return "[" + item + strings.Repeat(","+item, n-1) + "]" }

// preparePrefix makes a prefix that never fills.
func preparePrefix(t *testing.T, s *siege) {
	s.allow(t, []string{"ipam.prefix", "ipam.ipaddress"}, []string{"view", "add"})
	s.target = s.create(t, "/api/ipam/prefixes/", object{"prefix": "fd00:" + randomHex(2) + "::/64"})
}

// take takes free addresses.
func (s *siege) take(key string, n int) answer {
	return s.Do(http.MethodPost, fmt.Sprintf("/api/ipam/prefixes/%d/available-ips/", s.target), key, list("{}", n))
}

// prepareLocked locks the row of a site until the test ends.
func prepareLocked(t *testing.T, s *siege) {
	s.allow(t, []string{"dcim.site"}, []string{"view", "change"})
	name := randomHex(4)
	s.target = s.create(t, "/api/dcim/sites/", object{"name": name, "slug": name})
	tx, err := connect(t, s.database).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	if _, err := tx.Exec(t.Context(), "SELECT FROM dcim_site WHERE id = $1 FOR UPDATE", s.target); err != nil {
		t.Fatal(err)
	}
}
