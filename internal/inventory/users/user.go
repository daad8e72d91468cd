package users

import (
	"regexp"
	"slices"
	"strings"

	"terrier/internal/record"
)

// User is an account.
var User = record.Type{
	App: "users", Name: "user", Plural: "users", Sensitive: true, Section: "Administration",
	Doc:     "An account that a person or a program uses.",
	Columns: []string{"first_name", "last_name", "email", "is_active", "is_superuser", "manage_tokens", "groups"},
	Groups: []record.Group{
		{Name: "Account", Fields: []string{"username", "password"}},
		{Name: "Person", Fields: []string{"first_name", "last_name", "email"}},
		{Name: "Rights", Fields: []string{"is_active", "manage_tokens", "is_superuser", "is_staff", "groups"}},
	},
	Fields: record.Fields{
		record.Text{Name: "username", Max: 150, Required: true, Sort: record.Natural, Unique: true, Match: regexp.MustCompile(`^[\w.@+-]+$`),
			MatchHelp: "Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters."},
		record.Secret{Name: "password", Seal: record.Password, Required: true,
			Help: "At least 8 characters, and not one of the most common passwords. A new password ends the user's sessions."},
		record.Text{Name: "first_name", Max: 150},
		record.Text{Name: "last_name", Max: 150},
		record.Text{Name: "email", Max: 254, Match: regexp.MustCompile(`^[^@\s]+@[^@\s]+$`), MatchHelp: "Enter a valid email address."},
		record.Bool{Name: "is_staff", Label: "Staff", Help: "It grants nothing. It is kept for clients that read it."},
		record.Bool{Name: "is_active", Label: "Active", Default: true, Help: "An inactive account can't log in, and its tokens stop working."},
		record.Bool{Name: "is_superuser", Label: "Superuser", Help: "May do everything. Only a superuser can set it."},
		record.Bool{Name: "manage_tokens", Default: true,
			Help: "May create and change their own API tokens. Without it, existing tokens keep working."},
		record.Refs{Name: "groups", To: "users.group", Help: "They have the permissions of their groups too."},
		record.Int{Name: "epoch", ReadOnly: true, Hidden: true},
	},
	Filters: []record.Filter{{Name: "password", Ignored: true, Secret: true}}, // clients send all that they know of an account
	Brief:   []string{"username"},
	Order:   []string{"username"},
	Search:  []string{"username", "first_name", "last_name", "email"},
	Special: record.Special{Elevated: "is_superuser", Audited: userEvents},
	Derive: func(before, after record.Values) {
		// Sessions carry the epoch they were started in, so raising it ends them.
		deactivated := before.Bool("is_active") && !after.Bool("is_active")
		newPassword := before.Get("password") != after.Get("password")
		if deactivated || newPassword {
			after.Set("epoch", before.Int("epoch")+1)
		}
	},
}

// userEvents returns the events of a change to a user. First and last name identify and grant nothing.
func userEvents(before, after record.Values) (events []record.Audited) {
	created, deleted := before.ID() == 0, after.ID() == 0
	rights := []string{"is_superuser", "groups"}
	switch {
	case created:
		events = append(events, record.Audited{Event: "user_created"})
	case deleted:
		events = append(events, record.Audited{Event: "user_deleted"})
	default:
		rights = []string{"is_superuser", "is_active", "manage_tokens", "groups"}
		if !before.Same(after, "username") {
			events = append(events, record.Audited{Event: "user_renamed", Detail: "was " + before.Text("username")})
		}
		if before.Get("password") != after.Get("password") {
			events = append(events, record.Audited{Event: "password_changed"})
		}
		if changed := differing(before, after, "email", "is_staff"); len(changed) > 0 {
			events = append(events, record.Audited{Event: "user_changed", Detail: strings.Join(changed, ", ")})
		}
	}
	if changed := differing(before, after, rights...); len(changed) > 0 {
		events = append(events, record.Audited{Event: "permission_changed", Detail: strings.Join(changed, ", ")})
	}
	return events
}

// differing says which of some fields differ between two states of a user, and how.
func differing(before, after record.Values, names ...string) (changed []string) {
	for _, name := range names {
		switch value := after.Get(name).(type) {
		case bool:
			if before.Bool(name) != value {
				changed = append(changed, name+map[bool]string{true: " on", false: " off"}[value])
			}
		default:
			sameID := func(a, b record.Link) bool { return a.ID == b.ID }
			if name == "groups" && !slices.EqualFunc(before.Links(name), after.Links(name), sameID) || name == "email" && !before.Same(after, name) {
				changed = append(changed, name)
			}
		}
	}
	return changed
}
