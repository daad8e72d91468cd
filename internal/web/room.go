package web

import (
	"maps"

	"terrier/internal/store"
)

// Room is a part of the site with pages of its own, besides those that every type has.
type Room struct {
	Routes   func() []Route
	Types    map[string]OwnPages // by the key of a type: what its derived pages show besides
	Nav      []NavPage
	NoWorker func(*Visit) bool // reports whether jobs wait for a worker and the caller should know; nil where there are no jobs
}

// NavPage is a page that the navigation names beside the types, for those who may see a type.
type NavPage struct {
	Section, Label string
	Path           string
	Type           string

	links navLinks
}

// ownPages lists the types that have some.
func (s *Site) ownPages() map[string]OwnPages {
	own := map[string]OwnPages{store.ChangeType: s.changePages()}
	for _, room := range s.Rooms {
		maps.Copy(own, room.Types)
	}
	return own
}
