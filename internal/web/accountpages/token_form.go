package accountpages

import (
	"net/url"
	"time"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/web"
)

// tokenForm is the form of the caller's own token.
type tokenForm struct {
	Title, Submit string
	Version       int64  // 0 for a new one
	Shown         string // what the fields of an existing token contain
	Errors        []web.FormError
	Description   web.FormField
	Lifetime      web.FormField
	Moment        web.FormField
	Write         web.FormField
	Allowed       web.FormField
	Key           web.FormField // only its errors
	New           bool
}

// lifetimes are the usual times after which a token expires.
var lifetimes = []struct {
	value, label string
	lasts        time.Duration // 0 means forever
}{
	{"never", "Never", 0},
	{"1h", "In 1 hour", time.Hour},
	{"1d", "In 1 day", 24 * time.Hour},
	{"7d", "In 7 days", 7 * 24 * time.Hour},
	{"30d", "In 30 days", 30 * 24 * time.Hour},
	{"90d", "In 90 days", 90 * 24 * time.Hour},
	{"1y", "In 1 year", 365 * 24 * time.Hour},
}

// The fields that ask when a token expires: a usual time, or a moment.
const (
	lifetimeField = "lifetime"
	momentField   = "expires"
	atMoment      = "moment" // value of lifetime: momentField has the time
)

func (a *room) addTokenPage(v *web.Visit) error { return a.showTokenForm(v, record.Values{}, nil, nil) }

func (a *room) addToken(v *web.Visit) error {
	in, err := a.typedToken(v, record.Values{})
	if err == nil {
		var made []record.Values
		made, err = a.site.Ledger.Create(v.Ctx, v.Caller, a.site.Registry.Type(tokenType), []ledger.Input{in})
		if err == nil {
			return a.showKey(v, made[0], ownTokens)
		}
	}
	return a.refusedToken(v, record.Values{}, err)
}

func (a *room) editTokenPage(v *web.Visit) error {
	token, err := a.changeableToken(v)
	if err != nil {
		return err
	}
	return a.showTokenForm(v, token, nil, nil)
}

func (a *room) editToken(v *web.Visit) error {
	token, err := a.changeableToken(v)
	if err != nil {
		return err
	}
	in, err := a.typedToken(v, token)
	delete(in, "key") // the form does not ask for it
	if err == nil && len(in) == 0 {
		return v.Leave(ownTokens, web.UnchangedNote)
	}
	if err == nil {
		_, err = a.site.Ledger.Update(v.Ctx, v.Caller, token.Type(), []ledger.Edit{{ID: token.ID(), Input: in, Match: v.Version(token)}})
	}
	if err != nil {
		return a.refusedToken(v, token, err)
	}
	return v.Leave(ownTokens, "Saved token "+token.Display()+".")
}

// changeableToken returns the caller's token in the address, if they may change it.
func (a *room) changeableToken(v *web.Visit) (record.Values, error) {
	token, err := a.myToken(v)
	if err != nil {
		return token, err
	}
	may, err := a.mayChange(v, token)
	if err == nil && !may {
		err = fault.ErrDenied
	}
	return token, err
}

// typedToken parses the form. The owner is the caller, whatever was sent.
func (a *room) typedToken(v *web.Visit, token record.Values) (ledger.Input, error) {
	p := a.site.Pages(a.site.Registry.Type(tokenType))
	in, err := p.Typed(v, token)
	if err != nil {
		return nil, err
	}
	delete(in, p.Type.Owner)
	delete(in, momentField)
	if form := v.R.PostForm; web.Touched(form, lifetimeField, record.SelectOne) || web.Touched(form, momentField, record.MomentInput) {
		in[momentField], err = a.typedExpiry(v.R.PostForm)
	}
	return in, err
}

// typedExpiry returns when the token expires, nil for never.
func (a *room) typedExpiry(form url.Values) (any, error) {
	chosen := form.Get(lifetimeField)
	if chosen == atMoment {
		if form.Get(momentField) == "" {
			return nil, fault.Field(momentField, "Enter a time, or choose one of the usual ones.")
		}
		return form.Get(momentField), nil
	}
	for _, l := range lifetimes {
		switch {
		case l.value != chosen:
		case l.lasts == 0:
			return nil, nil
		default:
			return a.site.Now().Add(l.lasts).UTC().Format(time.RFC3339), nil
		}
	}
	return nil, fault.Field(lifetimeField, "Choose one of the times.")
}

// refusedToken shows the form again, without the key. An error that the form can't fix gets an error page.
func (a *room) refusedToken(v *web.Visit, token record.Values, err error) error {
	e, known := web.FormRefusal(err)
	if !known || e.Kind != fault.Invalid && e.Kind != fault.Precondition {
		return err
	}
	return a.showTokenForm(v, token, v.R.PostForm, e)
}

func (a *room) showTokenForm(v *web.Visit, token record.Values, typed url.Values, refusal *fault.Error) error {
	p, form := a.site.Pages(a.site.Registry.Type(tokenType)), tokenForm{Title: "Add an API token", Submit: "Create", New: true}
	shown := web.Page{Name: "token_form", Crumbs: tokenCrumbs()}
	src, err := p.Source(v, token, typed, refusal)
	if err != nil {
		return err
	}
	if token.Type() != nil {
		form = tokenForm{Title: "Edit token " + token.Display(), Submit: "Save", Version: v.ShownVersion(token, refusal)}
	}
	form.Description, form.Write, form.Allowed = p.Field(p.Type.Field("description"), src),
		p.Field(p.Type.Field("write_enabled"), src), p.Field(p.Type.Field("allowed_ips"), src)
	form.Moment, form.Lifetime = p.Field(p.Type.Field(momentField), src), lifetimeInput(src, token)
	form.Moment.Label, form.Moment.Help = "When", ""
	if refusal != nil {
		form.Key, shown.Status = web.FormField{ID: "id_key", Label: "Key", Errors: refusal.Fields["key"]}, web.StatusOf(refusal)
		form.Errors = web.Summary(refusal, &form.Description, &form.Write, &form.Lifetime, &form.Moment, &form.Allowed, &form.Key)
	}
	if !form.New {
		form.Shown = web.ShownOf(form.Description, form.Write, form.Allowed, form.Moment, form.Lifetime)
	}
	shown.Title, shown.Body = form.Title, form
	return v.Show(shown)
}

// lifetimeInput returns the widget with the usual times, and with the expiry that a token already has.
func lifetimeInput(src web.FormSource, token record.Values) web.FormField {
	var options []web.Option
	for _, l := range lifetimes {
		options = append(options, web.Option{Value: l.value, Label: l.label})
	}
	chosen := "never"
	if token.Type() != nil && token.Get(momentField) != nil {
		chosen = atMoment
	}
	return src.Choice(lifetimeField, "Expires", append(options, web.Option{Value: atMoment, Label: "At a moment of your choice"}), chosen)
}

// madeToken is a new token. Its key is shown only now.
type madeToken struct {
	Name, Key string
	Base      string
	Owner     string // set if it is somebody else's
	List      string
}

// showKey answers with the key itself. The key must not pass through a redirect, a cookie or a log.
func (a *room) showKey(v *web.Visit, made record.Values, list string) error {
	key, _ := made.Get("key").(record.Plain)
	m := madeToken{Name: made.Display(), Key: string(key), Base: a.site.BaseURL, List: list}
	if owner := made.Link(made.Type().Owner); owner.ID != v.Caller.UserID {
		m.Owner = a.site.Registry.Type(userType).DisplayLink(owner)
	}
	crumbs := tokenCrumbs()
	if list != ownTokens {
		crumbs = a.site.Pages(made.Type()).Crumbs()
	}
	return v.Show(web.Page{Name: "token_made", Title: "Token " + m.Name, Crumbs: crumbs, Body: m})
}
