package account

import (
	"context"
	"net/netip"
	"sync"
)

// fakeRefusals lists the refused logins.
type fakeRefusals struct {
	mu  sync.Mutex
	all []string
}

func (f *fakeRefusals) note(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, what)
	return nil
}

func (f *fakeRefusals) Failed(_ context.Context, user *UserRecord, from netip.Addr) error {
	name := "unknown"
	if user != nil {
		name = user.Username
	}
	return f.note("failed " + name + " " + from.String())
}

func (f *fakeRefusals) Throttled(_ context.Context, username string, from netip.Addr, counted bool) error {
	if counted {
		return f.note("counted " + username + " " + from.String())
	}
	return f.note("uncounted " + username + " " + from.String())
}
