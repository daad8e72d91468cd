// Package accountpages owns the pages about the caller's own account: login, profile, password and API tokens. It also makes the pages
// of all tokens show a new key once.
package accountpages

import (
	"embed"

	"terrier/internal/account"
	"terrier/internal/web"
)

// Templates are the pages of this room.
//
//go:embed templates/*.html
var Templates embed.FS

type room struct {
	site     *web.Site
	logins   *account.Login
	sessions *account.Sessions
	proxies  account.Proxies
}

// New returns the pages about accounts, as a part of a site.
func New(site *web.Site, logins *account.Login, sessions *account.Sessions, proxies account.Proxies) web.Room {
	a := &room{site: site, logins: logins, sessions: sessions, proxies: proxies}
	return web.Room{Routes: a.routes, Types: map[string]web.OwnPages{tokenType: a.tokenPages()}}
}
