package api_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"path"
	"strings"
	"testing"

	"terrier/internal/record"
	"terrier/test/apitest"
)

const images = "/api/extras/image-attachments/"

// attach sends a picture of a record as a form.
func (a actor) attach(t *testing.T, of string, id int64, texts map[string]string, file apitest.FilePart) apitest.Answer {
	t.Helper()
	all := map[string]string{"content_type": of, "object_id": fmt.Sprint(id)}
	for name, text := range texts {
		all[name] = text
	}
	file.Field = "image"
	if file.Content == nil {
		file.Content = apitest.PNG(t, 3, 2, 1)
	}
	return a.s.Do(t, apitest.Upload(t, apitest.Call{Method: "POST", Path: images, Token: a.key}, all, file))
}

// file asks for a file by its address.
func (a actor) file(t *testing.T, address any) apitest.Answer {
	t.Helper()
	return a.get(t, local(t, a.s, new(address.(string))))
}

// kept returns how many files there are for a record.
func (a actor) kept(t *testing.T, of string, id int64) (n int) {
	t.Helper()
	err := a.s.DB.QueryRow(t.Context(), "SELECT count(*) FROM record_file WHERE object_type = $1 AND object_id = $2", of, id).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func imageRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			site := h.made(t, "site", "name", "Lisbon")
			id := apitest.ID(site)
			got := h.attach(t, "dcim.site", id, nil, apitest.FilePart{Name: "front.png"}).Want(t, http.StatusCreated).Object(t)
			want(t, "content_type", got["content_type"], any("dcim.site"))
			want(t, "object_id", got["object_id"], any(float64(id)))
			wantKeys(t, "parent", got["parent"], "id", "url", "display", "name", "slug")
			want(t, "image_width", got["image_width"], any(3.0))
			want(t, "image_height", got["image_height"], any(2.0))
			h.file(t, got["image"]).Want(t, http.StatusOK)
		},
		2: func(t *testing.T, h *hardware) {
			size := map[string]string{"image_height": "99", "image_width": "99"}
			got := h.attach(t, "dcim.site", h.make(t, "site"), size, apitest.FilePart{Name: "a.png"}).Want(t, http.StatusCreated).Object(t)
			want(t, "image_height", got["image_height"], any(2.0))
			larger := apitest.Upload(t, apitest.Call{Method: "PATCH", Path: at(images, apitest.ID(got)), Token: h.actor.key}, size,
				apitest.FilePart{Field: "image", Name: "b.png", Content: apitest.PNG(t, 5, 7, 1)})
			got = h.s.Do(t, larger).Want(t, http.StatusOK).Object(t)
			want(t, "image_height", got["image_height"], any(7.0))
			want(t, "image_width", got["image_width"], any(5.0))
		},
		3: func(t *testing.T, h *hardware) {
			errs := h.attach(t, "dcim.site", 999999, nil, apitest.FilePart{Name: "a.png"}).Want(t, http.StatusBadRequest).Object(t)
			wantKeys(t, "the error", errs, "object_id") // where it can be mended
			for _, typ := range []string{"device", "devicetype", "location", "moduletype", "rack", "site"} {
				h.attach(t, "dcim."+typ, h.make(t, typ), nil, apitest.FilePart{Name: "a.png"}).Want(t, http.StatusCreated)
			}
		},
		4: func(t *testing.T, h *hardware) {
			rack := h.make(t, "rack")
			for _, c := range []struct{ name, file, called string }{
				{"", "front.png", "front.png"}, {"Front door", "IMG_1.JPG", "Front_door.jpg"}, {"Rear", "x.jpeg", "Rear.jpeg"},
				{"a/../b", "x.gif", "a_.._b.gif"}, {"Named", "x.webp", "x.webp"},
			} {
				file := apitest.FilePart{Name: c.file, Content: pictureLike(t, c.file)}
				got := h.attach(t, "dcim.rack", rack, map[string]string{"name": c.name}, file).Want(t, http.StatusCreated).Object(t)
				address := got["image"].(string)
				end := "/rack_" + fmt.Sprint(rack) + "_" + c.called
				if !strings.HasPrefix(address, h.s.URL+record.FilesPath+"image-attachments/") || !strings.HasSuffix(address, end) {
					t.Errorf("%s of %q: %s", c.file, c.name, address)
				}
			}
		},
		5: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			for name, display := range map[string]string{"": "front_view.png", "Front": "Front"} {
				got := h.attach(t, "dcim.site", site, map[string]string{"name": name}, apitest.FilePart{Name: "front_view.png"}).
					Want(t, http.StatusCreated).Object(t)
				want(t, "display", got["display"], any(display))
			}
		},
		6: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			var made []obj
			for range 2 {
				made = append(made, h.attach(t, "dcim.site", site, nil, apitest.FilePart{Name: "a.png"}).Want(t, http.StatusCreated).Object(t))
			}
			first, second := apitest.ID(made[0]), apitest.ID(made[1])
			h.remove(t, "imageattachment", first)
			h.file(t, made[0]["image"]).Want(t, http.StatusNotFound)
			h.file(t, made[1]["image"]).Want(t, http.StatusOK)
			h.remove(t, "site", site)
			h.gone(t, "imageattachment", second)
			h.file(t, made[1]["image"]).Want(t, http.StatusNotFound)
			if n := h.kept(t, "extras.imageattachment", first) + h.kept(t, "extras.imageattachment", second); n > 0 {
				t.Errorf("%d files are left", n)
			}
		},
		8: func(t *testing.T, h *hardware) {
			more := map[string]string{"tags": "[]", "custom_fields": "{}"}
			got := h.attach(t, "dcim.site", h.make(t, "site"), more, apitest.FilePart{Name: "a.png"}).
				Want(t, http.StatusCreated).Object(t)
			for _, name := range []string{"tags", "custom_fields"} {
				if _, has := got[name]; has {
					t.Errorf("it has %s", name)
				}
			}
		},
	}
}

// pictureLike returns a picture in the form that the name of a file promises.
func pictureLike(t *testing.T, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	picture, err := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.Black}), error(nil)
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg":
		err = jpeg.Encode(&b, picture, nil)
	case ".gif":
		err = gif.Encode(&b, picture, nil)
	case ".webp":
		b.WriteString("RIFF....WEBPVP8X....\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00")
	default:
		err = png.Encode(&b, picture)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
