package account

import (
	"context"
	"errors"
	"testing"
)

func TestBySession(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*UserRecord)
		known  bool
	}{
		{"good", func(*UserRecord) {}, true},
		{"deactivated", func(u *UserRecord) { u.Active = false }, false},
		{"password changed", func(u *UserRecord) { u.Epoch++ }, false},
		{"user deleted", func(u *UserRecord) { u.ID = 8 }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _, clock := newTestSessions(true)
			user := activeUser()
			users := &fakeUsers{users: []*UserRecord{&user}}
			a := &Authenticator{Users: users, Sessions: s, Now: clock.Now}
			ctx := context.Background()
			cookie, _ := s.Start(ctx, user.ID, user.Epoch)
			tc.change(&user)
			subject, err := a.BySession(ctx, cookie.Value)
			if err != nil || (subject != nil) != tc.known {
				t.Fatalf("subject %v, error %v", subject, err)
			}
			if tc.known && (subject.UserID != 7 || subject.TokenID != 0 || subject.ReadOnly || len(subject.Grants) != 1) {
				t.Errorf("subject %+v", subject)
			}
			if subject, err := a.BySession(ctx, "unknown"); subject != nil || err != nil {
				t.Errorf("unknown session: %v, %v", subject, err)
			}
			users.err = errors.New("no connection")
			if subject, err := a.BySession(ctx, cookie.Value); subject != nil || err == nil {
				t.Errorf("users cannot be loaded: %v, %v", subject, err)
			}
		})
	}
}
