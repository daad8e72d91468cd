package webhooks_test

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestWorkersStayOutside points webhooks at the worker's own machine and network. Not one connection is made, whatever the setting.
func TestWorkersStayOutside(t *testing.T) {
	t.Parallel()
	for _, allow := range []string{"none", "private", ""} {
		t.Run(allow, func(t *testing.T) {
			t.Parallel()
			stayOutside(t, allow)
		})
	}
}

func stayOutside(t *testing.T, allow string) {
	// Every address of the machine, by IPv4 and IPv6.
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	var connections atomic.Int64
	inside := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}}
	go func() { _ = inside.Serve(listener) }() // it ends when it is closed
	t.Cleanup(func() { _ = inside.Close() })   // whatever is under way
	port := listener.Addr().(*net.TCPAddr).Port

	const setting, metadata, never = "TERRIER_EGRESS_ALLOW", "metadata", "never allowed"
	type target struct {
		host, reason string
		port         int // the listener's where 0
		reachable    bool
		private      bool // allowed unless the setting is none
	}
	cases := []target{
		{host: "127.0.0.1", reason: setting, reachable: true},
		{host: "localhost", reason: setting, reachable: true},
		{host: "127.9.9.9", reason: setting, reachable: true},
		{host: "[::1]", reason: setting, reachable: true},
		{host: "[::ffff:127.0.0.1]", reason: setting, reachable: true},
		{host: "[::ffff:7f00:1]", reason: setting, reachable: true},
		{host: "0.0.0.0", reason: never},
		{host: "[::]", reason: never},
		{host: "10.1.2.3", reason: setting, private: true},
		{host: "192.168.1.1", reason: setting, private: true},
		{host: "172.16.0.1", reason: setting, private: true},
		{host: "100.64.0.1", reason: setting, private: true},
		{host: "[fd00::1]", reason: setting, private: true},
		{host: "[64:ff9b::7f00:1]", reason: setting},
		{host: "169.254.169.254", port: 80, reason: metadata},
		{host: "[::ffff:169.254.169.254]", port: 80, reason: metadata},
		{host: "[fd00:ec2::254]", port: 80, reason: metadata},
		{host: "[64:ff9b::a9fe:a9fe]", port: 80, reason: metadata},
		{host: "[2002:7f00:1::]", reason: never},
		// Spellings that are names to Terrier, and that no name server knows.
		{host: "2130706433"},
		{host: "0x7f000001"},
		{host: "0177.0.0.1"},
		{host: "127.1"},
	}
	cases = slices.DeleteFunc(cases, func(c target) bool { return c.private && allow != "none" }) // a test must not connect to them
	w := newWorld(t, "EGRESS_ALLOW="+allow, "WEBHOOK_TIMEOUT=3s")
	worker := w.Work()
	hooks := make([]int64, len(cases))
	for i, c := range cases {
		if c.port == 0 {
			c.port = port
		}
		// No retries, even if asked for: what is refused now is refused later.
		hooks[i] = w.hook("", object{"payload_url": fmt.Sprintf("http://%s:%d/", c.host, c.port), "ssl_verification": false})
	}
	w.site(nil)
	for i, c := range cases {
		w.run(c.host, func(t *testing.T) {
			d := w.only(hooks[i]).want(t, "failed", c.reason)
			if d.Status != nil || len(d.Attempts) != 1 || d.Attempts[0].Response != nil {
				t.Errorf("delivery %+v", d)
			}
		})
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
	// The listener works: when the administrator allows it, the same deliveries arrive.
	worker.Stop()
	w.Set("EGRESS_ALLOW=127.0.0.0/8,::1/128")
	w.Work()
	for i, c := range cases {
		if !c.reachable {
			continue
		}
		w.do(http.MethodPost, deliveriesPath+"retry/", object{"filter": object{"webhook_id": hooks[i]}})
		w.run(c.host+" allowed", func(t *testing.T) { w.only(hooks[i]).want(t, "successful", "") })
	}
	if connections.Load() == 0 {
		t.Error("no connection was made: the test proves nothing")
	}
	if log := worker.Log(); !strings.Contains(log, setting) {
		t.Errorf("the log does not say what to do:\n%s", log)
	}
}
