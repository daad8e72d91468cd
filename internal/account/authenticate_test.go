package account

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
)

func activeUser() UserRecord {
	return UserRecord{
		ID: 7, Username: "alice", Active: true, ManageToken: true, Epoch: 3, PasswordHash: "plain:right password",
		Grants: []access.Grant{{Types: []string{"dcim.site"}, Actions: []string{access.View}}},
	}
}

func TestByToken(t *testing.T) {
	const invalid, expired, inactive = "Invalid token", "Token expired", "User inactive"
	now := newClock().Now()
	at := func(d time.Duration) *time.Time { v := now.Add(d); return &v }
	nets := func(s ...string) (out []netip.Prefix) {
		for _, p := range s {
			out = append(out, netip.MustParsePrefix(p))
		}
		return out
	}
	source := func(ip string) string {
		return "Source IP " + ip + " is not permitted to authenticate using this token."
	}
	for _, tc := range []struct {
		name   string
		key    string
		from   string
		change func(*TokenRecord)
		detail string
		loads  int
	}{
		{name: "good", loads: 1},
		{name: "upper case", key: strings.ToUpper(goodKey), loads: 1},
		{name: "unknown", key: NewKey(), detail: invalid, loads: 1},
		{name: "malformed is not looked up", key: "secret", detail: invalid},
		{name: "not hexadecimal is not looked up", key: "x" + goodKey[1:], detail: invalid},
		{name: "expires later", change: func(r *TokenRecord) { r.Expires = at(1) }, loads: 1},
		{name: "expires now", change: func(r *TokenRecord) { r.Expires = at(0) }, detail: expired, loads: 1},
		{name: "inactive", change: func(r *TokenRecord) { r.User.Active = false }, detail: inactive, loads: 1},
		{name: "expired overrides inactive", detail: expired, loads: 1,
			change: func(r *TokenRecord) { r.Expires, r.User.Active = at(-1), false }},
		{name: "address overrides expired", detail: source("192.0.2.9"), loads: 1,
			change: func(r *TokenRecord) { r.Expires, r.AllowedIPs = at(-1), nets("10.0.0.0/8") }},
		{name: "address allowed", from: "10.1.2.3", loads: 1,
			change: func(r *TokenRecord) { r.AllowedIPs = nets("2001:db8::/32", "10.0.0.0/8") }},
		{name: "address allowed, mapped", from: "::ffff:10.1.2.3", loads: 1,
			change: func(r *TokenRecord) { r.AllowedIPs = nets("10.0.0.0/8") }},
		{name: "address refused, mapped", from: "::ffff:11.1.2.3", detail: source("11.1.2.3"), loads: 1,
			change: func(r *TokenRecord) { r.AllowedIPs = nets("10.0.0.0/8") }},
		{name: "address allowed, with zone", from: "fe80::1%eth0", loads: 1,
			change: func(r *TokenRecord) { r.AllowedIPs = nets("fe80::/10") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ring := testRing(t)
			record := &TokenRecord{ID: 5, Digest: ring.TokenDigest(goodKey), WriteEnabled: true, User: activeUser()}
			if tc.change != nil {
				tc.change(record)
			}
			tokens := &fakeTokens{records: []*TokenRecord{record}}
			log, _ := testLog()
			a := &Authenticator{Tokens: tokens, Keys: ring, Log: log, Now: func() time.Time { return now }}
			if tc.key == "" {
				tc.key = goodKey
			}
			if tc.from == "" {
				tc.from = "192.0.2.9"
			}
			subject, err := a.ByToken(context.Background(), tc.key, netip.MustParseAddr(tc.from))
			wantFault(t, err, fault.Denied, tc.detail)
			if tokens.loads != tc.loads {
				t.Errorf("%d loads, want %d", tokens.loads, tc.loads)
			}
			if err != nil {
				if subject != nil || tokens.touched != nil || tokens.rehashed != nil {
					t.Error("a refused token has an effect")
				}
				return
			}
			want := &access.Subject{UserID: 7, Username: "alice", TokenID: 5, ManageToken: true, Grants: record.User.Grants,
				Limits: access.Limits{Expires: record.Expires, Networks: record.AllowedIPs}}
			if !reflect.DeepEqual(subject, want) {
				t.Errorf("subject %+v, want %+v", subject, want)
			}
		})
	}
}

func TestByTokenReadOnlyAndSuperuser(t *testing.T) {
	ring := testRing(t)
	record := &TokenRecord{ID: 5, Digest: ring.TokenDigest(goodKey), User: activeUser()}
	record.User.Superuser, record.User.ManageToken = true, false
	log, _ := testLog()
	a := &Authenticator{Tokens: &fakeTokens{records: []*TokenRecord{record}}, Keys: ring, Log: log, Now: time.Now}
	s, err := a.ByToken(context.Background(), goodKey, netip.Addr{})
	if err != nil || !s.ReadOnly || !s.Superuser || s.ManageToken {
		t.Errorf("subject %+v, error %v", s, err)
	}
}

func TestByTokenNotesUseOnceAMinute(t *testing.T) {
	now := newClock().Now()
	for _, tc := range []struct {
		name    string
		ago     time.Duration // below zero: never used
		touches int
	}{
		{"never used", -1, 1},
		{"just now", 0, 0},
		{"59 seconds ago", 59 * time.Second, 0},
		{"a minute ago", time.Minute, 1},
		{"a year ago", 365 * 24 * time.Hour, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ring := testRing(t)
			record := &TokenRecord{Digest: ring.TokenDigest(goodKey), User: activeUser()}
			if tc.ago >= 0 {
				used := now.Add(-tc.ago)
				record.LastUsed = &used
			}
			log, out := testLog()
			tokens := &fakeTokens{records: []*TokenRecord{record}, noteErr: errors.New("disk full")}
			a := &Authenticator{Tokens: tokens, Keys: ring, Log: log, Now: func() time.Time { return now }}
			if _, err := a.ByToken(context.Background(), goodKey, netip.Addr{}); err != nil {
				t.Fatal(err)
			}
			if len(tokens.touched) != tc.touches || (tc.touches == 1 && !tokens.touched[0].Equal(now)) {
				t.Errorf("touched %v", tokens.touched)
			}
			if strings.Contains(out.String(), "disk full") != (tc.touches == 1) || strings.Contains(out.String(), goodKey) {
				t.Errorf("log: %s", out)
			}
		})
	}
}

// A use that can't be recorded is a warning, unless the caller went away: that is no fault of the server.
func TestUnrecordedUsesHaveTheirLevel(t *testing.T) {
	for err, want := range map[error]string{
		errors.New("disk full"):                           "level=WARN msg=\"the use of a token was not recorded\"",
		fmt.Errorf("touch a token: %w", context.Canceled): "level=INFO msg=\"the use of a token was not recorded\"",
	} {
		ring := testRing(t)
		log, out := testLog()
		tokens := &fakeTokens{records: []*TokenRecord{{Digest: ring.TokenDigest(goodKey), User: activeUser()}}, noteErr: err}
		a := &Authenticator{Tokens: tokens, Keys: ring, Log: log, Now: time.Now}
		if _, err := a.ByToken(context.Background(), goodKey, netip.Addr{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%v is logged as %s", err, out)
		}
	}
}

func TestByTokenRehashesAfterRotation(t *testing.T) {
	before, _ := NewKeyring(secretA, nil)
	after, _ := NewKeyring(secretB, []string{secretA})
	for name, kept := range map[string][]byte{
		"of the old key":             before.TokenDigest(goodKey),
		"of the old key, without id": before.TokenDigests(goodKey)[1],
		"without id":                 after.TokenDigests(goodKey)[2],
	} {
		record := &TokenRecord{Digest: kept, User: activeUser()}
		tokens := &fakeTokens{records: []*TokenRecord{record}}
		log, _ := testLog()
		a := &Authenticator{Tokens: tokens, Keys: after, Log: log, Now: time.Now}
		for range 2 {
			if _, err := a.ByToken(context.Background(), goodKey, netip.Addr{}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			record.Digest = after.TokenDigest(goodKey)
		}
		if len(tokens.rehashed) != 1 || !bytes.Equal(tokens.rehashed[0], after.TokenDigest(goodKey)) {
			t.Errorf("%s: rehashed %x", name, tokens.rehashed)
		}
	}
}

type wrongStore struct{ fakeTokens }

func (wrongStore) LoadToken(context.Context, [][]byte) (*TokenRecord, error) {
	return &TokenRecord{Digest: []byte("another"), User: activeUser()}, nil
}

func TestByTokenDoesNotTrustTheStore(t *testing.T) {
	log, _ := testLog()
	a := &Authenticator{Tokens: &wrongStore{}, Keys: testRing(t), Log: log, Now: time.Now}
	_, err := a.ByToken(context.Background(), goodKey, netip.Addr{})
	wantFault(t, err, fault.Denied, "Invalid token")

	a.Tokens = &fakeTokens{err: errors.New("no connection")}
	if _, err = a.ByToken(context.Background(), goodKey, netip.Addr{}); fault.KindOf(err) != fault.Internal {
		t.Errorf("a store that fails: %v", err)
	}
}

func TestRecordsHideHashesInLogs(t *testing.T) {
	log, out := testLog()
	user := activeUser()
	log.Info("", "user", user, "pointer", &user, "token", &TokenRecord{Digest: []byte("canary"), User: user})
	if s := out.String(); strings.Contains(s, "right password") || strings.Contains(s, "canary") || !strings.Contains(s, "alice") {
		t.Error(s)
	}
}
