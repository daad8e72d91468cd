package web

import (
	"html/template"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
)

// rowRights is what the caller may do with the record of a row.
type rowRights struct{ change, remove, log bool }

// addMenus adds to each row what the caller may do with its record. Where that depends on the record, it takes one statement for all
// rows that can be changed, and one for those that can be deleted.
func (p *TypePages) addMenus(v *Visit, l *listPage, rows []record.Values) error {
	change, err := p.site.Ledger.MayEach(v.Ctx, v.Caller, rows, access.Change)
	if err != nil {
		return err
	}
	remove, err := p.site.Ledger.MayEach(v.Ctx, v.Caller, rows, access.Delete)
	if err != nil {
		return err
	}
	log := !p.Type.ReadOnly && v.May(p.site.ChangeType(), access.View)
	for i := range rows {
		l.Menu = l.Menu || log || change[i] || remove[i]
	}
	for i := range l.Rows {
		if l.Menu {
			l.Rows[i].Menu = p.rowMenu(l.Rows[i].ID, l.Rows[i].Name, rowRights{change[i], remove[i], log})
		}
	}
	return nil
}

// rowMenu returns the cell with the menu of a record. It is no template, because that would take as long as half of the row.
func (p *TypePages) rowMenu(id, name string, may rowRights) template.HTML {
	if may == (rowRights{}) {
		return `<td class="row-menu"></td>`
	}
	var b strings.Builder
	b.WriteString(`<td class="row-menu"><details><summary aria-label="Actions for `)
	b.WriteString(template.HTMLEscapeString(name))
	b.WriteString(`">⋯</summary><div>`)
	for _, link := range []struct {
		shown       bool
		page, label string
	}{{may.change, "edit", "Edit"}, {may.remove, "delete", "Delete"}, {may.log, "changelog", "Change log"}} {
		if link.shown { // neither the path nor an id needs escaping
			b.WriteString(`<a href="` + p.Path + id + `/` + link.page + `/">` + link.label + `</a>`)
		}
	}
	b.WriteString(`</div></details></td>`)
	return template.HTML(b.String())
}
