// Package healthpages owns the page System › Health: what `terrier doctor` finds, for superusers.
package healthpages

import (
	"context"
	"embed"
	"time"

	"terrier/internal/doctor"
	"terrier/internal/web"
)

// Templates are the pages of this room.
//
//go:embed templates/*.html
var Templates embed.FS

// Examine runs the checks, those of other hosts only where outside is set. Callers within some seconds may share a run.
type Examine func(ctx context.Context, outside bool) (doctor.Report, error)

const healthPath = "/system/health/"

type room struct {
	site    *web.Site
	examine Examine
}

// New returns the page, as a part of a site.
func New(site *web.Site, examine Examine) web.Room {
	h := &room{site: site, examine: examine}
	return web.Room{
		Routes: func() []web.Route {
			return []web.Route{
				{Method: "GET", Path: healthPath + "{$}", Superuser: true, Handle: h.show(false)},
				{Method: "POST", Path: healthPath + "{$}", Superuser: true, Handle: h.show(true)}, // it connects to the receivers of webhooks
			}
		},
		Nav: []web.NavPage{{Section: "System", Label: "Health", Path: healthPath, Superuser: true}},
	}
}

// healthPage shows a report.
type healthPage struct {
	Path    string
	Outside bool // other hosts were visited
	Summary string
	At      time.Time
	Groups  []group
}

type group struct {
	Name, Title string
	Lines       []line
}

type line struct {
	Name, ID    string
	State, Word string // how it is coloured, and called
	Seen        string
	Remedy      string
	Page        string
}

// The words and colours of an outcome.
var words = map[doctor.Status][2]string{
	doctor.OK: {"successful", "OK"}, doctor.Warn: {"queued", "Warning"}, doctor.Fail: {"failed", "Failed"},
	doctor.Skip: {"skipped", "Skipped"},
}

func (h *room) show(outside bool) func(*web.Visit) error {
	return func(v *web.Visit) error {
		report, err := h.examine(v.Ctx, outside)
		if err != nil {
			return err
		}
		p := &healthPage{Path: healthPath, Outside: outside, Summary: report.Summary(), At: report.At}
		for _, r := range report.Results {
			if n := len(p.Groups); n == 0 || p.Groups[n-1].Name != r.Group {
				p.Groups = append(p.Groups, group{Name: r.Group, Title: web.Capital(r.Group)})
			}
			g := &p.Groups[len(p.Groups)-1]
			g.Lines = append(g.Lines, line{r.Name, r.Group + "-" + r.Name, words[r.Status][0], words[r.Status][1], r.Seen, r.Remedy, r.Page})
		}
		return v.Show(web.Page{Name: "health", Title: "Health", Crumbs: []web.Crumb{{Label: "System"}}, Body: p})
	}
}
