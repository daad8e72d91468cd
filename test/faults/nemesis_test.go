package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"
)

// TestPlan: every kind of fault occurs, and none that heals slowly occurs late.
func TestPlan(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		faults := plan(rand.New(rand.NewPCG(seed, 0)), faultKinds, 26)
		seen := map[string]bool{}
		for i, f := range faults {
			seen[f.name] = true
			if f.slow && i >= len(faults)*2/3 {
				t.Errorf("seed %d: %s is fault %d of %d", seed, f.name, i, len(faults))
			}
		}
		if len(faults) < 26 || len(seen) != len(faultKinds) {
			t.Errorf("seed %d: %d faults of %d kinds", seed, len(faults), len(seen))
		}
	}
}

// TestProxy: cut connections are closed, refused ones are not accepted, and afterwards everything works.
func TestProxy(t *testing.T) {
	t.Parallel()
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = echo.Close() }()
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c) }()
		}
	}()
	p, err := newProxy(echo.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", p.address())
		if err != nil {
			return nil // it was broken before it was established
		}
		return c
	}
	works := func(c net.Conn) bool {
		if c == nil {
			return false
		}
		_ = c.SetDeadline(time.Now().Add(10 * time.Second)) // a connection that hangs fails
		if _, err := c.Write([]byte("x")); err != nil {
			return false
		}
		_, err := io.ReadFull(c, make([]byte, 1))
		return err == nil
	}
	first := dial()
	if !works(first) {
		t.Fatal("nothing comes through")
	}
	p.cut()
	if works(first) {
		t.Error("a connection that was cut still works")
	}
	p.refuse(true)
	if works(dial()) {
		t.Error("a connection came through that was to be refused")
	}
	p.refuse(false)
	p.slow(50 * time.Millisecond)
	began := time.Now()
	if !works(dial()) || time.Since(began) < 100*time.Millisecond {
		t.Errorf("there and back took %v, want 100 ms or more", time.Since(began))
	}
}

func TestDeliveryNumber(t *testing.T) {
	t.Parallel()
	if got, want := deliveryNumber("01a1ddc4-26fb-7000-8000-000000000001"), int64(0x01a1ddc426fb<<21|1); got != want {
		t.Errorf("%d, want %d", got, want)
	}
	if got := deliveryNumber("nonsense"); got != 0 {
		t.Errorf("nonsense is %d", got)
	}
}

// TestPicture: the picture is valid XML whatever happened.
func TestPicture(t *testing.T) {
	t.Parallel()
	line := newTimeline()
	f := line.begin(hang, false)
	line.finish(f, "/h/<plain>", `a "note" & more`)
	for i := range 20 {
		line.sample(sample{At: line.began.Add(time.Duration(i) * time.Second), Changes: i * 10, Receipts: i * 30, Backlog: i%3 - 1})
	}
	d := xml.NewDecoder(strings.NewReader(picture(line, &result{Seconds: 20})))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
