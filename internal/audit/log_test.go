package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
)

var sample = Event{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Name: LoginFailed, UserName: "alice",
	Address: netip.MustParseAddr("::ffff:192.0.2.1"), RequestID: "r1", Target: "users.user/7", TargetName: "alice", Way: "API",
	Detail: "wrong", Count: 1}

// TestPrinted: a line has what the record has, in the form of the program's log.
func TestPrinted(t *testing.T) {
	text := string(printed(sample, "text"))
	want := "time=2026-03-01T12:00:00.000Z level=AUDIT msg=audit event=login_failed user_name=alice address=192.0.2.1 way=API " +
		"request_id=r1 target=users.user/7 target_name=alice detail=wrong times=1"
	if text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	var line map[string]any
	if err := json.Unmarshal(printed(sample, "json"), &line); err != nil || line["level"] != "AUDIT" || line["msg"] != "audit" ||
		line["event"] != LoginFailed || line["times"] != 1.0 {
		t.Errorf("%v, %v", line, err)
	}
}

// TestPrintedIsHarmless: nothing in a line controls a terminal or begins another line, and JSON keeps the characters.
func TestPrintedIsHarmless(t *testing.T) {
	const hostile = "a\nlevel=AUDIT\r\x1b[2J\u009b31m\u202eb\u2028\x7f\U000e0001\"\\ é"
	for _, format := range []string{"text", "json"} {
		line := printed(Event{UserName: hostile, Target: hostile}, format)
		if strings.ContainsFunc(string(line), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%s: %q", format, line)
		}
		if format == "text" {
			continue
		}
		var read struct {
			User string `json:"user_name"`
		}
		if err := json.Unmarshal(line, &read); err != nil || read.User != hostile {
			t.Errorf("%q was read as %q, %v", line, read.User, err)
		}
	}
}

// gate is a sink that fails while it is shut.
type gate struct {
	mu    sync.Mutex
	shut  bool
	lines []string
}

func (g *gate) send(_ Event, line []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return errors.New("shut")
	}
	g.lines = append(g.lines, string(line))
	return nil
}

func (g *gate) close() error { return nil }

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
}

// TestLogNeverWaits: writers do not wait for a target that fails. What fits is sent when it works again, and the rest is counted.
func TestLogNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warnings bytes.Buffer
		g := &gate{shut: true}
		l := NewLog(Target{func() sink { return g }}, "text", slog.New(slog.NewTextHandler(&warnings, nil)))
		l.Write(sample)
		synctest.Wait() // one is being tried, and the buffer is empty
		began := time.Now()
		for range buffered + 7 {
			l.Write(sample)
		}
		if waited := time.Since(began); waited != 0 || l.Dropped() != 7 {
			t.Errorf("waited %v, left out %d", waited, l.Dropped())
		}
		g.set(false)
		<-time.After(retryPause)
		synctest.Wait()
		if len(g.lines) != buffered+1 {
			t.Errorf("%d lines were sent", len(g.lines))
		}
		l.Close()
		for _, want := range []string{"can't be written to", "events=7"} {
			if !strings.Contains(warnings.String(), want) {
				t.Errorf("no warning says %q: %s", want, warnings.String())
			}
		}
	})
}

// hanging is a sink that takes a line and does not return.
type hanging struct{ until chan struct{} }

func (h hanging) send(Event, []byte) error {
	<-h.until
	return errors.New("too late")
}

func (h hanging) close() error { return nil }

// TestLogCloses: closing sends what is left, and gives up after a while.
func TestLogCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works, fails := &gate{}, &gate{shut: true}
		for _, g := range []*gate{works, fails} {
			l := NewLog(Target{func() sink { return g }}, "text", slog.New(slog.DiscardHandler))
			l.Write(sample, sample, sample)
			began := time.Now()
			l.Close()
			if took := time.Since(began); took > closePatience+retryPause {
				t.Errorf("closing took %v", took)
			}
			if g == fails && l.Dropped() != 3 || g == works && l.Dropped() != 0 {
				t.Errorf("left out %d", l.Dropped())
			}
		}
		if len(works.lines) != 3 {
			t.Errorf("%d lines were sent", len(works.lines))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		hangs := hanging{make(chan struct{})}
		l := NewLog(Target{func() sink { return hangs }}, "text", slog.New(slog.DiscardHandler))
		l.Write(sample, sample, sample)
		began := time.Now()
		l.Close()
		if took := time.Since(began); took > closePatience+retryPause {
			t.Errorf("closing a log that hangs took %v", took)
		}
		close(hangs.until)
		<-l.done
	})
	var none *Log
	none.Write(sample)
	none.Close()
}
