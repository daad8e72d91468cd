package pages_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// sendFiles sends a form with files.
func (b browser) sendFiles(t *testing.T, path string, texts map[string]string, files ...apitest.FilePart) apitest.Answer {
	t.Helper()
	c := apitest.Call{Method: http.MethodPost, Path: path, Header: map[string]string{"Accept": "text/html,*/*;q=0.8", "Cookie": b.cookie}}
	return b.s.Do(t, apitest.Upload(t, c, texts, files...))
}

var thumbnail = regexp.MustCompile(
	`<a href="(/media/[^"]+)"><img class="thumbnail" src="([^"]+)" width="160" height="120" loading="lazy" alt="([^"]+)"></a>`)

// TestImagesTab adds a picture from the tab of a site, and shows it there, in the list and on its own page.
func TestImagesTab(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon", "slug": "lisbon"})
	tab := fmt.Sprintf("/dcim/sites/%d/images/", site)
	add := fmt.Sprintf("/extras/image-attachments/add/?content_type=dcim.site&amp;next=%s&amp;object_id=%d",
		strings.ReplaceAll(tab, "/", "%2F"), site)
	shows(t, b.get(t, tab).Want(t, http.StatusOK), add)
	form := b.get(t, strings.ReplaceAll(add, "&amp;", "&")).Want(t, http.StatusOK)
	shows(t, form, `enctype="multipart/form-data"`, `type="file" name="image"`, `accept="image/png,`, `value="dcim.site" selected`,
		fmt.Sprintf(`name="object_id" id="id_object_id" value="%d"`, site))

	typed := map[string]string{"content_type": "dcim.site", "object_id": fmt.Sprint(site), "name": "Door"}
	picture := apitest.FilePart{Field: "image", Name: "door.png", Content: apitest.PNG(t, 4, 3, 1)}
	b.sendFiles(t, strings.ReplaceAll(add, "&amp;", "&"), typed, picture).Want(t, http.StatusSeeOther)
	shown := b.get(t, tab).Want(t, http.StatusOK)
	found := thumbnail.FindStringSubmatch(string(shown.Raw))
	if len(found) < 4 || found[1] != found[2] || found[3] != fmt.Sprintf("site_%d_Door.png", site) {
		t.Fatalf("the tab shows no picture: %q", found)
	}
	if a := b.get(t, found[1]).Want(t, http.StatusOK); a.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the picture is %s", a.Header.Get("Content-Type"))
	}
	for _, page := range []string{"/extras/image-attachments/", "/extras/image-attachments/1/", "/extras/image-attachments/1/edit/"} {
		shows(t, b.get(t, page).Want(t, http.StatusOK), found[0])
	}
	shows(t, b.get(t, fmt.Sprintf("/dcim/sites/%d/", site)).Want(t, http.StatusOK), tab)

	a := b.sendFiles(t, "/extras/image-attachments/add/", typed).Want(t, http.StatusBadRequest)
	shows(t, a, "This field is required.")
	typed["object_id"] = "999999"
	a = b.sendFiles(t, "/extras/image-attachments/add/", typed, picture).Want(t, http.StatusBadRequest)
	shows(t, a, "Select the file again")
	a = b.sendFiles(t, "/extras/image-attachments/add/", typed, apitest.FilePart{Field: "image", Name: "x.png", Content: []byte("<svg/>")})
	shows(t, a.Want(t, http.StatusBadRequest), "This file is not a picture.")
}

// TestImageForm keeps the present picture, replaces it, or removes it.
func TestImageForm(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Acme", "slug": "acme"})
	id := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "X", "slug": "x", "front_image": apitest.DataURL(t, 1)})
	page, api := fmt.Sprintf("/dcim/device-types/%d/", id), fmt.Sprintf("/api/dcim/device-types/%d/", id)
	read := func() obj {
		return s.Do(t, apitest.Call{Method: "GET", Path: api, Token: s.Admin}).Want(t, http.StatusOK).Object(t)
	}
	// send posts the form as it is shown, with some values and files.
	send := func(with map[string]string, files ...apitest.FilePart) apitest.Answer {
		form := b.get(t, page+"edit/").Want(t, http.StatusOK).Form(t)
		texts := map[string]string{}
		for name := range form {
			if !strings.HasSuffix(name, "_image") { // a browser sends no file that nobody has chosen
				texts[name] = form.Get(name)
			}
		}
		for name, text := range with {
			texts[name] = text
		}
		return b.sendFiles(t, page+"edit/", texts, files...)
	}
	first := read()["front_image"]
	shows(t, b.get(t, page).Want(t, http.StatusOK), strings.TrimPrefix(first.(string), s.URL))
	form := b.get(t, page+"edit/")
	shows(t, form, strings.TrimPrefix(first.(string), s.URL), `name="front_image__clear"`)
	hides(t, form, `name="rear_image__clear"`)

	send(nil).Want(t, http.StatusSeeOther)
	send(map[string]string{"description": "said"}).Want(t, http.StatusSeeOther)
	if got := read(); got["front_image"] != first || got["description"] != "said" || got["rear_image"] != nil {
		t.Errorf("the picture did not stay: %v", got)
	}
	send(nil, apitest.FilePart{Field: "front_image", Name: "front.png", Content: apitest.PNG(t, 5, 5, 2)},
		apitest.FilePart{Field: "rear_image", Name: "rear.png", Content: apitest.PNG(t, 5, 5, 3)}).Want(t, http.StatusSeeOther)
	second := read()
	if second["front_image"] == first || second["rear_image"] == nil {
		t.Errorf("the pictures are %v", second)
	}
	send(map[string]string{"front_image__clear": "true"}).Want(t, http.StatusSeeOther)
	if got := read(); got["front_image"] != nil || got["rear_image"] != second["rear_image"] {
		t.Errorf("after one was removed: %v", got)
	}

	// Restoring an earlier version leaves files as they are.
	var changes []int64
	rows, err := s.DB.Query(t.Context(), "SELECT id FROM extras_objectchange WHERE object_type = 'dcim.devicetype' ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var change int64
		if err := rows.Scan(&change); err != nil {
			t.Fatal(err)
		}
		changes = append(changes, change)
	}
	earlier := b.get(t, fmt.Sprintf("%srestore/?change=%d", page, changes[0])).Want(t, http.StatusOK)
	shows(t, earlier, "Front image stays: a file is deleted when it is replaced or removed, so the earlier one is gone.")
	shows(t, b.get(t, fmt.Sprintf("%srestore/?change=%d", page, changes[len(changes)-1])).Want(t, http.StatusOK), "has these values already")

	hides(t, b.post(t, "/dcim/device-types/edit/", map[string][]string{"id": {fmt.Sprint(id)}}), "to.front_image")
	csv := b.get(t, "/dcim/device-types/export/?format=csv").Want(t, http.StatusOK)
	shows(t, csv, read()["rear_image"].(string))
	imported := "manufacturer,model,slug,rear_image\nacme,Y,y,https://elsewhere.example/x.png\n"
	refused := b.sendFiles(t, "/dcim/device-types/import/", map[string]string{"text": imported, "format": "csv"})
	shows(t, refused, "not a file")
	shows(t, b.get(t, "/dcim/device-types/import/"), "A new file is a data URL")
}
