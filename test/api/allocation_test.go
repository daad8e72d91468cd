package api_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestAllocation lets 16 clients of two servers send 500 requests for addresses at once: to a prefix, to one inside it, to a range in it,
// and to the list with an address of their choice. Every address that was acknowledged is in the database, none twice, and
// requests fail only when there is none. Afterwards single requests are given the rest, lowest first.
func TestAllocation(t *testing.T) {
	t.Parallel()
	var cfg app.Config
	s := apitest.New(t, func(c *app.Config) {
		c.DatabaseURL += "&pool_max_conns=10"
		cfg = *c
	})
	other, err := app.New(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	admin := adminOf(s)
	made := func(path string, body obj) string {
		return fmt.Sprintf("%s%v/", path, admin.do(t, "POST", path, body).Want(t, http.StatusCreated).Object(t)["id"])
	}
	vrf := strings.Split(made("/api/ipam/vrfs/", obj{"name": "red"}), "/")[4]
	places := []string{
		made("/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/23", "vrf": vrf}) + "available-ips/",
		made("/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/25", "vrf": vrf}) + "available-ips/",
		made("/api/ipam/ip-ranges/", obj{"start_address": "10.0.1.0/23", "end_address": "10.0.1.63/23", "vrf": vrf}) + "available-ips/",
	}
	const clients, requests, usable, inRange = 16, 500, 510, 64
	post := func(n int, path string, body any) (status int, answer []byte) {
		if n%2 == 0 {
			a := s.Do(t, apitest.Call{Method: "POST", Path: path, Token: s.Admin, Body: body})
			return a.Status, a.Raw
		}
		raw, _ := json.Marshal(body)
		r := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(string(raw)))
		r.Header.Set("Authorization", "Token "+s.Admin)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		other.Handler.ServeHTTP(w, r)
		return w.Code, w.Body.Bytes()
	}
	addressOf := func(answer []byte) netip.Addr {
		var x struct {
			Address netip.Prefix `json:"address"`
		}
		if err := json.Unmarshal(answer, &x); err != nil {
			t.Errorf("%s: %v", answer, err)
		}
		return x.Address.Addr()
	}
	var mu sync.Mutex
	given := map[netip.Addr]bool{}
	jobs := make(chan int, requests)
	for n := range requests {
		jobs <- n
	}
	close(jobs)
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			for n := range jobs {
				var status int
				var answer []byte
				if kind := n % 4; kind < len(places) {
					if status, answer = post(client, places[kind], obj{}); status == http.StatusConflict {
						continue
					}
				} else if status, answer = post(client, "/api/ipam/ip-addresses/",
					obj{"address": fmt.Sprintf("10.0.%d.%d/23", n%3/2, 1+n%254), "vrf": vrf}); status == http.StatusBadRequest {
					continue // somebody has it
				}
				if status != http.StatusCreated {
					t.Errorf("request %d: %d %s", n, status, answer)
					continue
				}
				address := addressOf(answer)
				mu.Lock()
				if given[address] {
					t.Errorf("%s was given twice", address)
				}
				given[address] = true
				mu.Unlock()
			}
		})
	}
	group.Wait()
	stored := func(sql string) (n int) {
		t.Helper()
		if err := s.DB.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	want(t, "stored, of those acknowledged", stored("SELECT count(DISTINCT address_key) FROM ipam_ipaddress"), len(given))
	want(t, "records", stored("SELECT count(*) FROM ipam_ipaddress"), len(given))
	want(t, "of the range", stored("SELECT count(*) FROM ipam_ipaddress WHERE address_key BETWEEN '10.0.1.0' AND '10.0.1.63'"), inRange)
	if len(given) < requests/2 {
		t.Errorf("%d of %d requests got an address: the test shows nothing", len(given), requests)
	}
	for last := netip.MustParseAddr("10.0.0.0"); ; {
		status, answer := post(0, places[0], obj{})
		if status == http.StatusConflict {
			break
		}
		address := addressOf(answer)
		if status != http.StatusCreated || address.Compare(last) <= 0 || given[address] {
			t.Fatalf("after %s: %d %s", last, status, answer)
		}
		last = address
	}
	want(t, "in use at the end", stored("SELECT count(DISTINCT address_key) FROM ipam_ipaddress"), usable)
}
