package users

import (
	"regexp"
	"slices"

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
	Brief:   []string{"username"},
	Order:   []string{"username"},
	Search:  []string{"username", "first_name", "last_name", "email"},
	Special: record.Special{Elevated: "is_superuser", Audited: userEvent},
	Derive: func(before, after record.Values) {
		// Sessions carry the epoch they were started in, so raising it ends them.
		deactivated := before.Bool("is_active") && !after.Bool("is_active")
		newPassword := before.Get("password") != after.Get("password")
		if deactivated || newPassword {
			after.Set("epoch", before.Int("epoch")+1)
		}
	},
}

// userEvent returns which event of the audit log a change to a user is: one that changes what the user may do.
func userEvent(before, after record.Values) string {
	flags := []string{"is_superuser"}
	if before.ID() != 0 && after.ID() != 0 {
		flags = append(flags, "is_active", "manage_tokens")
	}
	for _, name := range flags {
		if before.Bool(name) != after.Bool(name) {
			return "permission_changed"
		}
	}
	sameID := func(a, b record.Link) bool { return a.ID == b.ID }
	if !slices.EqualFunc(before.Links("groups"), after.Links("groups"), sameID) {
		return "permission_changed"
	}
	return ""
}
