package record

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"
)

// The limits of a picture.
const (
	MaxPicture  = 5 << 20    // bytes
	maxSide     = 32767      // pixels
	mostPixels  = 50_000_000 // of both sides together: a browser takes four bytes for each
	pictureKind = "Upload a PNG, JPEG, GIF, WebP or BMP file."
)

// pictureForm is a form of picture that is recognized by its first bytes, whatever the file is called.
type pictureForm struct {
	media  string
	ends   []string // of file names; the first is added to a name that has none of them
	begins func(b []byte) bool
	size   func(b []byte) (image.Config, error) // reads only the head
}

// pictureForms are the forms that all browsers show. SVG is none of them, because it may have scripts.
var pictureForms = []pictureForm{
	{"image/png", []string{"png"}, beginsWith("\x89PNG\r\n\x1a\n"), headOf(png.DecodeConfig)},
	{"image/jpeg", []string{"jpg", "jpeg"}, beginsWith("\xff\xd8\xff"), headOf(jpeg.DecodeConfig)},
	{"image/gif", []string{"gif"}, beginsWith("GIF8"), headOf(gif.DecodeConfig)},
	{"image/webp", []string{"webp"}, isWebP, webPSize},
	{"image/bmp", []string{"bmp"}, beginsWith("BM"), bmpSize},
}

// pictureMedia lists the media types of pictures.
func pictureMedia() string {
	all := make([]string, len(pictureForms))
	for i, f := range pictureForms {
		all[i] = f.media
	}
	return strings.Join(all, ",")
}

func beginsWith(magic string) func([]byte) bool {
	return func(b []byte) bool { return bytes.HasPrefix(b, []byte(magic)) }
}

func headOf(decode func(io.Reader) (image.Config, error)) func([]byte) (image.Config, error) {
	return func(b []byte) (image.Config, error) { return decode(bytes.NewReader(b)) }
}

// recognized returns the upload with its form and size, read from its bytes alone. The picture itself is never decoded.
func (u Upload) recognized() (*Upload, error) {
	if len(u.Bytes) > MaxPicture {
		return nil, Invalid("The file has more than %d MiB.", MaxPicture>>20)
	}
	i := slices.IndexFunc(pictureForms, func(f pictureForm) bool { return f.begins(u.Bytes) })
	if i < 0 {
		return nil, Invalid("This file is not a picture. " + pictureKind)
	}
	size, err := pictureForms[i].size(u.Bytes)
	if err != nil || size.Width <= 0 || size.Height <= 0 {
		return nil, Invalid("The picture is damaged. " + pictureKind)
	}
	if size.Width > maxSide || size.Height > maxSide || size.Width*size.Height > mostPixels {
		return nil, Invalid("The picture has %d × %d pixels: at most %d on a side and %d in all are allowed.",
			size.Width, size.Height, maxSide, mostPixels)
	}
	u.form, u.Width, u.Height = &pictureForms[i], int64(size.Width), int64(size.Height)
	return &u, nil
}

func isWebP(b []byte) bool {
	return len(b) >= 30 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP"
}

// webPSize reads the head of the first part: of a lossy picture, of one without loss, or of one with more parts.
func webPSize(b []byte) (image.Config, error) {
	b = b[12:]
	switch part := b[8:]; string(b[:4]) {
	case "VP8 ":
		if part[3] != 0x9d || part[4] != 0x01 || part[5] != 0x2a {
			return image.Config{}, image.ErrFormat
		}
		width, height := binary.LittleEndian.Uint16(part[6:]), binary.LittleEndian.Uint16(part[8:])
		return image.Config{Width: int(width & 0x3fff), Height: int(height & 0x3fff)}, nil
	case "VP8L":
		if part[0] != 0x2f {
			return image.Config{}, image.ErrFormat
		}
		bits := binary.LittleEndian.Uint32(part[1:])
		return image.Config{Width: int(bits&0x3fff) + 1, Height: int(bits>>14&0x3fff) + 1}, nil
	case "VP8X":
		return image.Config{Width: uint24(part[4:]) + 1, Height: uint24(part[7:]) + 1}, nil
	}
	return image.Config{}, image.ErrFormat
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// bmpSize reads the head of a bitmap. A negative height means that its lines begin at the top.
func bmpSize(b []byte) (image.Config, error) {
	if len(b) < 26 {
		return image.Config{}, image.ErrFormat
	}
	if head := binary.LittleEndian.Uint32(b[14:]); head < 40 || head > 124 { // the heads that Windows writes
		return image.Config{}, image.ErrFormat
	}
	width, height := int(int32(binary.LittleEndian.Uint32(b[18:]))), int(int32(binary.LittleEndian.Uint32(b[22:])))
	return image.Config{Width: width, Height: max(height, -height)}, nil
}
