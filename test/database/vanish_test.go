package database_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terrier/test/install"
)

// network is the way to a database. While it is cut, connections stay open and are accepted, and whatever is sent is lost.
type network struct {
	address string
	cut     atomic.Bool
}

func newNetwork(t *testing.T, server string) *network {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{address: listener.Addr().String()}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			database, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			lost := &atomic.Bool{} // what was lost once stays lost
			go n.pass(client, database, lost)
			go n.pass(database, client, lost)
		}
	}()
	return n
}

func (n *network) pass(to, from net.Conn, lost *atomic.Bool) {
	buffer := make([]byte, 64<<10)
	for {
		size, err := from.Read(buffer)
		if n.cut.Load() {
			lost.Store(true)
		}
		if lost.Load() {
			_, _ = io.Copy(io.Discard, from)
			_ = from.Close()
			return
		}
		if err != nil {
			_ = to.Close()
			return
		}
		if _, err := to.Write(buffer[:size]); err != nil {
			_ = from.Close()
			return
		}
	}
}

// TestDatabaseVanishes: the host of the database disappears, and everything that is sent to it. Every request is
// answered within the time of a request, with 503 and Retry-After. When the host is back, so are server and worker,
// without a restart.
func TestDatabaseVanishes(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	way := newNetwork(t, n.host)
	w := newWorld(t, strings.Replace(n.url, n.host, way.address, 1))
	site := w.site("a")
	w.change(site, "before")
	ways := w.ways(path(site))
	way.cut.Store(true)
	w.wantNotReady()
	var requests sync.WaitGroup
	for round := range 2 {
		for _, r := range ways {
			requests.Go(func() {
				began := time.Now()
				a := w.server.Send(r.method, r.path, r.header, r.body)
				took := time.Since(began)
				if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" && r.path != "/readyz" || took > 27*time.Second {
					t.Errorf("round %d, %s %s: %d after %v, Retry-After %q: %.300s", round, r.method, r.path, a.Status, took,
						a.Header.Get("Retry-After"), a.Body)
				}
			})
		}
		requests.Wait()
	}
	way.cut.Store(false)
	w.recovers(site, "after")
	w.audit(install.Connect(t, n.url))
}
