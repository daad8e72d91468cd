package account

import (
	"context"
	"sync"
	"time"
)

type fakeSessions struct {
	mu        sync.Mutex
	data      map[string][]byte
	refreshes int
	err       error
	onRefresh func() // runs before a refresh, to mean what happens meanwhile
}

func newFakeSessions() *fakeSessions { return &fakeSessions{data: map[string][]byte{}} }

func (f *fakeSessions) FindCtx(_ context.Context, token string) ([]byte, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, ok := f.data[token]
	return data, ok, f.err
}

func (f *fakeSessions) CommitCtx(_ context.Context, token string, data []byte, _ time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.data[token] = data
	return f.err
}

func (f *fakeSessions) RefreshCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	if f.onRefresh != nil {
		f.onRefresh()
	}
	f.mu.Lock()
	_, ok := f.data[token]
	f.refreshes++
	f.mu.Unlock()
	if !ok {
		return nil
	}
	return f.CommitCtx(ctx, token, data, expiry)
}

func (f *fakeSessions) DeleteCtx(_ context.Context, token string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.data, token)
	return f.err
}
