package api_test

import (
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestNobodyIsLockedOutFromElsewhere: 50 wrong passwords lock an account, but not for the addresses from which it
// logged in. From those a wrong password is answered as from anywhere else, and as for an account that does not
// exist. Unlocking ends it.
func TestNobodyIsLockedOutFromElsewhere(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.User(t, "alice")
	const office, attacker = "192.0.2.44:1", "198.51.100.7:1"
	login := func(name, password, from string) apitest.Answer {
		t.Helper()
		return s.Do(t, apitest.Call{Method: "POST", Path: provision, From: from, Body: obj{"username": name, "password": password}})
	}
	login("alice", apitest.Password, office).Want(t, http.StatusCreated)
	for range 50 {
		for _, name := range []string{"alice", "nobody"} {
			login(name, "wrong password", attacker).Want(t, http.StatusForbidden)
		}
	}
	for _, from := range []string{attacker, office} {
		for _, name := range []string{"alice", "nobody"} {
			a := login(name, "wrong password", from).Want(t, http.StatusTooManyRequests)
			if a.Header.Get("Retry-After") == "" || a.Object(t)["detail"] == nil {
				t.Errorf("%s from %s: %v %s", name, from, a.Header, a.Raw)
			}
		}
	}
	login("alice", apitest.Password, attacker).Want(t, http.StatusTooManyRequests)
	login("alice", apitest.Password, office).Want(t, http.StatusCreated)
	if err := s.App.UnlockUser(t.Context(), "alice"); err != nil {
		t.Fatal(err)
	}
	login("alice", apitest.Password, attacker).Want(t, http.StatusCreated)
	if err := s.App.UnlockUser(t.Context(), "nobody"); err == nil {
		t.Error("nobody was unlocked")
	}
}
