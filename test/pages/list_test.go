package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/internal/web/assets"
	"terrier/test/apitest"
)

// TestRowMenus: the menu of a row has what the caller may do with this record, and a list that offers nothing has no menus.
func TestRowMenus(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for i := range 2 {
		create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprint("Site ", i), "slug": fmt.Sprint("site-", i)})
	}
	view := apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}}
	s.User(t, "reader", view)
	s.User(t, "auditor", view, apitest.Grant{Types: []string{"extras.objectchange"}, Actions: []string{"view"}})
	s.User(t, "mixed", view, apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"change"}, Constraints: obj{"name": "Site 1"}},
		apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"delete"}, Constraints: obj{"name": "Site 0"}})
	for user, want := range map[string][2]string{
		"admin":   {"edit delete changelog", "edit delete changelog"},
		"reader":  {},
		"auditor": {"changelog", "changelog"},
		"mixed":   {"delete", "edit"},
	} {
		page := string(login(t, s, user).get(t, "/dcim/sites/").Want(t, http.StatusOK).Raw)
		for i, offered := range want {
			var got []string
			for _, what := range []string{"edit", "delete", "changelog"} {
				if strings.Contains(page, fmt.Sprintf(`href="/dcim/sites/%d/%s/"`, i+1, what)) {
					got = append(got, what)
				}
			}
			if strings.Join(got, " ") != offered {
				t.Errorf("%s is offered %q for site %d, want %q", user, got, i+1, offered)
			}
		}
		if has := strings.Contains(page, "row-menu"); has != (want[0] != "") {
			t.Errorf("%s has menus: %v", user, has)
		}
	}
}

// TestRowMenusOfUsers: only a superuser is offered to edit a superuser.
func TestRowMenusOfUsers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.User(t, "manager", apitest.Grant{Types: []string{"users.user"}, Actions: []string{"view", "change"}})
	page := login(t, s, "manager").get(t, "/users/users/").Want(t, http.StatusOK)
	shows(t, page, `aria-label="Actions for manager"`)
	hides(t, page, `aria-label="Actions for admin"`)
	shows(t, login(t, s, "admin").get(t, "/users/users/").Want(t, http.StatusOK), `aria-label="Actions for admin"`)
}

// TestLongTexts: a list shows the beginning of a long text, which can get the focus; a short one can't.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	long := strings.Repeat("long ", 20) + "end"
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "description": long})
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 2", "slug": "lis2", "description": "short"})
	page := login(t, s, "admin").get(t, "/dcim/sites/").Want(t, http.StatusOK)
	shows(t, page, `<span class="cut" tabindex="0" title="`+long+`">`+long+`</span>`, `data-label="Description">short</td>`)
}

// TestTheme: a theme is chosen without JavaScript too, also that of the system, and the page says which one it is.
func TestTheme(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for theme, want := range map[string]string{"dark": "terrier_theme=dark", "light": "terrier_theme=light", "": "terrier_theme=;"} {
		a := b.post(t, "/theme/", url.Values{"theme": {theme}, "next": {"/dcim/sites/"}}).Want(t, http.StatusSeeOther)
		if got := a.Header.Get("Set-Cookie"); !strings.HasPrefix(got+";", want) || a.Header.Get("Location") != "/dcim/sites/" {
			t.Errorf("theme %q: %s, to %s", theme, got, a.Header.Get("Location"))
		}
		page := browser{s, b.cookie + "; terrier_theme=" + theme}.get(t, "/").Want(t, http.StatusOK)
		shows(t, page, fmt.Sprintf(`name="theme" value="%s" aria-pressed="true"`, theme))
		if n := strings.Count(string(page.Raw), `aria-pressed="true"`); n != 1 {
			t.Errorf("theme %q: %d are chosen", theme, n)
		}
	}
}

// TestSectionsHaveIcons: a new section of the menu needs an icon in internal/web/assets/bundle.
func TestSectionsHaveIcons(t *testing.T) {
	t.Parallel()
	files := assets.New()
	if !files.Bundled() {
		t.Skip("the files of others are not built in: run `make assets`")
	}
	s := apitest.New(t)
	for _, typ := range s.App.Registry.Types() {
		if name := "section-" + strings.ReplaceAll(strings.ToLower(typ.Section), " ", "-"); files.Icon(name) == "" {
			t.Errorf("there is no %s", name)
		}
	}
}
