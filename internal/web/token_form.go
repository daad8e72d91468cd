package web

import (
	"net/url"
	"time"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// tokenForm is the form of the caller's own token.
type tokenForm struct {
	Title, Submit string
	Version       int64  // 0 for a new one
	Shown         string // what the fields of one that is there hold
	Problems      []string
	Description   formField
	Lifetime      formField
	Moment        formField
	Write         formField
	Allowed       formField
	KeyErrors     []string
	New           bool
}

// lifetimes are how long people usually want a token to work.
var lifetimes = []struct {
	value, label string
	lasts        time.Duration // 0 for ever
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
	atMoment      = "moment" // of lifetime: momentField says when
)

func (s *Site) addTokenPage(v *visit) error { return s.showTokenForm(v, record.Values{}, nil, nil) }

func (s *Site) addToken(v *visit) error {
	in, err := s.typedToken(v, record.Values{})
	if err == nil {
		var made []record.Values
		made, err = s.Ledger.Create(v.ctx, v.caller, s.Registry.Type(tokenType), []ledger.Input{in})
		if err == nil {
			return s.showKey(v, made[0], ownTokens)
		}
	}
	return s.refusedToken(v, record.Values{}, err)
}

func (s *Site) editTokenPage(v *visit) error {
	token, err := s.changeableToken(v)
	if err != nil {
		return err
	}
	return s.showTokenForm(v, token, nil, nil)
}

func (s *Site) editToken(v *visit) error {
	token, err := s.changeableToken(v)
	if err != nil {
		return err
	}
	in, err := s.typedToken(v, token)
	delete(in, "key") // the form does not ask for it
	if err == nil && len(in) == 0 {
		return v.leave(ownTokens, unchangedNote)
	}
	if err == nil {
		_, err = s.Ledger.Update(v.ctx, v.caller, token.Type(), []ledger.Edit{{ID: token.ID(), Input: in, Match: v.version(token)}})
	}
	if err != nil {
		return s.refusedToken(v, token, err)
	}
	return v.leave(ownTokens, "Token "+token.Display()+" is saved.")
}

// changeableToken reads the caller's token in the address, if they may change it.
func (s *Site) changeableToken(v *visit) (record.Values, error) {
	token, err := s.myToken(v)
	if err != nil {
		return token, err
	}
	may, err := s.mayChange(v, token)
	if err == nil && !may {
		err = fault.ErrDenied
	}
	return token, err
}

// typedToken reads the form. The owner is the caller, whatever was sent.
func (s *Site) typedToken(v *visit, token record.Values) (ledger.Input, error) {
	p := s.pages(s.Registry.Type(tokenType))
	in, err := p.typed(v, token)
	if err != nil {
		return nil, err
	}
	delete(in, p.t.Owner)
	delete(in, momentField)
	shown := readShown(v.r.PostForm)
	if shown.touched(record.SelectOne, lifetimeField, v.r.PostForm) || shown.touched(record.MomentInput, momentField, v.r.PostForm) {
		in[momentField], err = s.typedExpiry(v.r.PostForm)
	}
	return in, err
}

// typedExpiry is when the token shall expire, nil for never.
func (s *Site) typedExpiry(form url.Values) (any, error) {
	chosen := form.Get(lifetimeField)
	if chosen == atMoment {
		if form.Get(momentField) == "" {
			return nil, fault.Field(momentField, "Say when, or choose one of the usual times.")
		}
		return form.Get(momentField), nil
	}
	for _, l := range lifetimes {
		switch {
		case l.value != chosen:
		case l.lasts == 0:
			return nil, nil
		default:
			return s.Now().Add(l.lasts).UTC().Format(time.RFC3339), nil
		}
	}
	return nil, fault.Field(lifetimeField, "Choose one of the times.")
}

// refusedToken shows the form again, but for the key: what a form can't mend is an error page.
func (s *Site) refusedToken(v *visit, token record.Values, err error) error {
	e, known := formRefusal(err)
	if !known || e.Kind != fault.Invalid && e.Kind != fault.Precondition {
		return err
	}
	return s.showTokenForm(v, token, v.r.PostForm, e)
}

func (s *Site) showTokenForm(v *visit, token record.Values, typed url.Values, refusal *fault.Error) error {
	p, form := s.pages(s.Registry.Type(tokenType)), tokenForm{Title: "Add an API token", Submit: "Create", New: true}
	src, shown := formSource{v: token, typed: typed, shown: readShown(typed), caller: v}, page{Name: "token_form", Crumbs: tokenCrumbs()}
	if token.Type() != nil {
		form = tokenForm{Title: "Edit token " + token.Display(), Submit: "Save", Version: v.shownVersion(token, refusal)}
	}
	if refusal != nil {
		src.errs, form.KeyErrors, shown.Status = refusal.Fields, refusal.Fields["key"], failures[refusal.Kind].Status
		form.Problems = p.problems(refusal)
	}
	form.Description, form.Write, form.Allowed = p.field(p.t.Field("description"), src), p.field(p.t.Field("write_enabled"), src), p.field(p.t.Field("allowed_ips"), src)
	form.Moment, form.Lifetime = p.field(p.t.Field(momentField), src), lifetimeInput(src)
	form.Moment.Label, form.Moment.Help = "When", ""
	if !form.New {
		form.Shown = shownOf(form.Description, form.Write, form.Allowed, form.Moment, form.Lifetime)
	}
	shown.Title, shown.Body = form.Title, form
	return v.show(shown)
}

// lifetimeInput offers the usual times, and the moment that a token already has.
func lifetimeInput(src formSource) formField {
	f := widgetOf(lifetimeField, record.Info{Label: "Expires", Widget: record.SelectOne}, src)
	for _, l := range lifetimes {
		f.Options = append(f.Options, option{Value: l.value, Label: l.label})
	}
	f.Options = append(f.Options, option{Value: atMoment, Label: "At a moment of your choice"})
	chosen := "never"
	if src.v.Type() != nil && src.v.Get(momentField) != nil {
		chosen = atMoment
	}
	src.fill(&f, []string{chosen})
	return f
}

// madeToken is a token whose key is shown, this once.
type madeToken struct {
	Name, Key string
	Base      string
	Owner     string // where it is somebody else's
	List      string
}

// showKey answers with the key itself. It must not pass through a redirect, a cookie or a log.
func (s *Site) showKey(v *visit, made record.Values, list string) error {
	key, _ := made.Get("key").(record.Plain)
	m := madeToken{Name: made.Display(), Key: string(key), Base: s.BaseURL, List: list}
	if owner := made.Link(made.Type().Owner); owner.ID != v.caller.UserID {
		m.Owner = linkTo(s.Registry.Type(userType), owner).Text
	}
	crumbs := tokenCrumbs()
	if list != ownTokens {
		crumbs = s.pages(made.Type()).crumbs()
	}
	return v.show(page{Name: "token_made", Title: "Token " + m.Name, Crumbs: crumbs, Body: m})
}
