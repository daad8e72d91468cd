package ledger

import (
	"net/netip"
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// within returns an error if a token has more than the limits of the caller's own token allow.
func within(own access.Limits, fields *record.Limited, token record.Values) error {
	ends, hasEnd := token.Get(fields.Expires).(time.Time)
	switch {
	case own.Expires != nil && (!hasEnd || ends.After(*own.Expires)):
		return fault.New(fault.Denied, "A token can't outlive the one that you use. Set %s to %s or earlier, or log in.", fields.Expires,
			own.Expires.UTC().Format(time.RFC3339Nano))
	case !inside(token.List(fields.Networks), own.Networks):
		return fault.New(fault.Denied, "A token can't be used from more addresses than the one that you use. Set %s to networks inside its own, "+
			"or log in.", fields.Networks)
	case own.ReadOnly && token.Bool(fields.Writes):
		return fault.New(fault.Denied, "A token can't write if the one that you use can only read. Set %s to false, or log in.", fields.Writes)
	}
	return nil
}

// inside reports whether each network is in one of the outer ones. No networks means everywhere.
func inside(networks []string, outer []netip.Prefix) bool {
	if len(outer) == 0 {
		return true
	}
	covered := func(text string) bool {
		p, err := netip.ParsePrefix(text)
		return err == nil && slices.ContainsFunc(outer, func(o netip.Prefix) bool { return o.Bits() <= p.Bits() && o.Contains(p.Addr()) })
	}
	return len(networks) > 0 && !slices.ContainsFunc(networks, func(text string) bool { return !covered(text) })
}
