package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"terrier/internal/background"
)

const (
	// maxShownBody is how much of a body is kept; the rest is read and discarded, so that the sender gets its answer.
	maxShownBody = 1 << 20

	receiverReadTimeout = time.Minute
	receiverStopTimeout = 3 * time.Second
)

// webhookReceiverCommand is a test aid for people who set up webhooks. It needs neither settings nor a database.
type webhookReceiverCommand struct {
	Port   uint16        `default:"9000" help:"Port to listen on; 0 takes any free one."`
	Secret string        `env:"TERRIER_RECEIVER_SECRET" placeholder:"TEXT" help:"The webhook's secret: check the X-Hook-Signature of each request. Other users of the machine can read flags: the environment is safer."`
	Status int           `default:"200" help:"Status code of the response."`
	Fail   string        `placeholder:"PATH" help:"Answer 502 to requests for this path, such as /cmdb of the demo."`
	Delay  time.Duration `default:"0s" help:"How long to wait before answering, such as 15s."`
	JSON   bool          `help:"Print one JSON object per request, on one line."`
}

// Run writes the requests to standard output and everything else to standard error, so that a pipe gets only requests.
func (c webhookReceiverCommand) Run(ctx context.Context, s *session) error {
	if c.Status < 200 || c.Status > 599 {
		return fmt.Errorf("--status is %d and needs a final status, from 200 to 599", c.Status)
	}
	if c.Fail != "" && !strings.HasPrefix(c.Fail, "/") {
		return fmt.Errorf("--fail is %q and needs a path, such as /cmdb", c.Fail)
	}
	if c.Delay < 0 {
		return fmt.Errorf("--delay is %s and must not be negative", c.Delay)
	}
	listeners, err := listenLoopback(ctx, c.Port)
	if err != nil {
		return err
	}
	receiver := &webhookReceiver{
		command: c, out: newScreen(s.out), notices: s.err,
		now: time.Now, stop: ctx.Done(), failed: make(chan error, 1),
	}
	receiver.notice(listeningLine(listeners))
	err = receiver.serve(ctx, listeners, slog.NewLogLogger(s.log.Handler(), slog.LevelWarn))
	receiver.notice(fmt.Sprintf("Stopped after %s.", requests(receiver.printed())))
	return err
}

// listenLoopback listens on both loopback addresses, because localhost may be either. Without an IPv6 one it listens
// on IPv4 only.
func listenLoopback(ctx context.Context, port uint16) ([]net.Listener, error) {
	const attempts = 20 // a port that is free on one address may be taken on the other
	var config net.ListenConfig
	for attempt := 1; ; attempt++ {
		four, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
		if err != nil {
			return nil, fmt.Errorf("%w (--port takes another)", err)
		}
		six, err := config.Listen(ctx, "tcp6", net.JoinHostPort("::1", strconv.Itoa(portOf(four))))
		switch {
		case err == nil:
			return []net.Listener{four, six}, nil
		case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EAFNOSUPPORT):
			return []net.Listener{four}, nil
		}
		_ = four.Close()
		if port != 0 || attempt == attempts || !errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("%w (--port takes another)", err)
		}
	}
}

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

func listeningLine(listeners []net.Listener) string {
	port := portOf(listeners[0])
	only := ""
	if len(listeners) == 1 {
		only = ", on IPv4 only because this machine has no IPv6 loopback address"
	}
	return fmt.Sprintf("Listening on http://localhost:%d/%s – point a webhook's payload_url there", port, only)
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}

// webhookReceiver shows each request and answers it.
type webhookReceiver struct {
	command webhookReceiverCommand
	out     screen
	notices io.Writer
	now     func() time.Time
	stop    <-chan struct{} // ends the delays under way
	failed  chan error      // the first failure to write to out

	printing sync.Mutex // one request is printed at a time, and numbered in that order
	count    int
}

// serve returns when the context ends, or when it cannot continue.
func (r *webhookReceiver) serve(ctx context.Context, listeners []net.Listener, errorLog *log.Logger) error {
	server := &http.Server{
		Handler:           r,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       receiverReadTimeout,
		WriteTimeout:      receiverReadTimeout + r.command.Delay + 10*time.Second, // it runs from the end of the headers
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          errorLog,
	}
	ended := make(chan error, len(listeners))
	for _, listener := range listeners {
		background.Go(slog.Default(), "receiver", func() { ended <- server.Serve(listener) })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-r.failed:
	case err = <-ended:
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiverStopTimeout)
	defer cancel()
	if server.Shutdown(stopping) != nil {
		_ = server.Close()
	}
	return err
}

func (r *webhookReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	began := r.now()
	got := received{Request: request, at: began}
	got.read()
	got.judge(r.command.Secret)
	number := r.print(&got)
	if r.command.Delay > 0 && !r.wait(request.Context()) {
		r.notice(fmt.Sprintf("#%d: the sender gave up after %s", number, r.now().Sub(began).Round(time.Millisecond)))
		return
	}
	w.WriteHeader(r.command.status(request.URL.Path))
}

// status returns the status of the answer to a request for a path.
func (c webhookReceiverCommand) status(path string) int {
	if c.Fail != "" && path == c.Fail {
		return http.StatusBadGateway
	}
	return c.Status
}

// wait returns false if the sender went away. When the program is stopped the answer is sent early.
func (r *webhookReceiver) wait(ctx context.Context) bool {
	timer := time.NewTimer(r.command.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.stop:
	case <-ctx.Done():
		return false
	}
	return true
}

func (r *webhookReceiver) notice(line string) {
	r.printing.Lock()
	defer r.printing.Unlock()
	_, _ = fmt.Fprintln(r.notices, line)
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return strconv.Itoa(n) + " requests"
}
