package system_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"terrier/internal/dbtest"
)

// The limits of failed logins in one window, as threats.md promises them: any hour touches at most two windows.
const (
	accountFailures = 50
	addressFailures = 200
)

func credentials(username, password string) object {
	return object{"username": username, "password": password}
}

const provision = "/api/users/tokens/provision/"

// guess sends wrong logins to the servers by turns, a few at a time, and counts the refusals by status.
func guess(t *testing.T, servers []*server, n int, username func(i int) string) (wrong, throttled int, bodies map[string]bool) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	bodies = map[string]bool{}
	const atOnce = 4
	for worker := range atOnce {
		wg.Go(func() {
			for i := worker; i < n; i += atOnce {
				a := servers[i%len(servers)].Do(http.MethodPost, provision, "", credentials(username(i), "wrong-"+strconv.Itoa(i)))
				mu.Lock()
				switch a.Status {
				case http.StatusForbidden:
					wrong++
					bodies[a.Body] = true
				case http.StatusTooManyRequests:
					throttled++
					if after, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || after < 1 || after > 3600 {
						t.Errorf("Retry-After of a throttled login: %q", a.Header.Get("Retry-After"))
					}
				default:
					t.Errorf("a wrong login was answered %d: %v", a.Status, a)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return wrong, throttled, bodies
}

func TestThrottlingHoldsAcrossProcesses(t *testing.T) {
	t.Parallel()
	in := newInstall(t, dbtest.New(t))
	for _, name := range []string{"alice", "carol"} {
		in.User(name, "right password")
	}
	servers := []*server{in.Serve(), in.Serve()}
	login := func(s *server, name string) answer {
		return s.Do(http.MethodPost, provision, "", credentials(name, "right password"))
	}
	login(servers[0], "alice").Want(t, http.StatusCreated)

	answers := map[string]string{}
	for _, name := range []string{"alice", "nobody"} {
		const tries = accountFailures + 30
		wrong, throttled, bodies := guess(t, servers, tries, func(int) string { return name })
		if wrong != accountFailures || throttled != tries-accountFailures {
			t.Errorf("%s: %d wrong logins and %d throttled, want %d and %d", name, wrong, throttled, accountFailures, tries-accountFailures)
		}
		for body := range bodies {
			answers[name] += body
		}
		for _, s := range servers {
			if a := login(s, name); a.Status != http.StatusTooManyRequests {
				t.Errorf("%s: the right password after too many wrong ones: %v", name, a)
			}
		}
	}
	if answers["alice"] != answers["nobody"] {
		t.Errorf("a known and an unknown user are answered differently: %q and %q", answers["alice"], answers["nobody"])
	}
	// One user's guesser locks nobody else out, until the address has used up its own limit.
	login(servers[1], "carol").Want(t, http.StatusCreated)
	wrong, _, _ := guess(t, servers, addressFailures, func(i int) string { return fmt.Sprintf("name-%d", i) })
	if want := addressFailures - 2*accountFailures; wrong != want {
		t.Errorf("%d wrong logins under many names, want %d", wrong, want)
	}
	login(servers[0], "carol").Want(t, http.StatusTooManyRequests)
}

func TestRevokedTokenIsRefusedEverywhereAtOnce(t *testing.T) {
	t.Parallel()
	in := newInstall(t, dbtest.New(t))
	in.User("admin", "right password", "--superuser")
	admin := in.Token("admin")
	servers := []*server{in.Serve(), in.Serve()}

	const rounds, usesAfter = 60, 5
	var before, after, refused atomic.Int64
	for round := range rounds {
		here, there := servers[round%2], servers[(round+1)%2]
		var made struct {
			ID  int
			Key string
		}
		here.Do(http.MethodPost, "/api/users/tokens/", admin, object{"user": 1, "write_enabled": true}).Want(t, http.StatusCreated).Read(t, &made)
		there.Get("/api/dcim/sites/", made.Key).Want(t, http.StatusOK)

		// The token is in use on both processes while it is revoked.
		var revoked atomic.Bool
		var wg sync.WaitGroup
		for _, s := range servers {
			wg.Go(func() {
				for uses := 0; uses < usesAfter; {
					acknowledged := revoked.Load()
					a := s.Get("/api/dcim/sites/", made.Key)
					switch {
					case acknowledged && a.Status == http.StatusForbidden && strings.Contains(a.Body, "Invalid token"):
						refused.Add(1)
					case acknowledged:
						after.Add(1)
						t.Errorf("round %d: after the revoke: %v", round, a)
					case a.Status == http.StatusOK:
						before.Add(1)
					}
					if acknowledged {
						uses++
					}
				}
			})
		}
		path := fmt.Sprintf("/api/users/tokens/%d/", made.ID)
		a := here.Do(http.MethodDelete, path, admin, nil)
		revoked.Store(true)
		wg.Wait()
		a.Want(t, http.StatusNoContent)
	}
	t.Logf("%d uses before the revokes, %d refused after, %d successes after", before.Load(), refused.Load(), after.Load())
	if refused.Load() != rounds*usesAfter*int64(len(servers)) {
		t.Errorf("%d uses were refused, want all %d", refused.Load(), rounds*usesAfter*len(servers))
	}
}

func TestDeactivatedUserIsRefusedEverywhereAtOnce(t *testing.T) {
	t.Parallel()
	in := newInstall(t, dbtest.New(t))
	in.User("admin", "right password", "--superuser")
	admin := in.Token("admin")
	servers := []*server{in.Serve(), in.Serve()}

	for round := range 4 {
		here, there := servers[round%2], servers[(round+1)%2]
		name := fmt.Sprintf("user-%d", round)
		var user struct{ ID int }
		here.Do(http.MethodPost, "/api/users/users/", admin, credentials(name, "right password")).Want(t, http.StatusCreated).Read(t, &user)
		var token struct{ Key string }
		here.Do(http.MethodPost, provision, "", credentials(name, "right password")).Want(t, http.StatusCreated).Read(t, &token)
		cookie := login(t, there, name, "right password")

		// What a user may always see is their own tokens.
		byToken := func(s *server) answer { return s.Get("/api/users/tokens/", token.Key) }
		byCookie := func(s *server) answer {
			return s.Send(http.MethodGet, "/api/users/tokens/", http.Header{"Cookie": {cookie}}, nil)
		}
		for _, s := range servers {
			byToken(s).Want(t, http.StatusOK)
			byCookie(s).Want(t, http.StatusOK)
		}
		path := fmt.Sprintf("/api/users/users/%d/", user.ID)
		if round%2 == 0 {
			here.Do(http.MethodPatch, path, admin, object{"is_active": false}).Want(t, http.StatusOK)
		} else if out, code := in.Terrier("", "user", "deactivate", name); code != 0 {
			t.Fatalf("deactivate from the command line: %s", out)
		}
		for _, s := range servers {
			if a := byToken(s).Want(t, http.StatusForbidden); !strings.Contains(a.Body, "User inactive") {
				t.Errorf("the token of a deactivated user: %v", a)
			}
			if a := byCookie(s).Want(t, http.StatusForbidden); !strings.Contains(a.Body, "Authentication credentials were not provided.") {
				t.Errorf("the session of a deactivated user: %v", a)
			}
			s.Do(http.MethodPost, provision, "", credentials(name, "right password")).Want(t, http.StatusForbidden)
		}
		// Tokens come back with the user; sessions have ended for good.
		there.Do(http.MethodPatch, path, admin, object{"is_active": true}).Want(t, http.StatusOK)
		for _, s := range servers {
			byToken(s).Want(t, http.StatusOK)
			byCookie(s).Want(t, http.StatusForbidden)
		}
	}
}

func TestNewPasswordEndsSessionsEverywhere(t *testing.T) {
	t.Parallel()
	in := newInstall(t, dbtest.New(t))
	in.User("alice", "right password", "--superuser")
	servers := []*server{in.Serve(), in.Serve()}
	header := http.Header{"Cookie": {login(t, servers[0], "alice", "right password")}}
	servers[1].Send(http.MethodGet, "/api/dcim/sites/", header, nil).Want(t, http.StatusOK)
	if out, code := in.Terrier("another password\n", "user", "password", "alice", "--password-stdin"); code != 0 {
		t.Fatal(out)
	}
	for _, s := range servers {
		s.Send(http.MethodGet, "/api/dcim/sites/", header, nil).Want(t, http.StatusForbidden)
	}
	header = http.Header{"Cookie": {login(t, servers[1], "alice", "another password")}}
	servers[1].Send(http.MethodPost, "/logout/", header, nil).Want(t, http.StatusNoContent)
	servers[0].Send(http.MethodGet, "/api/dcim/sites/", header, nil).Want(t, http.StatusForbidden)
}

// login starts a session and returns the Cookie header that continues it.
func login(t *testing.T, s *server, username, password string) string {
	t.Helper()
	a := s.Do(http.MethodPost, "/login/", "", credentials(username, password)).Want(t, http.StatusNoContent)
	cookie, err := http.ParseSetCookie(a.Header.Get("Set-Cookie"))
	if err != nil || !cookie.HttpOnly || cookie.SameSite == http.SameSiteDefaultMode {
		t.Fatalf("session cookie %q: %v", a.Header.Get("Set-Cookie"), err)
	}
	return cookie.Name + "=" + cookie.Value
}

func TestSecretKeyRotation(t *testing.T) {
	t.Parallel()
	in := newInstall(t, dbtest.New(t))
	in.User("admin", "right password", "--superuser")
	used, unused := in.Token("admin"), in.Token("admin")
	try := func(s *server, key string, want int) {
		t.Helper()
		s.Get("/api/dcim/sites/", key).Want(t, want)
	}

	first := in.Serve()
	try(first, used, http.StatusOK)
	first.Stop()

	old := in.Settings["SECRET_KEY"]
	in.Set("SECRET_KEY="+randomHex(32), "SECRET_KEY_OLD="+old)
	both := in.Serve()
	try(both, used, http.StatusOK)
	try(both, used, http.StatusOK)
	// Passwords do not depend on the key, and new tokens use the new one.
	var made struct{ Key string }
	both.Do(http.MethodPost, provision, "", credentials("admin", "right password")).Want(t, http.StatusCreated).Read(t, &made)
	both.Stop()

	delete(in.Settings, "SECRET_KEY_OLD")
	only := in.Serve()
	try(only, used, http.StatusOK)
	try(only, made.Key, http.StatusOK)
	try(only, unused, http.StatusForbidden)
	only.Stop()

	in.Set("SECRET_KEY=" + old)
	try(in.Serve(), used, http.StatusForbidden)
}
