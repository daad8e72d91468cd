package web

import (
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// frame is what stands around every page.
type frame struct {
	page
	Sections []section
	User     string // "" for nobody
	Theme    string // light, dark, or "" for what the browser prefers
	Note     string
	NoWorker bool // somebody should start one
	Search   string
	Path     string
	Version  string
}

// section is a part of the navigation.
type section struct {
	Name  string
	Links template.HTML
}

// navLink is a line of the navigation.
type navLink struct {
	Label   string
	Path    string // without its first slash, as in a row
	CanAdd  bool
	Current bool
}

// navLinks are the forms of a line of the navigation, made once: with a hundred types, making them for each page would cost more than most pages.
type navLinks [4]string

func (s *Site) newNavLinks(label, path string) (made navLinks, err error) {
	for i := range made {
		link := navLink{Label: label, Path: unslashed(path), CanAdd: i&1 != 0, Current: i&2 != 0}
		if made[i], err = s.made("navlink", link); err != nil {
			return made, err
		}
	}
	return made, nil
}

// made is a part of a page, made before there is one.
func (s *Site) made(part string, data any) (string, error) {
	var b strings.Builder
	err := s.templates.ExecuteTemplate(&b, part, data)
	return b.String(), err
}

func (l *navLinks) of(canAdd, current bool) string {
	i := 0
	if canAdd {
		i |= 1
	}
	if current {
		i |= 2
	}
	return l[i]
}

func (v *visit) frame(p page) frame {
	f := frame{page: p, User: v.caller.Username, Theme: v.cookie(themeCookie), Note: v.note(), Path: v.r.URL.Path,
		Search: v.r.URL.Query().Get("q"), Version: v.site.Version}
	if f.Theme != "dark" && f.Theme != "light" {
		f.Theme = ""
	}
	f.Sections = v.sections()
	if !v.caller.Anonymous() {
		f.NoWorker = v.site.noWorker(v)
	}
	return f
}

// sections lists the pages that the caller may see, in the order in which their types are
// registered.
func (v *visit) sections() []section {
	var names []string
	lines := map[string][]byte{}
	add := func(name, line string) {
		if _, known := lines[name]; !known {
			names = append(names, name)
		}
		lines[name] = append(lines[name], line...)
	}
	for _, t := range v.site.Registry.Types() {
		if !v.may(t, access.View) || t.Owner != "" && !v.granted(t) {
			continue // what is merely their own stands under their name
		}
		p := v.site.pages(t)
		add(t.Section, p.nav.of(v.may(t, access.Add), strings.HasPrefix(v.r.URL.Path, p.path)))
	}
	if v.may(v.site.Registry.Type(store.WebhookType), access.View) {
		add("System", v.site.tasksNav.of(false, strings.HasPrefix(v.r.URL.Path, tasksPath)))
	}
	sections := make([]section, len(names))
	for i, name := range names {
		sections[i] = section{name, template.HTML(lines[name])} // each line was made by a template
	}
	return sections
}

// granted tells whether somebody gave the caller rights on a type, besides what everybody has.
func (v *visit) granted(t *record.Type) bool {
	return v.caller.Superuser || slices.ContainsFunc(v.caller.Grants, func(g access.Grant) bool { return slices.Contains(g.Types, t.Key()) })
}

// workersSeen remembers for a moment whether a worker takes jobs: every page wants to know.
type workersSeen struct {
	mu     sync.Mutex
	at     time.Time
	taking bool
}

const workersFor = 5 * time.Second

// noWorker tells whether webhooks wait for a worker, to those who may see them.
func (s *Site) noWorker(v *visit) bool {
	if s.Ledger.Allow(v.caller, s.Registry.Type(store.WebhookType), access.View) != nil {
		return false
	}
	s.workers.mu.Lock()
	defer s.workers.mu.Unlock()
	if now := s.Now(); now.Sub(s.workers.at) > workersFor {
		found, err := s.Webhooks.Workers(v.ctx, v.caller)
		if err != nil {
			return false // the page itself says what is wrong
		}
		s.workers.at, s.workers.taking = now, slices.ContainsFunc(found, func(w store.Worker) bool { return !w.ClockWrong })
	}
	return !s.workers.taking
}

// setTheme remembers how pages shall look.
func (s *Site) setTheme(v *visit) error {
	theme := v.r.PostFormValue("theme")
	if theme != "dark" && theme != "light" {
		v.setCookie(themeCookie, "", -1)
	} else {
		v.setCookie(themeCookie, theme, int((365 * 24 * time.Hour).Seconds()))
	}
	http.Redirect(v.w, v.r, local(v.r.PostFormValue("next"), "/"), http.StatusSeeOther)
	return nil
}

// may tells whether the caller may do something with some record of a type.
func (v *visit) may(t *record.Type, action string) bool {
	if v.caller.Superuser { // which takes no longer to ask than to look up
		return v.site.Ledger.Allow(v.caller, t, action) == nil
	}
	asked := allowance{t, action}
	allowed, known := v.allowed[asked]
	if !known {
		if v.allowed == nil {
			v.allowed = map[allowance]bool{}
		}
		allowed = v.site.Ledger.Allow(v.caller, t, action) == nil
		v.allowed[asked] = allowed
	}
	return allowed
}

// allowance is something that the caller may do or not.
type allowance struct {
	t      *record.Type
	action string
}
