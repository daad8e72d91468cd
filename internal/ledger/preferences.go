package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"terrier/internal/fault"
	"terrier/internal/layer"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Preferences returns what the caller has chosen about the pages, as an object. It is empty at first. Everybody has their own: they need
// no permission, are no record, and nobody is notified of them.
func (l *Ledger) Preferences(ctx context.Context, c Caller) (map[string]any, error) {
	if c.Anonymous() {
		return map[string]any{}, nil
	}
	data, err := l.Store.Preferences(ctx, c.UserID)
	if err != nil {
		return nil, err
	}
	return decodePreferences(data)
}

// PreferencesWith returns the caller's preferences and the custom fields of a type, in one round trip.
func (l *Ledger) PreferencesWith(ctx context.Context, c Caller, t *record.Type) (map[string]any, []*record.Custom, error) {
	data, defs, err := l.Store.PreferencesWith(ctx, c.UserID, t)
	if err != nil {
		return nil, nil, err
	}
	set, err := decodePreferences(data)
	return set, defs, err
}

// SetPreferences lays an object over the caller's preferences, key by key at every depth, and returns the result.
func (l *Ledger) SetPreferences(ctx context.Context, c Caller, over map[string]any) (set map[string]any, err error) {
	if c.Anonymous() {
		return nil, fault.ErrNoCreds
	}
	if c.ReadOnly {
		return nil, fault.ErrDenied
	}
	err = l.Store.ChangePreferences(ctx, c.UserID, func(stored json.RawMessage) (json.RawMessage, error) {
		under, err := decodePreferences(stored)
		if err != nil {
			return nil, err
		}
		set = layer.Lay(under, over)
		data, err := record.EncodeJSON(set)
		if err != nil {
			return nil, fault.Field(fault.General, "%s", err.Error())
		}
		if len(data) > store.MaxPreferences {
			return nil, fault.Field(fault.General, "Preferences may take at most %d bytes, and with these they would take %d.",
				store.MaxPreferences, len(data))
		}
		return data, nil
	})
	return set, err
}

func decodePreferences(data json.RawMessage) (map[string]any, error) {
	set := map[string]any{}
	if len(data) == 0 {
		return set, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&set); err != nil {
		return nil, fmt.Errorf("read the preferences: %w", err)
	}
	return set, nil
}
