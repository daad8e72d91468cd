package web

import (
	"maps"
	"time"

	"terrier/internal/store"
)

// Room is a part of the site that adds pages to those that every type has.
type Room struct {
	Routes   func() []Route
	Types    map[string]OwnPages // by the key of a type: what is added to its derived pages
	Nav      []NavPage
	Cards    []Card                // of the home page
	Ailing   func(*Visit) []Ailing // lists the webhooks that are failing or held and that the caller may see; nil for none
	NoWorker func(*Visit) bool     // reports whether to tell the caller that jobs wait for a worker; nil if there are no jobs
}

// Ailing is a webhook that is failing or held, as the menu and its card show it.
type Ailing struct {
	Name, Href, State, Reason string
	Since                     time.Time
}

// NavPage is a page in the navigation besides the types. It is shown to callers who may see a type, or to superusers alone.
type NavPage struct {
	Section, Label string
	Path           string
	Type           string
	Superuser      bool

	links navLinks
}

// ownPages returns the OwnPages of all rooms, by type.
func (s *Site) ownPages() map[string]OwnPages {
	own := map[string]OwnPages{store.ChangeType: s.changePages()}
	for _, room := range s.Rooms {
		maps.Copy(own, room.Types)
	}
	return own
}
