package web

import (
	"errors"
	"net/url"
	"strings"

	"terrier/internal/record"
)

// placeWord is what the place of a record replaces in the address of a map.
const placeWord = "{place}"

// CheckMapsURL returns an error if an address can't be that of a map. "" is none.
func CheckMapsURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(strings.ReplaceAll(address, placeWord, "1,2"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Contains(u.Host, "1,2") {
		return errors.New("use an http or https address, such as https://maps.example/?q={place}")
	}
	if !strings.Contains(address, placeWord) {
		return errors.New("it lacks {place}, which becomes the coordinates or the physical address of a site")
	}
	return nil
}

// addMap adds a link to a map of where the record is.
func (d *DetailPage) addMap(v *Visit, found record.Values) {
	place := found.Type().Place(found)
	if v.Site.MapsURL == "" || place == "" {
		return
	}
	href := strings.ReplaceAll(v.Site.MapsURL, placeWord, strings.ReplaceAll(url.QueryEscape(place), "+", "%20"))
	d.addField(found.Type(), Labelled{Label: "Map", Cell: Cell{Kind: LinkCell, Text: place, Href: href}})
}
