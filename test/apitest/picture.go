package apitest

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/textproto"
	"testing"
)

// PNG returns a picture of a size. Its colour depends on n, so that different n make different files.
func PNG(tb testing.TB, width, height, n int) []byte {
	tb.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	picture.Set(0, 0, color.RGBA{R: uint8(n), G: uint8(n >> 8), B: uint8(n >> 16), A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// DataURL returns a picture as JSON has it.
func DataURL(tb testing.TB, n int) string {
	tb.Helper()
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(PNG(tb, 2, 1, n))
}

// FilePart is a file in a form.
type FilePart struct {
	Field, Name string
	Content     []byte
}

// Upload returns a call that sends a form with texts and files.
func Upload(tb testing.TB, c Call, texts map[string]string, files ...FilePart) Call {
	tb.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, text := range texts {
		if err := w.WriteField(name, text); err != nil {
			tb.Fatal(err)
		}
	}
	for _, f := range files {
		head := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + f.Field + `"; filename="` + f.Name + `"`}}
		part, err := w.CreatePart(head)
		if err == nil {
			_, err = part.Write(f.Content)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	header := map[string]string{"Content-Type": w.FormDataContentType()}
	for name, value := range c.Header {
		header[name] = value
	}
	c.Body, c.Header = b.Bytes(), header
	return c
}
