package system_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// hostileReaders are the kinds of reads. The short form sends the first.
var hostileReaders = []hostile{
	{"answers that nobody reads", prepareLong, func(s *siege, _ int, key string, _ int64) answer {
		return s.silent("/api/dcim/sites/?limit=64&name__isw=Long", key)
	}},
	{"large pages that nobody reads", prepareLong, func(s *siege, _ int, key string, _ int64) answer {
		return s.silent("/api/dcim/sites/?limit=0&ordering=-id", key)
	}},
	{"large pages", prepareLong, func(s *siege, _ int, key string, _ int64) answer {
		return s.Get("/api/dcim/sites/?limit=0&name__isw=Long&ordering=-id", key)
	}},
	{"lists with 50 texts", prepareLong, func(s *siege, _ int, key string, n int64) answer {
		q := url.Values{"limit": {"1"}}
		for i := range 50 {
			q.Add("name__ic", fmt.Sprintf("a%d%d", n, i))
		}
		return s.Get("/api/dcim/interfaces/?"+q.Encode(), key)
	}},
	{"feeds with 60 expressions", prepareFeed, func(s *siege, _ int, key string, _ int64) answer { return s.Get(densestFeed(), key) }},
}

func densestFeed() string {
	return "/api/extras/feed/?after=0&limit=1000&conditions=" + url.QueryEscape(expressions(60))
}

func prepareFeed(t *testing.T, s *siege) {
	prepareLong(t, s)
	s.Get(densestFeed(), s.admin).Want(t, http.StatusOK)
}

// expressions returns conditions that never hold, with so many regular expressions.
func expressions(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"attr":"comments","op":"regex","value":"(a|b|x)+y%d$"}`, i))
	}
	return `{"or":[` + strings.Join(all, ",") + `]}`
}

// prepareLong makes records with long texts, once.
func prepareLong(t *testing.T, s *siege) {
	s.allow(t, []string{"dcim.site", "dcim.interface", "extras.objectchange"}, []string{"view"})
	if strings.Contains(s.Get("/api/dcim/sites/?limit=1&name__isw=Long", s.admin).Body, `"count":0,`) {
		for i := range 10 {
			var items []string
			for j := range 64 {
				items = append(items, fmt.Sprintf(`{"name":"Long %d %d","slug":"long-%d-%d","comments":%q}`, i, j, i, j, strings.Repeat("x", 60<<10)))
			}
			s.Do(http.MethodPost, "/api/dcim/sites/", s.admin, "["+strings.Join(items, ",")+"]").Want(t, http.StatusCreated)
		}
	}
}

// silent asks three times, and reads nothing for two seconds.
func (s *siege) silent(path, key string) answer {
	var open []net.Conn
	defer func() {
		for _, conn := range open {
			_ = conn.Close()
		}
	}()
	for range 3 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
		if err != nil {
			return answer{}
		}
		open = append(open, conn)
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: terrier\r\nAuthorization: Token %s\r\n\r\n", path, key); err != nil {
			return answer{}
		}
	}
	<-time.After(2 * time.Second)
	return answer{Status: http.StatusOK}
}
