package extras

import (
	"fmt"
	"slices"
	"strings"

	"terrier/internal/record"
)

// ImageAttachment is a picture of a record.
var ImageAttachment = record.Type{
	App: "extras", Name: "imageattachment", Plural: "image-attachments", Label: "image attachment", Section: "Customization",
	Doc: "A picture attached to a record.",
	Fields: record.Fields{
		record.AnyRef{Name: "parent", TypeName: "content_type", IDName: "object_id", Required: true, OnDelete: record.Cascade,
			To: []string{"dcim.device", "dcim.devicetype", "dcim.location", "dcim.moduletype", "dcim.rack", "dcim.site"}},
		record.Text{Name: "name", Max: 50, Help: "If you leave it blank, the name of the file is shown."},
		record.File{Name: "image", Required: true, Folder: "image-attachments", Called: attachedName,
			Help: "A PNG, JPEG, GIF, WebP or BMP file of at most 5 MiB."},
		record.Int{Name: "image_height", ReadOnly: true, Min: new(int64(0)), Max: new(int64(32767))},
		record.Int{Name: "image_width", ReadOnly: true, Min: new(int64(0)), Max: new(int64(32767))},
	},
	Derive: func(_, after record.Values) {
		if picture, ok := after.Get("image").(*record.Upload); ok {
			after.Set("image_height", picture.Height)
			after.Set("image_width", picture.Width)
		}
	},
	Display: func(r record.Reader) string {
		if name := r.Text("name"); name != "" {
			return name
		}
		file := strings.SplitN(record.FileName(r.Text("image")), "_", 3)
		return file[len(file)-1]
	},
	Filters: []record.Filter{{Name: "content_type_id", Field: "content_type", TypeIDs: true}},
	Columns: []string{"image", "parent", "image_width", "image_height"},
	Brief:   []string{"name", "image"},
	Order:   []string{"name"},
	Search:  []string{"name"},
}

// renamed are the ends of files that are called by the name of their attachment.
var renamed = []string{"bmp", "gif", "jpeg", "jpg", "png"}

// attachedName returns what a file is called: by the record that it is attached to, and then by its own name or that of the attachment.
func attachedName(v record.Values, uploaded string) string {
	end := uploaded[strings.LastIndex(uploaded, ".")+1:]
	if name := v.Text("name"); name != "" && slices.Contains(renamed, strings.ToLower(end)) {
		uploaded = name + "." + strings.ToLower(end)
	}
	_, parent, _ := strings.Cut(v.Text("content_type"), ".")
	return fmt.Sprintf("%s_%d_%s", parent, v.Int("object_id"), uploaded)
}
