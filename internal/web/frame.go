package web

import (
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
)

// frame is what surrounds every page.
type frame struct {
	Page
	Sections []section
	Folds    bool   // there are so many sections that they are folded, and can be searched
	User     string // "" for nobody
	Theme    string // light, dark, or "" for what the browser prefers
	Note     note
	NoWorker bool     // no worker runs, and the caller should know
	Ailing   []Ailing // webhooks that are failing or held
	Search   string
	Path     string
	Version  string
	Now      int64 // in milliseconds, for times.js: the clock of the browser may be wrong
}

// section is a part of the navigation.
type section struct {
	Name  string
	Key   string // its name in the cookie: "device-types"
	Open  bool
	Links template.HTML
}

// mostUnfolded is how many lines the navigation shows unfolded. With more, only the current section is open at first.
const mostUnfolded = 12

// navLink is a line of the navigation.
type navLink struct {
	Label   string
	Path    string // without its first slash, as in a row
	CanAdd  bool
	Current bool
}

// navLinks are the variants of a line of the navigation, rendered once. With a hundred types, rendering them for each page would cost
// more than most pages.
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

// made returns a part of a page, rendered in advance.
func (s *Site) made(part string, data any) (string, error) {
	var b strings.Builder
	err := s.Templates.ExecuteTemplate(&b, part, data)
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

func (v *Visit) frame(p Page) frame {
	f := frame{Page: p, User: v.Caller.Username, Theme: v.Cookie(themeCookie), Note: v.note(), Path: v.R.URL.Path,
		Search: v.R.URL.Query().Get("q"), Version: v.Site.Version,
		Now: v.Site.Now().UnixMilli()}
	if f.Theme != "dark" && f.Theme != "light" {
		f.Theme = ""
	}
	f.Sections, f.Folds = v.sections()
	if !v.Caller.Anonymous() {
		f.NoWorker = slices.ContainsFunc(v.Site.Rooms, func(room Room) bool { return room.NoWorker != nil && room.NoWorker(v) })
	}
	f.Ailing = v.ailing()
	return f
}

// ailing returns the webhooks that are failing or held and that the caller may see.
func (v *Visit) ailing() (found []Ailing) {
	for _, room := range v.Site.Rooms {
		if room.Ailing != nil && !v.Caller.Anonymous() {
			found = append(found, room.Ailing(v)...)
		}
	}
	return found
}

// sections returns the navigation: the pages that the caller may see, in the order in which their types are registered. The second result
// reports whether it is folded at first.
func (v *Visit) sections() (sections []section, folds bool) {
	var lines int
	links := map[string][]byte{}
	current := map[string]bool{}
	add := func(name string, made *navLinks, path string, canAdd bool) {
		if _, known := links[name]; !known {
			sections = append(sections, section{Name: name, Key: strings.ReplaceAll(strings.ToLower(name), " ", "-")})
		}
		here := strings.HasPrefix(v.R.URL.Path, path)
		links[name] = append(links[name], made.of(canAdd, here)...)
		current[name] = current[name] || here
		lines++
	}
	for _, t := range v.Site.Registry.Types() {
		if !v.May(t, access.View) || t.Owner != "" && !v.granted(t) {
			continue // records that are only the caller's own are in the user menu
		}
		p := v.Site.Pages(t)
		add(t.Section, &p.nav, p.Path, v.May(t, access.Add))
	}
	for _, room := range v.Site.Rooms {
		for i, nav := range room.Nav {
			if v.Caller.Superuser && nav.Superuser || !nav.Superuser && v.May(v.Site.Registry.Type(nav.Type), access.View) {
				add(nav.Section, &room.Nav[i].links, nav.Path, false)
			}
		}
	}
	folds = lines > mostUnfolded
	chosen := v.unfolded()
	for i, s := range sections {
		open, known := chosen[s.Key]
		sections[i].Open = current[s.Name] || known && open || !known && !folds
		sections[i].Links = template.HTML(links[s.Name]) // each line was made by a template
	}
	return sections, folds
}

// unfolded returns which sections of the navigation the caller opened or closed. The script of the pages writes this cookie: the keys of
// the sections, separated by dots, with a "!" before those that are closed.
func (v *Visit) unfolded() map[string]bool {
	chosen := map[string]bool{}
	for word := range strings.SplitSeq(v.Cookie(navCookie), ".") {
		key, closed := strings.CutPrefix(word, "!")
		chosen[key] = !closed
	}
	return chosen
}

// granted reports whether the caller was given rights on a type, besides those that everybody has.
func (v *Visit) granted(t *record.Type) bool {
	return v.Caller.Superuser || slices.ContainsFunc(v.Caller.Grants, func(g access.Grant) bool { return slices.Contains(g.Types, t.Key()) })
}

// setTheme stores the chosen theme in a cookie.
func (s *Site) setTheme(v *Visit) error {
	theme := v.R.PostFormValue("theme")
	if theme != "dark" && theme != "light" {
		v.setCookie(themeCookie, "", -1)
	} else {
		v.setCookie(themeCookie, theme, int((365 * 24 * time.Hour).Seconds()))
	}
	http.Redirect(v.W, v.R, Local(v.R.PostFormValue("next"), "/"), http.StatusSeeOther)
	return nil
}

// May reports whether the caller may do something with some record of a type.
func (v *Visit) May(t *record.Type, action string) bool {
	if v.Caller.Superuser { // checking is as fast as a lookup
		return v.Site.Ledger.Allow(v.Caller, t, action) == nil
	}
	asked := allowance{t, action}
	allowed, known := v.allowed[asked]
	if !known {
		if v.allowed == nil {
			v.allowed = map[allowance]bool{}
		}
		allowed = v.Site.Ledger.Allow(v.Caller, t, action) == nil
		v.allowed[asked] = allowed
	}
	return allowed
}

// allowance is the key of something that the caller may or may not do.
type allowance struct {
	t      *record.Type
	action string
}
