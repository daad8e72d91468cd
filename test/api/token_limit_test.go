package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

const tooMany = "A user can have at most 1000 tokens that have not expired. Delete those that are no longer used."

// TestAUserHasAtMostAThousandTokens: one by one, in bulk, by provisioning, on the command line and concurrently,
// nobody gets more unexpired tokens. Expired ones do not count, and changes that add none are not refused.
func TestAUserHasAtMostAThousandTokens(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	aliceID, alice := newActor(t, s, "alice") // with one token
	bulk := func(n int, expires any) []obj {
		list := make([]obj, n)
		for i := range list {
			list[i] = obj{"user": aliceID, "expires": expires}
		}
		return list
	}
	live := func() (n int) {
		if err := s.DB.QueryRow(t.Context(), "SELECT count(*) FROM users_token WHERE user_id = $1 AND (expires IS NULL OR expires > now())",
			aliceID).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	refused := func(what string, a apitest.Answer) {
		t.Helper()
		if a.Status != http.StatusBadRequest || !strings.Contains(string(a.Raw), tooMany) {
			t.Errorf("%s: %d %.300s", what, a.Status, a.Raw)
		}
	}
	old := admin.do(t, "POST", tokens, bulk(3, "2020-01-01T00:00:00Z")).Want(t, http.StatusCreated).List(t)
	refused("1,000 more in one request", admin.do(t, "POST", tokens, bulk(1000, nil)))
	admin.do(t, "POST", tokens, bulk(990, "2099-01-01T00:00:00Z")).Want(t, http.StatusCreated)

	// Nine more fit, in any order.
	var made, wrong atomic.Int64
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			for range 5 {
				switch a := alice.do(t, "POST", tokens, obj{}); a.Status {
				case http.StatusCreated:
					made.Add(1)
				case http.StatusBadRequest:
				default:
					wrong.Add(1)
				}
			}
		})
	}
	done.Wait()
	if made.Load() != 9 || wrong.Load() != 0 || live() != 1000 {
		t.Fatalf("%d of 20 were made, %d went wrong, %d live", made.Load(), wrong.Load(), live())
	}

	refused("one more", alice.do(t, "POST", tokens, obj{}))
	refused("provisioning", s.Do(t, apitest.Call{Method: "POST", Path: tokens + "provision/",
		Body: obj{"username": "alice", "password": apitest.Password}}))
	refused("an expired one lives again", alice.do(t, "PATCH", at(tokens, apitest.ID(old[0])), obj{"expires": nil}))
	others := admin.create(t, tokens, obj{})
	refused("somebody else's is handed over", admin.do(t, "PATCH", at(tokens, others), obj{"user": aliceID}))
	if _, err := s.App.CreateToken(t.Context(), app.NewToken{Username: "alice"}); err == nil || !strings.Contains(err.Error(), tooMany) {
		t.Errorf("the command line: %v", err)
	}
	alice.do(t, "POST", tokens, obj{"expires": "2020-01-01T00:00:00Z"}).Want(t, http.StatusCreated)
	first := apitest.ID(alice.page(t, tokens+"?ordering=id&limit=1").Results[0])
	alice.patch(t, tokens, first, obj{"description": "still mine to change"})

	// A user who had more before there was a limit can change what they have.
	if _, err := s.DB.Exec(t.Context(), "UPDATE users_token SET expires = NULL WHERE user_id = $1", aliceID); err != nil {
		t.Fatal(err)
	}
	alice.patch(t, tokens, first, obj{"description": fmt.Sprint("one of ", live()), "expires": "2099-01-01T00:00:00Z"})
	refused("one more above the limit", alice.do(t, "POST", tokens, obj{"expires": "2098-01-01T00:00:00Z"}))
}

// TestProvisioningTakesAllowedAddresses: they limit the new token, and wrong ones are refused as for any token.
func TestProvisioningTakesAllowedAddresses(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.User(t, "alice")
	provision := func(allowed any) apitest.Answer {
		t.Helper()
		return s.Do(t, apitest.Call{Method: "POST", Path: tokens + "provision/",
			Body: obj{"username": "alice", "password": apitest.Password, "allowed_ips": allowed}})
	}
	made := provision([]string{"10.1.2.3/8"}).Want(t, http.StatusCreated).Object(t)
	if fmt.Sprint(made["allowed_ips"]) != "[10.0.0.0/8]" {
		t.Errorf("allowed from %v", made["allowed_ips"])
	}
	for from, status := range map[string]int{"10.0.0.7:1234": http.StatusOK, "192.0.2.7:1234": http.StatusForbidden} {
		s.Do(t, apitest.Call{Method: "GET", Path: tokens, Token: made["key"].(string), From: from}).Want(t, status)
	}
	if errs := provision([]string{"localhost"}).Want(t, http.StatusBadRequest).Object(t); errs["allowed_ips"] == nil {
		t.Errorf("%v", errs)
	}
}
