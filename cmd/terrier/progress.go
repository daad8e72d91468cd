package main

import (
	"fmt"
	"strings"
	"time"
)

const (
	redrawEvery = 100 * time.Millisecond // on a terminal
	lineEvery   = 5 * time.Second        // elsewhere, where every line stays
	barWidth    = 30
)

// progress shows how far long work is: a redrawn bar on a terminal, and a line now and then elsewhere.
type progress struct {
	screen
	what  string // such as "changes"
	total int64
	now   func() time.Time

	began, shown time.Time
	drawn        bool
}

func newProgress(out screen, what string, total int64, now func() time.Time) *progress {
	return &progress{screen: out, what: what, total: total, now: now, began: now(), shown: now()}
}

func (p *progress) show(done int64) error {
	now, every := p.now(), lineEvery
	if p.terminal {
		every = redrawEvery
	}
	if now.Sub(p.shown) < every {
		return nil
	}
	p.shown = now
	return p.draw(done)
}

func (p *progress) draw(done int64) error {
	share := 1.0
	if p.total > 0 {
		share = min(1, float64(done)/float64(p.total))
	}
	text := fmt.Sprintf("%3.0f %%  %d of %d %s%s", 100*share, done, p.total, p.what, p.left(share))
	if !p.terminal {
		_, err := fmt.Fprintln(p, strings.TrimLeft(text, " "))
		return err
	}
	full := int(share * barWidth)
	p.drawn = true
	_, err := fmt.Fprintf(p, "\r%s%s %s\x1b[K", p.paint(green, strings.Repeat("█", full)),
		p.paint(faint, strings.Repeat("░", barWidth-full)), text)
	return err
}

// left estimates the remaining time, once there is something to estimate from.
func (p *progress) left(share float64) string {
	took := p.now().Sub(p.began)
	if share < 0.02 || share >= 1 || took < time.Second {
		return ""
	}
	return fmt.Sprintf(", about %s left", (time.Duration(float64(took) / share * (1 - share))).Round(time.Second))
}

// end wipes the bar: the next output says how it ended.
func (p *progress) end() error {
	if !p.drawn {
		return nil
	}
	_, err := fmt.Fprint(p, "\r\x1b[K")
	return err
}
