package record

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"
	"unicode"
)

// pngHead returns the beginning of a PNG file of a size, without its pixels.
func pngHead(width, height uint32) []byte {
	part := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)...)
	part = append(part, 8, 6, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), part...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(part))
}

func encoded(t *testing.T, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPicture recognizes pictures by their bytes alone, and knows their size without decoding them.
func TestPicture(t *testing.T) {
	t.Parallel()
	bmp := make([]byte, 54)
	copy(bmp, "BM")
	bmp[14], bmp[18] = 40, 3
	binary.LittleEndian.PutUint32(bmp[22:], 0xfffffffe) // -2: from the top
	webP := func(part string, head ...byte) []byte {
		return append([]byte("RIFF....WEBP"+part+"...."), append(head, make([]byte, 16)...)...)
	}
	for name, c := range map[string]struct {
		bytes         []byte
		media         string
		width, height int64
	}{
		"png":        {encoded(t, png.Encode), "image/png", 3, 2},
		"jpeg":       {encoded(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }), "image/jpeg", 3, 2},
		"gif":        {encoded(t, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }), "image/gif", 3, 2},
		"bmp":        {bmp, "image/bmp", 3, 2},
		"webp":       {webP("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 3, 0, 2, 0), "image/webp", 3, 2},
		"webp exact": {webP("VP8L", 0x2f, 2, 0x40, 0, 0), "image/webp", 3, 2},
		"webp parts": {webP("VP8X", 0, 0, 0, 0, 2, 0, 0, 1, 0, 0), "image/webp", 3, 2},
		"large":      {pngHead(32767, 1000), "image/png", 32767, 1000},
		"polyglot":   {append(encoded(t, png.Encode), "<script>alert(1)</script>"...), "image/png", 3, 2},
	} {
		u, err := Upload{Name: name, Bytes: c.bytes}.recognized()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if u.Media() != c.media || u.Width != c.width || u.Height != c.height {
			t.Errorf("%s is %s of %d × %d", name, u.Media(), u.Width, u.Height)
		}
	}
}

// TestNoPicture refuses what is no picture, whatever it is called, and pictures that would fill the memory of those who look at them.
func TestNoPicture(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bytes []byte
		says  string
	}{
		"empty":      {nil, "not a picture"},
		"html":       {[]byte("<!doctype html><script>alert(1)</script>"), "not a picture"},
		"svg":        {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "not a picture"},
		"xml first":  {[]byte(`<?xml version="1.0"?><svg/>`), "not a picture"},
		"pdf":        {[]byte("%PDF-1.7"), "not a picture"},
		"tiff":       {[]byte("II*\x00\x08\x00\x00\x00"), "not a picture"},
		"html later": {[]byte("GIF8<script>alert(1)</script>"), "damaged"},
		"cut":        {[]byte("\x89PNG\r\n\x1a\n"), "damaged"},
		"bmp text":   {[]byte("BMW has <b>many</b> words, and none of them says how wide it is"), "damaged"},
		"webp text":  {[]byte("RIFF....WEBPtext............................"), "damaged"},
		"no pixels":  {pngHead(0, 10), "damaged"},
		"bomb":       {pngHead(65535, 65535), "65535 × 65535 pixels"},
		"too wide":   {pngHead(32768, 1), "pixels"},
		"too many":   {pngHead(10_000, 5001), "pixels"},
		"too long":   {append(encoded(t, png.Encode), make([]byte, MaxPicture)...), "5 MiB"},
	} {
		_, err := Upload{Name: name + ".png", Bytes: c.bytes}.recognized()
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzPicture takes any bytes, and accepts only pictures within the limits.
func FuzzPicture(f *testing.F) {
	for _, seed := range []string{"", "BM", "RIFF....WEBPVP8X", "GIF89a\x01\x00\x01\x00", "\xff\xd8\xff\xe0\x00\x10JFIF"} {
		f.Add([]byte(seed))
	}
	f.Add(pngHead(1, 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		u, err := Upload{Bytes: b}.recognized()
		if err == nil && (u.Width < 1 || u.Height < 1 || u.Width > maxSide || u.Height > maxSide || u.Width*u.Height > mostPixels) {
			t.Errorf("accepted %d × %d", u.Width, u.Height)
		}
	})
}

// TestFileNames makes the last part of an address of whatever a file is called.
func TestFileNames(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"front.png":                         "front.png",
		"Front view.PNG":                    "Front_view.PNG",
		"../../etc/passwd":                  "passwd.png",
		`C:\Users\me\rack.png`:              "rack.png",
		".htaccess":                         "htaccess.png",
		"a.html":                            "a.html.png",
		"a.png\r\nX-Evil: 1":                "a.pngX-Evil__1.png",
		"a\x00.png":                         "a.png",
		`"><script>.png`:                    "___script_.png",
		"Übersicht Nord.jpeg":               "Übersicht_Nord.jpeg.png",
		"":                                  "image.png",
		"...":                               "image.png",
		"%2e%2e%2fx.png":                    "_2e_2e_2fx.png",
		strings.Repeat("x", 300) + ".png":   strings.Repeat("x", 96) + ".png",
		"a." + strings.Repeat("y", 300):     "a." + strings.Repeat("y", 98) + ".png",
		"\u202egnp.exe":                     "_gnp.exe.png",
		"a/b":                               "b.png",
		"image;filename=x.html; size=1.png": "image_filename_x.html__size_1.png",
	} {
		u, err := Upload{Name: given, Bytes: encoded(t, png.Encode)}.recognized()
		if err != nil {
			t.Fatal(err)
		}
		if got := u.fileName(); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
		if strings.ContainsFunc(u.fileName(), func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`/\"`, r) }) {
			t.Errorf("%q became %q", given, u.fileName())
		}
	}
}

// TestFileParse takes a file, a data URL, or the address of the present file, and nothing else.
func TestFileParse(t *testing.T) {
	t.Parallel()
	optional, required := File{Name: "image", Folder: "pictures"}, File{Name: "image", Folder: "pictures", Required: true}
	raw := encoded(t, png.Encode)
	for _, given := range []any{&Upload{Name: "a.png", Bytes: raw}, "data:image/png;base64," + base64.StdEncoding.EncodeToString(raw),
		"data:text/html;base64," + base64.StdEncoding.EncodeToString(raw)} {
		v, err := optional.Parse(given)
		if u, ok := v.(*Upload); !ok || err != nil || u.Media() != "image/png" {
			t.Errorf("%.40v: %v, %v", given, v, err)
		}
	}
	if v, err := optional.Parse(""); v != nil || err != nil {
		t.Errorf("blank: %v, %v", v, err)
	}
	for _, given := range []any{"", 7, []any{}, map[string]any{}, "data:,", "data:image/png,abc", "data:image/png;base64,%%%",
		"data:text/html;base64,PGI+", "data:;base64," + strings.Repeat("A", 8<<20)} {
		if v, err := required.Parse(given); err == nil {
			t.Errorf("%.40v was taken as %v", given, v)
		}
	}
	const path = "pictures/0123/Übersicht.png"
	address := "https://terrier.example" + FileAddress(path)
	if v, err := required.Parse(address); v != path || err != nil {
		t.Errorf("%s is %v, %v", address, v, err)
	}
	for given, says := range map[string]string{path: "", "pictures/9/other.png": "other.png is gone", "x": "not a file"} {
		err := required.CheckAdded(path, given)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", given, err)
		}
	}
}
