package main

import (
	"net"
	"net/url"
	"sync"
	"time"
)

// proxy is between a process and PostgreSQL. It can cut every connection, refuse new ones, and be slow.
type proxy struct {
	listener net.Listener

	mu      sync.Mutex
	target  string
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
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	out, err := net.Dial("tcp", target)
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

// admit registers a connection, or breaks it if the proxy refuses connections.
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

// breakOff ends a connection as a crash does: with a reset, so that data on its way is lost.
func breakOff(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // on an error it is closed anyway
	}
	_ = c.Close() // there is nobody to report an error to
}

func (p *proxy) drop(c net.Conn) {
	p.mu.Lock()
	delete(p.open, c)
	p.mu.Unlock()
	breakOff(c)
}

// pump copies in one direction, and closes both connections when that ends.
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

// cut breaks every current connection. New ones are accepted.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		breakOff(c)
	}
	clear(p.open)
}

// refuse breaks every connection and accepts none, or accepts them again.
func (p *proxy) refuse(on bool) {
	p.mu.Lock()
	p.refuses = on
	p.mu.Unlock()
	if on {
		p.cut()
	}
}

// lead sends new connections to another database, and breaks those to the former one.
func (p *proxy) lead(database string) error {
	u, err := url.Parse(database)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.target = u.Host
	p.mu.Unlock()
	p.cut()
	return nil
}

// slow delays everything that is sent either way.
func (p *proxy) slow(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latency = by
}

func (p *proxy) close() {
	_ = p.listener.Close() // closing it twice does no harm
	p.refuse(true)
}
