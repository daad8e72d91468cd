package web

import (
	"html/template"

	"terrier/internal/customlink"
	"terrier/internal/record"
)

// customMenu is the custom links of a group, or one that is in no group.
type customMenu struct {
	Name  string // of the group; "" for none
	Color string // of the first link
	Links []customButton
}

// customButton is a custom link on the page of a record.
type customButton struct {
	Text      string
	Href      template.URL // package customlink has checked it
	Color     string
	NewWindow bool
	Elsewhere string // the host that it leads to, if that is another site
	Error     string
}

// customLinks returns the custom links of a record. A link that can't be rendered says why, and does not disturb the page.
func (v *Visit) customLinks(found record.Values) (menus []customMenu, err error) {
	links, err := v.Site.Ledger.CustomLinks(v.Ctx, found.Type(), customlink.MaxLinks)
	if len(links) == 0 || err != nil {
		return nil, err
	}
	r := customlink.For(v.Site.Ledger.Printer.Append(nil, found, found.Type().LoggedPlan()), v.Site.Now)
	for _, link := range links {
		made := r.Button(customlink.Link{Name: link.Text("name"), Text: link.Text("link_text"), URL: link.Text("link_url")})
		if !made.Shown() {
			continue
		}
		button := customButton{Text: made.Text, Href: template.URL(made.Href), Color: link.Text("button_class"),
			NewWindow: link.Bool("new_window"), Elsewhere: customlink.Elsewhere(made.Href, v.Site.BaseURL)}
		if made.Err != nil {
			button.Error = made.Err.Error()
		}
		group := link.Text("group_name")
		if last := len(menus) - 1; group != "" && last >= 0 && menus[last].Name == group {
			menus[last].Links = append(menus[last].Links, button)
			continue
		}
		menus = append(menus, customMenu{Name: group, Color: button.Color, Links: []customButton{button}})
	}
	return menus, nil
}
