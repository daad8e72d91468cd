// Command routes prints the addresses of all pages, a pattern of the mux on each line. The browser tests ask it, to see that
// they left none out.
package main

import (
	"fmt"
	"os"

	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/web/accountpages"
	"terrier/internal/web/hookpages"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "routes:", err)
		os.Exit(1)
	}
}

func run() error {
	registry, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		return err
	}
	site := &web.Site{Registry: registry}
	site.Rooms = []web.Room{accountpages.New(site, nil, nil, nil), hookpages.New(site, nil)}
	if site.Templates, err = web.ParseTemplates(accountpages.Templates, hookpages.Templates); err != nil {
		return err
	}
	if err := site.Build(); err != nil {
		return err
	}
	for _, route := range site.Routes() {
		fmt.Println(route.Pattern())
	}
	return nil
}
