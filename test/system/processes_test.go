package system_test

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// The limits of failed logins in an hour, as promised: two counts for an account, together 100.
const (
	accountFailures = 50
	addressFailures = 200
)

func credentials(username, password string) object {
	return object{"username": username, "password": password}
}

const provision = "/api/users/tokens/provision/"

// guess sends wrong logins to the servers in turn, a few at a time, and counts the refusals by status.
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
	// Alice has logged in from this address, so it has a second count for her. The guesses use up both, and the answers don't show it.
	const tries = 2*accountFailures + 10
	for name, tries := range map[string]int{"alice": tries, "nobody": tries / 2} {
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
	if out, code := in.Terrier("", "user", "unlock", "alice"); code != 0 {
		t.Errorf("user unlock: exit code %d: %s", code, out)
	}
	login(servers[1], "alice").Want(t, http.StatusCreated)
	// Guesses for one user lock nobody else out, until the address has used up its own limit.
	login(servers[1], "carol").Want(t, http.StatusCreated)
	wrong, _, _ := guess(t, servers, addressFailures, func(i int) string { return fmt.Sprintf("name-%d", i) })
	if want := addressFailures - tries - tries/2 - 2*len(servers); wrong != want {
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

		// A user may always see their own tokens.
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
		// Tokens work again with the user. Sessions have ended for good.
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
	in := newInstall(t, dbtest.New(t), "EGRESS_ALLOW=127.0.0.1/32")
	in.User("admin", "right password", "--superuser")
	used, unused := in.Token("admin"), in.Token("admin")
	try := func(s *server, key string, want int) {
		t.Helper()
		s.Get("/api/dcim/sites/", key).Want(t, want)
	}
	hook := newSignedWebhook(t)
	reseal := func(code int, wants ...string) {
		t.Helper()
		out, got := in.Terrier("", "secret", "reseal")
		hook.secrets.Absent("terrier secret reseal", out)
		for _, want := range wants {
			if got != code || !strings.Contains(out, want) {
				t.Fatalf("terrier secret reseal: exit code %d, want %d and %q: %s", got, code, want, out)
			}
		}
	}

	first := in.Serve("--worker")
	try(first, used, http.StatusOK)
	hook.create(t, first, used)
	hook.notifies(t, first, used)
	first.Stop()

	old := in.Settings["SECRET_KEY"]
	in.Set("SECRET_KEY=" + randomHex(32))
	locked := fmt.Sprintf("extras.webhook/%d/%%s: it was sealed with key", hook.id)
	reseal(1, "re-encrypted: 0\n", fmt.Sprintf(locked, "secret"), fmt.Sprintf(locked, "additional_headers"))
	in.Set("SECRET_KEY_OLD=" + old)
	both := in.Serve("--worker")
	try(both, used, http.StatusOK)
	try(both, used, http.StatusOK)
	hook.notifies(t, both, used)
	// Passwords do not depend on the key, and new tokens use the new one.
	var made struct{ Key string }
	both.Do(http.MethodPost, provision, "", credentials("admin", "right password")).Want(t, http.StatusCreated).Read(t, &made)
	reseal(0, "re-encrypted: 2\n", "open with the current key: 2\n", "kept with an old key: 1\n")
	hook.notifies(t, both, used)
	both.Stop()

	delete(in.Settings, "SECRET_KEY_OLD")
	only := in.Serve("--worker")
	try(only, used, http.StatusOK)
	try(only, made.Key, http.StatusOK)
	try(only, unused, http.StatusForbidden)
	hook.notifies(t, only, used)
	hook.unchanged(t, only, used)
	reseal(0, "re-encrypted: 0\n", "open with the current key: 2\n")
	only.Stop()

	in.Set("SECRET_KEY=" + old)
	try(in.Serve(), used, http.StatusForbidden)
}

// signedWebhook has a secret and a header that are stored encrypted, and a receiver that knows both.
type signedWebhook struct {
	secrets        *install.Canaries
	secret, header string
	url            string
	id             int
	got            chan received
	sent           int
}

type received struct{ signature, header, body string }

func newSignedWebhook(t *testing.T) *signedWebhook {
	h := &signedWebhook{secrets: &install.Canaries{T: t}, got: make(chan received, 10)}
	h.secret, h.header = h.secrets.Password("the secret of a webhook"), h.secrets.Password("a header of a webhook")
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h.got <- received{r.Header.Get("X-Hook-Signature"), r.Header.Get("X-Key"), string(body)}
	}))
	t.Cleanup(receiver.Close)
	h.url = receiver.URL
	return h
}

func (h *signedWebhook) create(t *testing.T, s *server, key string) {
	t.Helper()
	var made struct{ ID int }
	s.Do(http.MethodPost, "/api/extras/webhooks/", key, object{"name": "signed", "content_types": []string{"extras.tag"}, "type_create": true,
		"payload_url": h.url, "secret": h.secret, "additional_headers": "X-Key: " + h.header}).Want(t, http.StatusCreated).Read(t, &made)
	h.id = made.ID
}

// notifies makes a change and checks the request that the receiver gets.
func (h *signedWebhook) notifies(t *testing.T, s *server, key string) {
	t.Helper()
	h.sent++
	name := fmt.Sprint("tag-", h.sent)
	s.Do(http.MethodPost, "/api/extras/tags/", key, object{"name": name, "slug": name}).Want(t, http.StatusCreated)
	select {
	case r := <-h.got:
		mac := hmac.New(sha512.New, []byte(h.secret))
		mac.Write([]byte(r.body))
		if want := hex.EncodeToString(mac.Sum(nil)); r.signature != want || r.header != h.header || !strings.Contains(r.body, name) {
			t.Errorf("%s: signature %.12s…, want %.12s…; header %.12q: %s", name, r.signature, want, r.header, r.body)
		}
	case <-time.After(install.Patience):
		t.Fatalf("%s: nothing was received:\n%s", name, s.Get("/api/extras/deliveries/", key).Body)
	}
}

// unchanged checks that the webhook has not changed since it was created.
func (h *signedWebhook) unchanged(t *testing.T, s *server, key string) {
	t.Helper()
	var changes struct{ Count int }
	s.Get("/api/extras/object-changes/?changed_object_type=extras.webhook", key).Want(t, http.StatusOK).Read(t, &changes)
	if version := s.Get(fmt.Sprintf("/api/extras/webhooks/%d/", h.id), key).
		Want(t, http.StatusOK).Header.Get("ETag"); changes.Count != 1 || version != `"1"` {
		t.Errorf("the webhook has %d changes and version %s, want 1", changes.Count, version)
	}
}
