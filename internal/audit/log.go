package audit

import (
	"log/slog"
	"sync/atomic"
	"time"

	"terrier/internal/background"
)

const (
	// buffered is how many events wait for the place that they are sent to. Further ones are only in the database.
	buffered = 2000
	// retryPause is how long a line waits that could not be sent.
	retryPause = time.Second
	// closePatience is how long Close goes on trying to send what is left.
	closePatience = 3 * time.Second
)

// Log sends events somewhere besides the database. Whoever writes to it never waits for it. A nil Log sends nothing.
type Log struct {
	events  chan Event
	dropped atomic.Int64
	sink    sink
	format  string
	warn    *slog.Logger

	closing, giveUp, done chan struct{}
}

// sink is where lines are sent. After an error it opens its file or connection again.
type sink interface {
	send(e Event, line []byte) error
	close() error
}

// NewLog starts a Log to a target, in the form of the program's log: text or json. Trouble with the target is reported to warn. It
// returns nil if there is no target.
func NewLog(t Target, format string, warn *slog.Logger) *Log {
	if t.open == nil {
		return nil
	}
	l := &Log{events: make(chan Event, buffered), sink: t.open(), format: format, warn: warn, closing: make(chan struct{}),
		giveUp: make(chan struct{}), done: make(chan struct{})}
	background.Go(warn, "audit log", l.run)
	return l
}

// Write sends events. It never waits: what does not fit into the buffer is counted and left out.
func (l *Log) Write(events ...Event) {
	if l == nil {
		return
	}
	for _, e := range events {
		select {
		case l.events <- e:
		default:
			l.dropped.Add(1)
		}
	}
}

// Dropped returns how many events were left out.
func (l *Log) Dropped() int64 {
	if l == nil {
		return 0
	}
	return l.dropped.Load()
}

// Close sends what was written before, and gives up after a few seconds. It does not wait for a line that hangs.
func (l *Log) Close() {
	if l == nil {
		return
	}
	close(l.closing)
	if l.ended(closePatience) {
		return
	}
	close(l.giveUp)
	if !l.ended(retryPause) {
		l.warn.Warn("the audit log hangs: the last events are in the database alone")
	}
}

// ended waits for the end of run, and reports whether it has come.
func (l *Log) ended(within time.Duration) bool {
	select {
	case <-l.done:
		return true
	case <-time.After(within):
		return false
	}
}

func (l *Log) run() {
	defer close(l.done)
	for open := true; open; {
		select {
		case e := <-l.events:
			l.deliver(e)
		case <-l.closing:
			for len(l.events) > 0 && !l.givenUp() {
				l.deliver(<-l.events)
			}
			open = false
		}
	}
	l.dropped.Add(int64(len(l.events)))
	if err := l.sink.close(); err != nil {
		l.warn.Warn("close the audit log", "error", err)
	}
	if n := l.dropped.Load(); n > 0 {
		l.warn.Warn("some audit events are in the database alone", "events", n)
	}
}

func (l *Log) givenUp() bool {
	select {
	case <-l.giveUp:
		return true
	default:
		return false
	}
}

// deliver sends an event, and tries again until it is sent or nobody waits any longer.
func (l *Log) deliver(e Event) {
	line, before := printed(e, l.format), l.dropped.Load()
	for try := 1; ; try++ {
		err := l.sink.send(e, line)
		if err == nil {
			break
		}
		if try == 1 {
			l.warn.Warn("the audit log can't be written to; trying again", "error", err)
		}
		select {
		case <-l.giveUp:
			l.dropped.Add(1)
			return
		case <-time.After(retryPause):
		}
	}
	if left := l.dropped.Load() - before; left > 0 {
		l.warn.Warn("the audit log was not written to in time: these events are in the database alone", "events", left)
	}
}
