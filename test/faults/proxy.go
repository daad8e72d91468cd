package main

import (
	"net"
	"sync"
	"time"
)

// proxy stands between a process and PostgreSQL. It can cut every connection, refuse new
// ones, and be slow.
type proxy struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	open    map[net.Conn]bool
	refuses bool
	latency time.Duration
}

func newProxy(target string) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, target: target, open: map[net.Conn]bool{}}
	go p.serve()
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) serve() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		go p.carry(in)
	}
}

func (p *proxy) carry(in net.Conn) {
	if !p.admit(in) {
		return
	}
	out, err := net.Dial("tcp", p.target)
	if err != nil {
		p.drop(in)
		return
	}
	if !p.admit(out) {
		p.drop(in)
		return
	}
	both := sync.WaitGroup{}
	both.Go(func() { p.pump(in, out) })
	both.Go(func() { p.pump(out, in) })
	both.Wait()
}

// admit notes a connection, or breaks it where none is let through.
func (p *proxy) admit(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses {
		breakOff(c)
		return false
	}
	p.open[c] = true
	return true
}

// breakOff ends a connection as a crash does: with a reset, and what is on its way is lost.
func breakOff(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it is closed all the same
	}
	_ = c.Close() // nobody is left to tell
}

func (p *proxy) drop(c net.Conn) {
	p.mu.Lock()
	delete(p.open, c)
	p.mu.Unlock()
	breakOff(c)
}

// pump copies one way, and ends both when that way ends.
func (p *proxy) pump(from, to net.Conn) {
	defer p.drop(from)
	defer p.drop(to)
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			p.mu.Lock()
			wait := p.latency
			p.mu.Unlock()
			if wait > 0 {
				time.Sleep(wait)
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// cut breaks every connection there is. New ones are let through.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		breakOff(c)
	}
	clear(p.open)
}

// refuse breaks every connection and lets none through, or lets them through again.
func (p *proxy) refuse(on bool) {
	p.mu.Lock()
	p.refuses = on
	p.mu.Unlock()
	if on {
		p.cut()
	}
}

// slow delays everything that is sent either way.
func (p *proxy) slow(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latency = by
}

func (p *proxy) close() {
	_ = p.listener.Close() // a listener that is closed twice is closed
	p.refuse(true)
}
