package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// listening is a webhook_receiver that runs as a user would start it.
type listening struct {
	line, port string
	stop       func() (out, notices string)
}

func listen(t *testing.T, args ...string) listening {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, append([]string{"webhook_receiver", "--port", "0"}, args...), streams{strings.NewReader(""), &out, writer})
		_ = writer.Close()
		ended <- err
	}()
	lines := bufio.NewReader(reader)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("no first line: %v", errors.Join(err, <-ended))
	}
	port := regexp.MustCompile(`http://localhost:(\d+)/`).FindStringSubmatch(line)
	if port == nil {
		t.Fatalf("the first line names no address: %s", line)
	}
	rest := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(lines)
		rest <- text
	}()
	stop := sync.OnceValues(func() (string, string) {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		return out.String(), string(<-rest)
	})
	t.Cleanup(func() { stop() })
	return listening{line, port[1], stop}
}

type sent struct {
	method, host, path, body string
	headers                  map[string]string
}

// send fails the test unless the answer has the status and no body.
func (l listening) send(t *testing.T, what sent, status int) {
	t.Helper()
	url := "http://" + net.JoinHostPort(cmp.Or(what.host, "127.0.0.1"), l.port) + cmp.Or(what.path, "/")
	request, err := http.NewRequestWithContext(t.Context(), cmp.Or(what.method, http.MethodPost), url, strings.NewReader(what.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range what.headers {
		request.Header.Set(name, value)
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status || len(body) > 0 {
		t.Errorf("answered %d %q, %v", response.StatusCode, body, err)
	}
}

// sign implements the contract a second time, without internal/webhook.
func sign(secret, body string) string {
	mac := hmac.New(sha512.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func wantContains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestWebhookReceiverShowsRequests(t *testing.T) {
	t.Parallel()
	l := listen(t)
	body := "{\"a\":  1}\r\n\x1b[31m\xff"
	l.send(t, sent{path: "/hook?x=%201", body: body, headers: map[string]string{"X-Hook-Delivery": "d1", "User-Agent": "test"}}, http.StatusOK)
	l.send(t, sent{method: http.MethodDelete, headers: map[string]string{"User-Agent": "test"}}, http.StatusOK)
	out, notices := l.stop()

	out = regexp.MustCompile(`(?m)^(#\d+)  [-0-9]{10} [:.0-9]{12}  from 127.0.0.1:\d+, `).ReplaceAllString(out, "$1 ")
	want := "#1 body of " + fmt.Sprint(len(body)) + " bytes\n" +
		"POST /hook?x=%201 HTTP/1.1\nAccept-Encoding: gzip\nConnection: close\nContent-Length: " + fmt.Sprint(len(body)) +
		"\nHost: 127.0.0.1:" + l.port + "\nUser-Agent: test\nX-Hook-Delivery: d1\n\n" + body + "\n\n" +
		"#2 no body\nDELETE / HTTP/1.1\nAccept-Encoding: gzip\nConnection: close\nHost: 127.0.0.1:" + l.port + "\nUser-Agent: test\n\n"
	if out != want {
		t.Errorf("printed\n%q\nwant\n%q", out, want)
	}
	if notices != "Stopped after 2 requests.\n" {
		t.Errorf("at the end: %q", notices)
	}
}

func TestWebhookReceiverListensOnBothLoopbacks(t *testing.T) {
	t.Parallel()
	l := listen(t)
	l.send(t, sent{host: "127.0.0.1"}, http.StatusOK)
	probe, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		wantContains(t, l.line, "on IPv4 only")
		return
	}
	_ = probe.Close()
	l.send(t, sent{host: "::1"}, http.StatusOK)
	want := fmt.Sprintf("Listening on http://localhost:%s/ – point a webhook's payload_url there\n", l.port)
	if l.line != want {
		t.Errorf("said %q\nwant %q", l.line, want)
	}
}

func TestWebhookReceiverRefusesFlags(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for args, want := range map[string]string{
		"--status 99":                         "from 200 to 599",
		"--status 600":                        "from 200 to 599",
		"--fail cmdb":                         "needs a path",
		"--delay=-1s":                         "must not be negative",
		"--port 65536":                        "--port",
		"--port " + fmt.Sprint(portOf(taken)): "--port takes another",
	} {
		err := run(t.Context(), append([]string{"webhook_receiver"}, strings.Fields(args)...),
			streams{strings.NewReader(""), io.Discard, io.Discard})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %q", args, err, want)
		}
	}
}

// Only the flag makes a path fail.
func TestWebhookReceiverFailsOnePath(t *testing.T) {
	t.Parallel()
	plain, failing := listen(t), listen(t, "--fail", "/cmdb")
	plain.send(t, sent{path: "/cmdb"}, http.StatusOK)
	failing.send(t, sent{path: "/cmdb?x=1"}, http.StatusBadGateway)
	failing.send(t, sent{path: "/cmdb/x"}, http.StatusOK)
}

func TestWebhookReceiverNeedsNoSettings(t *testing.T) {
	for _, name := range []string{"TERRIER_DATABASE_URL", "TERRIER_SECRET_KEY"} {
		t.Setenv(name, "")
	}
	t.Setenv("TERRIER_RECEIVER_SECRET", "from the environment")
	l := listen(t)
	l.send(t, sent{body: "x", headers: map[string]string{signatureHeader: sign("from the environment", "x")}}, http.StatusOK)
	out, notices := l.stop()
	wantContains(t, out, "✓ X-Hook-Signature is valid")
	wantContains(t, notices, "Stopped after 1 request.")
}

func TestWebhookReceiverChecksSignatures(t *testing.T) {
	t.Parallel()
	const secret, body = "s3cret", "{\"name\": \"Zürich\"}\n"
	for name, test := range map[string]struct {
		headers         map[string]string
		signature, says string
	}{
		"right":   {map[string]string{signatureHeader: sign(secret, body)}, `"valid"`, "✓ X-Hook-Signature is valid"},
		"wrong":   {map[string]string{signatureHeader: sign("other", body)}, `"invalid"`, "✗ X-Hook-Signature has a wrong digest: "},
		"missing": {nil, `"missing"`, "✗ X-Hook-Signature is missing"},
		"upper case": {
			map[string]string{signatureHeader: strings.ToUpper(sign(secret, body))}, `"invalid"`, "128 lower-case hexadecimal digits",
		},
		"rotated": {
			map[string]string{signatureHeader: sign("new", body), signatureHeader + "-Previous": sign(secret, body)},
			`"invalid"`, "X-Hook-Signature-Previous is valid: the webhook has a newer secret",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, lines := listen(t, "--secret", secret), listen(t, "--secret", secret, "--json")
			for _, l := range []listening{text, lines} {
				l.send(t, sent{body: body, headers: test.headers}, http.StatusOK)
			}
			out, _ := text.stop()
			wantContains(t, out, "\n\n"+body, test.says)
			out, _ = lines.stop()
			wantContains(t, out, `"signature":`+test.signature+"}\n")
		})
	}
}

func TestWebhookReceiverPrintsJSON(t *testing.T) {
	t.Parallel()
	l := listen(t, "--json")
	bodies := []string{"{\"a\": \"<Zürich>\"}\n", "\xff\x00", "\u009b31m\u202e\U000e0001", ""}
	for _, body := range bodies {
		l.send(t, sent{path: "/a?b=c", body: body, headers: map[string]string{"X-Odd": "a\tb"}}, http.StatusOK)
	}
	out, _ := l.stop()
	lines := strings.SplitAfter(out, "\n")
	if len(lines) != len(bodies)+1 {
		t.Fatalf("%d lines:\n%s", len(lines)-1, out)
	}
	for i, want := range bodies {
		var got map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		encoding := "utf-8"
		if i == 1 {
			want, encoding = "/wA=", "base64"
		}
		headers, _ := got["headers"].(map[string]any)
		for what, values := range map[string][2]any{
			"number":        {got["number"], float64(i + 1)},
			"method":        {got["method"], "POST"},
			"path":          {got["path"], "/a?b=c"},
			"proto":         {got["proto"], "HTTP/1.1"},
			"body":          {got["body"], want},
			"body_encoding": {got["body_encoding"], encoding},
			"body_complete": {got["body_complete"], true},
			"signature":     {got["signature"], nil},
			"X-Odd":         {headers["X-Odd"], "a\tb"},
			"Host":          {headers["Host"], "127.0.0.1:" + l.port},
		} {
			if values[0] != values[1] {
				t.Errorf("%s is %#v, want %#v", what, values[0], values[1])
			}
		}
		if _, err := time.Parse(time.RFC3339Nano, fmt.Sprint(got["time"])); err != nil {
			t.Error(err)
		}
	}
	wantContains(t, lines[2], `\u009b31m\u202e\udb40\udc01`)
}

func TestWebhookReceiverAnswersWithStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNoContent, http.StatusMovedPermanently, http.StatusTooManyRequests,
		http.StatusInternalServerError} {
		listen(t, "--status", fmt.Sprint(status)).send(t, sent{body: "x"}, status)
	}
}

// receiver is one without a listener, for what needs no network.
func receiver(out io.Writer) *webhookReceiver {
	return &webhookReceiver{
		command: webhookReceiverCommand{Status: http.StatusOK}, out: screen{Writer: out}, notices: io.Discard, now: time.Now,
		failed: make(chan error, 1),
	}
}

func TestWebhookReceiverDelaysItsAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var notices bytes.Buffer
		stop := make(chan struct{})
		r := receiver(io.Discard)
		r.command.Delay, r.notices, r.stop = 15*time.Second, &notices, stop
		serve := func(ctx context.Context) (took time.Duration) {
			began := time.Now()
			r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil))
			return time.Since(began)
		}
		if took := serve(t.Context()); took != 15*time.Second {
			t.Errorf("answered after %s", took)
		}
		impatient, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if took := serve(impatient); took != 10*time.Second || notices.String() != "#2: the sender gave up after 10s\n" {
			t.Errorf("went on for %s, and said %q", took, notices.String())
		}
		close(stop)
		if took := serve(t.Context()); took != 0 {
			t.Errorf("a stop waits for %s", took)
		}
	})
}

func TestWebhookReceiverEscapesForATerminal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, want string }{
		"control characters": {"a\x1b[2J\r\n\tb\x07\x7f", "a\\x1b[2J\\x0d\n\tb\\x07\\x7f\n"},
		"not UTF-8":          {"\xc2\x9b is \x9b", "\\u{9b} is \\x9b\n"},
		"bidirectional":      {"\u202eevil Zürich 東京", "\\u{202e}evil Zürich 東京\n"},
		"JSON is indented":   {"{\"a\":[1.0,\"\u009b\"]}", "{\n  \"a\": [\n    1.0,\n    \"\\u{9b}\"\n  ]\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			r := receiver(&out)
			r.out.terminal = true
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(test.body))
			request.RequestURI = "/\x9b"
			request.Header.Set("X-Odd", "a\x1b]0;title\x07\tb")
			r.ServeHTTP(httptest.NewRecorder(), request)
			wantContains(t, out.String(), "\n\n"+test.want+"\n", "POST /\\x9b HTTP/1.1\n", "X-Odd: a\\x1b]0;title\\x07\\x09b\n")
			if strings.ContainsAny(out.String(), "\x1b\x07\x7f\r\u009b") {
				t.Errorf("the terminal gets %q", out.String())
			}
			if indented := strings.Contains(out.String(), "bytes, indented here"); indented != json.Valid([]byte(test.body)) {
				t.Errorf("the first line is %.99q", out.String())
			}
		})
	}
}

func TestWebhookReceiverColours(t *testing.T) {
	var out bytes.Buffer
	r := receiver(&out)
	r.out.terminal, r.out.colours, r.command.Secret = true, true, "s"
	r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil))
	wantContains(t, out.String(), "\x1b[1mPOST / HTTP/1.1\x1b[0m\n", "\x1b[31m✗ X-Hook-Signature is missing")
	t.Setenv("TERM", "xterm")
	for value, want := range map[string]bool{"": true, "1": false} {
		t.Setenv("NO_COLOR", value)
		if wantsColours() != want {
			t.Errorf("NO_COLOR=%q", value)
		}
	}
}

func TestWebhookReceiverCutsBodies(t *testing.T) {
	t.Parallel()
	l := listen(t, "--secret", "s")
	for _, size := range []int{maxShownBody, maxShownBody + 1, 5 << 20} {
		body := strings.Repeat("x", size)
		l.send(t, sent{body: body, headers: map[string]string{signatureHeader: sign("s", body)}}, http.StatusOK)
	}
	out, _ := l.stop()
	wantContains(t, out, "body of 1048576 bytes\n", "✓ X-Hook-Signature is valid\n", "was not checked: that takes the whole body\n",
		"body of 1048577 bytes, of which the first 1048576 are shown\n", "body of 5242880 bytes, of which the first 1048576 are shown\n")
	if n := strings.Count(out, "x"); n > 3*maxShownBody+100 {
		t.Errorf("%d bytes of body are shown", n)
	}
}

type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestWebhookReceiverShowsABodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := receiver(&out)
	r.command.Secret = "s"
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.MultiReader(strings.NewReader("half"), brokenBody{}))
	request.Header.Set(signatureHeader, sign("s", "half"))
	r.ServeHTTP(httptest.NewRecorder(), request)
	wantContains(t, out.String(), "body broke off after 4 bytes (unexpected EOF)", "\nhalf\n", "✗ X-Hook-Signature was not checked")
}

// atOnce fails a test that writes in pieces or concurrently.
type atOnce struct {
	t      *testing.T
	busy   sync.Mutex
	writes []string
}

func (w *atOnce) Write(text []byte) (int, error) {
	if !w.busy.TryLock() {
		w.t.Error("two requests are printed at the same time")
		return len(text), nil
	}
	defer w.busy.Unlock()
	w.writes = append(w.writes, string(text))
	return len(text), nil
}

func TestWebhookReceiverPrintsOneRequestAtATime(t *testing.T) {
	t.Parallel()
	out := &atOnce{t: t}
	r := receiver(out)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(fmt.Sprintf("<%d>", i)))
			r.ServeHTTP(httptest.NewRecorder(), request)
		})
	}
	group.Wait()
	if len(out.writes) != 50 || r.printed() != 50 {
		t.Fatalf("%d writes of %d requests", len(out.writes), r.printed())
	}
	for i, text := range out.writes {
		if !strings.HasPrefix(text, fmt.Sprintf("#%d  ", i+1)) || strings.Count(text, "<") != 1 {
			t.Errorf("write %d is %q", i, text)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWebhookReceiverEndsWhenItCannotPrint(t *testing.T) {
	t.Parallel()
	r := receiver(full{})
	listeners, err := listenLoopback(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.serve(t.Context(), listeners, nil) }()
	listening{port: fmt.Sprint(portOf(listeners[0]))}.send(t, sent{}, http.StatusOK)
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "print request 1: no space left") {
		t.Errorf("error %v", err)
	}
}
