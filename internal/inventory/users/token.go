package users

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"terrier/internal/record"
)

// Token is a key that a program sends instead of a password.
var Token = record.Type{
	App: "users", Name: "token", Plural: "tokens", Sensitive: true, Section: "Administration",
	Rights: []string{"grant"}, Special: record.Special{Owner: "user", MaxOwned: 1000, Expiry: "expires", Audited: tokenEvents,
		Limited: &record.Limited{Expires: "expires", Networks: "allowed_ips", Writes: "write_enabled"}},
	Doc:     "A key for the API. It may do what its user may do, or only read.",
	Columns: []string{"description", "write_enabled", "expires", "allowed_ips", "last_used", "created"},
	Groups: []record.Group{
		{Name: "Token", Fields: []string{"user", "description", "write_enabled", "expires", "allowed_ips"}},
		{Name: "Key", Fields: []string{"key"}},
	},
	Fields: record.Fields{
		record.Ref{Name: "user", To: "users.user", Required: true, OnDelete: record.Cascade},
		record.Time{Name: "expires", Null: true, Help: "When the token stops working; blank for never."},
		record.Secret{Name: "key", Seal: record.TokenKey, Hint: "key_hint",
			Help: "40 hexadecimal characters. Leave it out to get a random key. It is shown once, in the response that creates the token."},
		record.Text{Name: "key_hint", ReadOnly: true, Hidden: true},
		record.Bool{Name: "write_enabled", Default: true, Help: "Otherwise the token can only read."},
		record.Text{Name: "description", Max: 200},
		record.List{Name: "allowed_ips", Label: "Allowed addresses",
			Help: "Addresses or networks that the token may be used from, such as 10.0.0.0/8; blank for anywhere.", Item: network},
		record.Noted{Name: "last_used", Table: "users_token_use", By: "token_id"},
	},
	Filters: []record.Filter{{Name: "key", Field: "key", Secret: true}},

	Order:  []string{"id"},
	Search: []string{"description"},
	Display: func(r record.Reader) string {
		user := ""
		if l := r.Link("user"); len(l.Brief) > 0 {
			user, _ = l.Brief[0].(string)
		}
		return r.Text("key_hint") + " (" + user + ")"
	},
}

// tokenEvents returns the events of a change to a token. The description grants nothing; the key can't be changed.
func tokenEvents(before, after record.Values) []record.Audited {
	switch {
	case before.ID() == 0:
		return []record.Audited{{Event: "token_created", Detail: limitsOf(after)}}
	case after.ID() == 0:
		return []record.Audited{{Event: "token_deleted"}}
	}
	changed := slices.DeleteFunc(before.Differing(after), func(name string) bool { return name == "key" || name == "description" })
	if len(changed) == 0 {
		return nil
	}
	return []record.Audited{{Event: "token_changed", Detail: strings.Join(changed, ", ")}}
}

// limitsOf says how a new token is limited.
func limitsOf(token record.Values) string {
	var limits []string
	if end, ok := token.Get("expires").(time.Time); ok {
		limits = append(limits, "ends "+end.UTC().Format(time.RFC3339))
	}
	if len(token.List("allowed_ips")) > 0 {
		limits = append(limits, "limited addresses")
	}
	if !token.Bool("write_enabled") {
		limits = append(limits, "read-only")
	}
	return strings.Join(limits, ", ")
}

func network(s string) (string, error) {
	if addr, err := netip.ParseAddr(s); err == nil {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()).String(), nil
	}
	p, err := netip.ParsePrefix(s)
	if p.Addr().Is4In6() { // callers are known by the address inside; with fewer bits than it has, this is invalid
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	if err != nil || !p.IsValid() {
		return "", record.Invalid("%q is not an address or a network such as 10.0.0.0/8.", s)
	}
	return p.Masked().String(), nil
}
