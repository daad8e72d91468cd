package accountpages

import (
	"terrier/internal/fault"
	"terrier/internal/web"
)

// passwordForm is what the page for changing your own password shows. It never sends back what was typed.
type passwordForm struct {
	Username string
	Problems []string
	Errors   fault.Fields
}

// The names of its fields. An error of the ledger is about the field password.
const (
	oldPassword   = "old_password"
	newPassword   = "password"
	againPassword = "password_again"
)

func (a *room) passwordPage(v *web.Visit) error { return a.showPassword(v, nil) }

func (a *room) showPassword(v *web.Visit, refusal *fault.Error) error {
	form, status := passwordForm{Username: v.Caller.Username}, 0
	if refusal != nil {
		form.Errors, status = refusal.Fields, web.StatusOf(refusal)
		if len(form.Errors) == 0 {
			form.Problems = []string{refusal.Detail}
		}
		web.RetryAfter(v.W, refusal)
	}
	return v.Show(web.Page{Name: "password", Title: "Password", Body: form, Status: status})
}

func (a *room) setPassword(v *web.Visit) error {
	if err := v.ParseForm(); err != nil {
		return err
	}
	err := a.changePassword(v)
	if e, known := web.FormRefusal(err); known {
		return a.showPassword(v, e)
	}
	if err != nil {
		return err
	}
	return v.Leave("/user/", "Changed your password. Your other sessions have ended.")
}

// changePassword replaces the password, which ends every session, and starts a new one in this browser.
func (a *room) changePassword(v *web.Visit) error {
	form := v.R.PostForm
	if form.Get(newPassword) != form.Get(againPassword) {
		return fault.Field(againPassword, "This is not the same as the new password.")
	}
	if _, err := a.logins.Check(v.Ctx, v.Caller.Username, form.Get(oldPassword), a.address(v)); fault.KindOf(err) == fault.Denied {
		return fault.Field(oldPassword, "This is not your password.")
	} else if err != nil {
		return err
	}
	epoch, err := a.site.Ledger.SetOwnPassword(v.Ctx, v.Caller, form.Get(newPassword))
	if err != nil {
		return err
	}
	return a.newSession(v, v.Caller.UserID, epoch)
}
