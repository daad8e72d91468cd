package main

import (
	"cmp"
	"fmt"

	"terrier/internal/record"
	"terrier/internal/web"
)

// printKinds prints the kinds of fields and panels that the pages of each type show: the address of its list, a tab, and one of the kinds.
// The same code serves what is of the same kind.
func printKinds(site *web.Site) {
	for _, t := range site.Registry.Types() {
		all := append(fieldKinds(t), panelKinds(t)...)
		for _, room := range site.Rooms {
			if _, own := room.Types[t.Key()]; own {
				all = append(all, "pages of its own: "+t.Key())
			}
		}
		for _, kind := range all {
			fmt.Printf("%s\t%s\n", web.PagePath(t), kind)
		}
	}
}

func fieldKinds(t *record.Type) []string {
	var kinds []string
	for i, f := range t.All() {
		in := t.Infos()[i]
		asked := string(cmp.Or(in.Widget, "nothing"))
		switch {
		case in.IsForAPI():
			continue
		case in.Widget == record.NoWidget:
			kinds = append(kinds, "shows "+in.Type)
		default:
			kinds = append(kinds, fmt.Sprintf("asks for %T by %s", f, in.Widget))
		}
		for kind, is := range map[string]bool{"immutable": in.Immutable != "", "suggestions": len(in.Suggestions) > 0, "ranges": in.Ranges,
			"half of a reference": in.HalfOf != "", "of a kind that another field names": in.KindOf != "", "bar": in.Percent} {
			if is {
				kinds = append(kinds, kind+": "+asked)
			}
		}
	}
	if t.Indent != "" {
		kinds = append(kinds, "indented list")
	}
	return kinds
}

func panelKinds(t *record.Type) []string {
	var kinds []string
	for _, p := range t.Panels {
		switch {
		case p.Each != "":
			kinds = append(kinds, "drawing for each")
		case p.Drawing != "":
			kinds = append(kinds, "drawing: "+p.Drawing)
		case p.Merged != "":
			kinds = append(kinds, "merged panel")
		case p.Tab != "":
			kinds = append(kinds, "tab with a list")
		default:
			kinds = append(kinds, "card with a list")
		}
	}
	if len(t.Totals) > 0 {
		kinds = append(kinds, "totals")
	}
	return kinds
}
