package extras

import (
	"strings"

	"terrier/internal/record"
)

// CustomLink is a button on the pages of records.
var CustomLink = record.Type{
	App: "extras", Name: "customlink", Plural: "custom-links", Label: "custom link", Section: "Customization",
	Doc: "A button on the pages of records. Its templates run on the server: let only trusted people write custom links.",
	Fields: record.Fields{
		record.ObjectTypes{Name: "content_types", Label: "Object types", Help: "The record types whose pages have the button.",
			Only: record.HasCustomLinks, OnlyHelp: "Pages of the type %s have no custom links."},
		record.Text{Name: "name", Max: 100, Required: true, Unique: true, Help: "Shown in lists. The button shows the link text."},
		record.Bool{Name: "enabled", Default: true},
		record.Text{Name: "link_text", Required: true,
			Help: "A Jinja2 template, with the record as object. If the text is empty, there is no button."},
		record.Text{Name: "link_url", Label: "Link URL", Required: true,
			Help: "A Jinja2 template, with the record as object: https://wiki.example/{{ object.name }}"},
		record.Int{Name: "weight", Default: 100, Min: limit(0), Max: limit(32767), Help: "Lower weights come first."},
		record.Text{Name: "group_name", Max: 50, Help: "Links with the same group are one menu."},
		record.Choice{Name: "button_class", Label: "Button", Of: buttonClasses, Default: "outline-dark", Bare: true},
		record.Bool{Name: "new_window", Help: "Open the link in a new window."},
	},
	Columns: []string{"content_types", "enabled", "group_name", "button_class", "weight", "new_window"},
	Brief:   []string{"name"},
	Order:   []string{"group_name", "weight", "name"},
	Search:  []string{"name", "link_text", "link_url", "group_name"},
	Filters: []record.Filter{{Name: "content_type_id", Field: "content_types", TypeIDs: true}},
	Special: record.Special{Audited: linkEvents},
}

// linkEvents returns the event of a change to a custom link: a link can send what its reader sees to another site.
func linkEvents(before, after record.Values) []record.Audited {
	detail := "created"
	switch {
	case after.ID() == 0:
		detail = "deleted"
	case before.ID() != 0:
		detail = strings.Join(before.Differing(after), ", ")
	}
	return []record.Audited{{Event: "link_changed", Detail: detail}}
}

var buttonClasses = record.ChoicesOf(`
outline-dark Default
blue Blue
indigo Indigo
purple Purple
pink Pink
red Red
orange Orange
yellow Yellow
green Green
teal Teal
cyan Cyan
gray Gray
black Black
white White
ghost-dark Link
`)
