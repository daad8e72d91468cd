package ledger_test

import (
	"context"
	"strings"
	"testing"

	"terrier/internal/ledger"
	"terrier/internal/record"
)

// TestActionsAreBound checks that the program does not start with an action that does nothing, or with a function that no action is
// declared for.
func TestActionsAreBound(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	nothing := func(context.Context, ledger.Caller, record.Values, record.Input) (any, error) { return nil, nil }
	all := map[string]ledger.Bound{}
	for _, typ := range b.Store.Types() {
		for i := range typ.Actions {
			if typ.Actions[i].Syncs == "" && typ.Actions[i].Do == nil {
				all[typ.Actions[i].Key()] = nothing
			}
		}
	}
	if err := b.Bind(all); err != nil {
		t.Error(err)
	}
	all["POST extras.webhook/poke"] = nothing
	if err := b.Bind(all); err == nil || !strings.Contains(err.Error(), "POST extras.webhook/poke, which no type declares") {
		t.Errorf("a function without an action: %v", err)
	}
	delete(all, "POST extras.webhook/poke")
	for _, key := range []string{"POST extras.webhook/pause", "POST extras.webhook/replay"} { // the second is on pages only
		delete(all, key)
		if err := b.Bind(all); err == nil || !strings.Contains(err.Error(), key+" has no Do, and nothing is bound") {
			t.Errorf("an action without a function: %v", err)
		}
		all[key] = nothing
	}
}
