// Command routes prints the addresses of all pages, one pattern of the mux per line. The browser tests use it to check that they visit
// every page. "routes kinds" prints what the pages of each type consist of instead, which a short run chooses its types by.
package main

import (
	"fmt"
	"os"
	"slices"

	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/web/accountpages"
	"terrier/internal/web/healthpages"
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
	site.Rooms = []web.Room{accountpages.New(site, nil, nil, nil), hookpages.New(site, nil), healthpages.New(site, nil)}
	if site.Templates, err = web.ParseTemplates(accountpages.Templates, healthpages.Templates, hookpages.Templates); err != nil {
		return err
	}
	if err := site.Build(); err != nil {
		return err
	}
	if slices.Equal(os.Args[1:], []string{"kinds"}) {
		printKinds(site)
		return nil
	}
	for _, route := range site.Routes() {
		fmt.Println(route.Pattern())
	}
	return nil
}
