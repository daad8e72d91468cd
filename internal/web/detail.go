package web

import (
	"cmp"
	"net/url"
	"strings"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// detailPage is what the page of a record shows.
type detailPage struct {
	Path, List           string
	Name, Single         string
	Tab                  string
	Fields               []labelled
	Custom               []labelled
	Tags                 cell
	Related              []relatedLink
	Changes              []changeLine
	API                  string
	HasChanges           bool
	CanChange, CanDelete bool
	More                 any // what a type's own page adds
}

// labelled is a field and its value.
type labelled struct {
	Label, Help string
	cell
}

// relatedLink leads to the records that refer to this one.
type relatedLink struct {
	Label, Href string
	Count       int64
}

func (p *typePages) detail(v *visit) error {
	found, err := p.record(v)
	if err != nil {
		return err
	}
	d, err := p.detailPage(v, found)
	if err != nil {
		return err
	}
	return v.show(page{Name: cmp.Or(p.own.detail, "detail"), Title: d.Name, Crumbs: p.crumbs(), Body: d})
}

// recentChanges is how many changes the page of a record shows.
const recentChanges = 5

func (p *typePages) detailPage(v *visit, found record.Values) (*detailPage, error) {
	d, err := p.heading(v, found, "record")
	if err != nil {
		return nil, err
	}
	defs, err := p.customs(v)
	if err != nil {
		return nil, err
	}
	d.fill(v, found, defs)
	related, err := p.site.Ledger.Related(v.ctx, v.caller, found)
	if err != nil {
		return nil, err
	}
	for _, r := range related {
		label := p.site.pages(r.Type).title
		if name := r.Field.Info().Label; !strings.EqualFold(name, p.t.Title()) && name != "Tags" {
			label += " (" + strings.ToLower(name) + ")"
		}
		d.Related = append(d.Related, relatedLink{label, with(pagePath(r.Type), url.Values{}, filterFor(r), p.t.FormatID(found.ID())), r.Count})
	}
	if d.HasChanges {
		if d.Changes, err = v.changesOf(p.t, found.ID(), recentChanges); err != nil {
			return nil, err
		}
	}
	if p.own.moreDetail != nil {
		err = p.own.moreDetail(v, d, found)
	}
	return d, err
}

// filterFor is the filter that finds who refers through a field.
func filterFor(r ledger.Related) string {
	return r.FilterName + "_id"
}

// heading is what all pages about a record have in common.
func (p *typePages) heading(v *visit, found record.Values, tab string) (*detailPage, error) {
	d := &detailPage{Path: recordPath(p.t, found.ID()), List: p.path, Name: found.Display(), Single: p.single, Tab: tab,
		API: p.t.Path() + p.t.FormatID(found.ID()) + "/", HasChanges: !p.t.ReadOnly && v.may(p.site.changeType(), access.View)}
	var err error
	if d.CanChange, err = p.site.Ledger.May(v.ctx, v.caller, found, access.Change); err != nil {
		return nil, err
	}
	d.CanDelete, err = p.site.Ledger.May(v.ctx, v.caller, found, access.Delete)
	return d, err
}

func (d *detailPage) fill(v *visit, found record.Values, defs []*record.Custom) {
	t := found.Type()
	for i, in := range t.Infos() {
		f := t.All()[i]
		if in.Hidden || in.DetailOnly || in.Widget == record.PasswordInput || in.Widget == record.CustomInputs {
			continue
		}
		if ref, _ := record.ReferenceOf(f); ref.Tags {
			d.Tags = v.cell(f, found.At(i))
			continue
		}
		d.Fields = append(d.Fields, labelled{in.Label, in.Help, v.cell(f, found.At(i))})
	}
	values := customValues(found)
	for _, def := range defs {
		d.Custom = append(d.Custom, labelled{def.Label, def.Help, customCell(def, values[def.Name])})
	}
}

// customCell shows the value of a custom field, which is JSON.
func customCell(def *record.Custom, value any) cell {
	switch x := value.(type) {
	case nil:
		return cell{Kind: noCell}
	case bool:
		return cellOf(nil, x)
	case map[string]any:
		return cell{Kind: codeCell, Text: strings.Join(textsOf(x), "\n")}
	case string:
		if def.IsURL() {
			return outside(x)
		}
	}
	in := def.Info()
	return textOf(strings.Join(textsOf(value), ", "), in.Widget == record.TextArea)
}

// outside is a link that leaves this site. Only addresses of the web and of mail become one.
func outside(address string) cell {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return cell{Kind: textCell, Text: address}
	}
	return cell{Kind: linkCell, Text: address, Href: u.String()}
}
