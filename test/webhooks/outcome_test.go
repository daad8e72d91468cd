package webhooks_test

import (
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEveryAnswerIsJudged makes one change that receivers of every kind are notified of.
func TestEveryAnswerIsJudged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, "WEBHOOK_TIMEOUT=5s", "WEBHOOK_CA_DIR="+dir)
	w.Work()

	secure, elsewhere, broken := idleReceiver(t), newReceiver(t), newReceiver(t)
	broken.answer("/", func(int, *http.Request) reply { return reply{} })
	secure.StartTLS()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.Mkdir(filepath.Join(dir, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "ca.pem"), authority)
	writeFile(t, filepath.Join(dir, "below", "ca.pem"), authority)
	writeFile(t, filepath.Join(dir, "other.pem"), otherAuthority(t))

	status := func(status int) func(int, *http.Request) reply {
		return func(int, *http.Request) reply { return reply{status: status, body: "an answer"} }
	}
	tls := func(path string, fields object) object {
		fields["payload_url"] = secure.URL + path
		return fields
	}
	cases := []struct {
		name   string
		fields object
		answer func(int, *http.Request) reply
		state  string
		reason string // a part of it
		status int    // 0 without an answer
	}{
		{name: "200", answer: status(200), state: "successful", status: 200},
		{name: "201", answer: status(201), state: "successful", status: 201},
		{name: "204", answer: func(int, *http.Request) reply { return reply{status: 204} }, state: "successful", status: 204},
		{name: "299", answer: status(299), state: "successful", status: 299},
		{name: "300", answer: status(300), state: "failed", reason: "300", status: 300},
		{name: "301", answer: func(int, *http.Request) reply {
			return reply{status: 301, header: http.Header{"Location": {elsewhere.URL + "/"}}}
		}, state: "failed", reason: "The receiver answered 301 Moved Permanently.", status: 301},
		{name: "307", answer: func(int, *http.Request) reply {
			return reply{status: 307, header: http.Header{"Location": {elsewhere.URL + "/"}}}
		}, state: "failed", reason: "307", status: 307},
		{name: "400", answer: status(400), state: "failed", reason: "The receiver answered 400 Bad Request.", status: 400},
		{name: "404", answer: status(404), state: "failed", reason: "404 Not Found", status: 404},
		{name: "410", answer: status(410), state: "failed", reason: "410 Gone", status: 410},
		{name: "429", answer: status(429), state: "failed", reason: "429 Too Many Requests", status: 429}, // no max_retries: no retry
		{name: "500", answer: status(500), state: "failed", reason: "500 Internal Server Error", status: 500},
		{name: "a status nobody knows", answer: status(599), state: "failed", reason: "The receiver answered 599.", status: 599},
		{name: "no connection", fields: object{"payload_url": closedPort(t)}, state: "failed", reason: "connection refused by 127.0.0.1:"},
		{name: "no answer", answer: func(_ int, r *http.Request) reply { <-r.Context().Done(); return reply{} }, state: "failed",
			reason: "no answer within 5 s"},
		// On a new connection: if a kept one breaks, the request is sent once more.
		{name: "a broken connection", fields: object{"payload_url": broken.URL + "/"}, state: "failed",
			reason: "connection closed by 127.0.0.1:"},
		// No name server is asked for a label that is too long.
		{name: "no such host", fields: object{"payload_url": "http://" + strings.Repeat("a", 64) + ".invalid/"}, state: "failed",
			reason: "host not found"},
		{name: "a certificate that nobody signed", fields: tls("/refused", object{}), state: "failed",
			reason: "certificate signed by unknown authority"},
		{name: "no verification", fields: tls("/blind", object{"ssl_verification": false}), state: "successful", status: 200},
		{name: "a CA file", fields: tls("/ca", object{"ca_file_path": "ca.pem"}), state: "successful", status: 200},
		{name: "a CA file by its full path", fields: tls("/full", object{"ca_file_path": filepath.Join(dir, "below", "ca.pem")}),
			state: "successful", status: 200},
		{name: "the CA file of another", fields: tls("/other", object{"ca_file_path": "other.pem"}), state: "failed",
			reason: "certificate signed by unknown authority"},
		{name: "HTTP instead of HTTPS", fields: object{"payload_url": strings.Replace(w.receiver.URL, "http:", "https:", 1) + "/s"},
			state: "failed", reason: "the receiver speaks HTTP, not HTTPS"},
		{name: "a template that fails", fields: object{"body_template": "one\ntwo\n{{ data.nothing.deeper }}"}, state: "failed",
			reason: "body_template: line 3: "},
		{name: "a header that fails", fields: object{"additional_headers": "X-A: fine\nX-B: {{ data.nothing.deeper }}"}, state: "failed",
			reason: "additional_headers: X-B: "},
		{name: "a line break for a header", fields: object{"additional_headers": "X-Comments: {{ data.comments }}"}, state: "failed",
			reason: "additional_headers: X-Comments would hold a control character, such as a line break"},
	}
	unsent := map[string]bool{"a template that fails": true, "a header that fails": true, "a line break for a header": true}
	hooks := make([]int64, len(cases))
	for i, c := range cases {
		path := fmt.Sprintf("/%d", i)
		if c.answer != nil {
			w.receiver.answer(path, c.answer)
		}
		hooks[i] = w.hook(path, c.fields)
	}
	w.site(object{"comments": "harmless\r\nX-Injected: yes\r\n\r\n{}"})
	for i, c := range cases {
		w.run(c.name, func(t *testing.T) {
			d := w.only(hooks[i]).want(t, c.state, c.reason)
			if got := d.Status; c.status == 0 && got != nil || c.status != 0 && (got == nil || *got != c.status) {
				t.Errorf("status %v, want %d", got, c.status)
			}
			want := 1
			if unsent[c.name] {
				want = 0
				w.receiver.none(fmt.Sprintf("/%d", i))
			}
			if d.Count != want || len(d.Attempts) != want {
				t.Errorf("%d attempts, %d listed, want %d", d.Count, len(d.Attempts), want)
			}
			if c.answer != nil {
				w.receiver.await(fmt.Sprintf("/%d", i), 1)
			}
		})
	}
	if found := elsewhere.all(); len(found) > 0 {
		t.Errorf("a redirect was followed: %+v", found)
	}
	broken.await("/", 1)
	for _, path := range []string{"/refused", "/other"} {
		secure.none(path)
	}
	for _, path := range []string{"/blind", "/ca", "/full"} {
		secure.await(path, 1)
	}
	for _, r := range w.receiver.all() {
		if r.header.Get("X-Injected") != "" {
			t.Errorf("a header was injected: %v", r.header)
		}
	}
}

// TestCAFilesAreRefusedAlike: a webhook's author learns nothing about the disk.
func TestCAFilesAreRefusedAlike(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, "WEBHOOK_CA_DIR="+dir)
	if err := os.Symlink("/etc/ssl/certs/ca-certificates.crt", filepath.Join(dir, "link.pem")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "empty.pem"), nil)
	refuse := func(path string) string {
		t.Helper()
		return w.server.Do(http.MethodPost, webhooksPath, w.admin,
			object{"name": "x", "content_types": []string{"dcim.site"}, "type_create": true,
				"payload_url": "https://192.0.2.1/", "ca_file_path": path}).Want(t, http.StatusBadRequest).Body
	}
	want := refuse("none.pem")
	for _, path := range []string{"/etc/shadow", "/etc/passwd", "../../etc/passwd", "/dev/zero", "link.pem", "empty.pem", dir, "."} {
		if got := refuse(path); got != want {
			t.Errorf("%s is answered %s, and a file that does not exist %s", path, got, want)
		}
	}
	w.server.Stop()
	delete(w.Settings, "WEBHOOK_CA_DIR")
	w.server = w.Serve()
	if got := refuse("ca.pem"); !strings.Contains(got, "TERRIER_WEBHOOK_CA_DIR") {
		t.Errorf("without the setting: %s", got)
	}
}

// TestNobodyWaitsForAReceiver: the request that makes a change is answered while the receiver still hangs.
func TestNobodyWaitsForAReceiver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "WEBHOOK_TIMEOUT=30s")
	w.Work()
	release := w.receiver.hold("/slow")
	slow, quick := w.hook("/slow", nil), w.hook("/quick", nil)
	s := w.site(nil)
	w.receiver.await("/slow", 1)
	for i := range 5 { // one hanging receiver delays neither its own writer nor another webhook
		s.update(object{"description": fmt.Sprint("change ", i)})
		w.receiver.await("/quick", i+2)
	}
	for _, d := range w.deliveries(slow) {
		if d.State.Value != "queued" || d.Count != 0 {
			t.Errorf("delivery %+v, and nothing was answered yet", d)
		}
	}
	w.ended(quick, 6)
	release()
	w.receiver.await("/slow", 6)
	w.ended(slow, 6)
}

// TestPausingAHangingWebhookDelaysNobody: its queue can't be closed before its requests have ended, but other queues
// open at once.
func TestPausingAHangingWebhookDelaysNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "WEBHOOK_TIMEOUT=20s")
	w.Work()
	release := w.receiver.hold("/hanging")
	hanging := w.hook("/hanging", object{"type_update": false})
	other := w.hook("/other", nil)
	s := w.site(nil)
	w.receiver.await("/hanging", 1)
	w.act(hanging, "pause")
	for i := range 3 { // the worker notices, and keeps trying
		s.update(object{"description": fmt.Sprint(i)})
		w.receiver.await("/other", i+2)
	}
	w.change(other, object{"concurrency": 3})
	late := w.hook("/late", nil)
	s.update(object{"description": "late"})
	w.receiver.awaitWithin(8*time.Second, "/late", 1)
	w.receiver.awaitWithin(8*time.Second, "/other", 5)
	release()
	w.ended(hanging, 1)
	w.ended(late, 1)
	w.ended(other, 5)
}

// closedPort is an address on which nobody listens. Nobody can start to during the test: its port is the near end of
// a connection.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // nothing was sent
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return "http://" + conn.LocalAddr().String() + "/"
}
