package pages_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestMap: with TERRIER_MAPS_URL the page of a site links to a map, by its coordinates or else by its address.
func TestMap(t *testing.T) {
	t.Parallel()
	bodies := []obj{
		{"name": "both", "slug": "both", "latitude": 38.7167, "longitude": -9.1333, "physical_address": "Praça 1"},
		{"name": "address", "slug": "address", "latitude": 38.7167, "physical_address": "Praça 1 & \"2\", Lisbon"},
		{"name": "neither", "slug": "neither", "longitude": 1},
	}
	links := []string{`<a href="https://maps.example/?q=38.7167%2C-9.1333&amp;z=9">38.7167,-9.1333</a>`,
		`<a href="https://maps.example/?q=Pra%C3%A7a%201%20%26%20%222%22%2C%20Lisbon&amp;z=9">`, ""}
	for _, maps := range []string{"https://maps.example/?q={place}&z=9", ""} {
		s := apitest.New(t, func(c *app.Config) { c.MapsURL = maps })
		b := login(t, s, "admin")
		for i, body := range bodies {
			page := b.get(t, fmt.Sprintf("/dcim/sites/%d/", create(t, s, "/api/dcim/sites/", body))).Want(t, http.StatusOK)
			if maps == "" || links[i] == "" {
				hides(t, page, "maps.example", "Map</th>")
			} else {
				shows(t, page, links[i])
			}
		}
	}
}
