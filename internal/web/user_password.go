package web

import (
	"strconv"

	"terrier/internal/fault"
)

// passwordForm is what the page shows on which people change their password. What was typed is
// never sent back.
type passwordForm struct {
	Username string
	Problems []string
	Errors   fault.Fields
}

// The names of its fields. The ledger's own complaint is about the password.
const (
	oldPassword   = "old_password"
	newPassword   = "password"
	againPassword = "password_again"
)

func (s *Site) passwordPage(v *visit) error { return s.showPassword(v, nil) }

func (s *Site) showPassword(v *visit, refusal *fault.Error) error {
	form, status := passwordForm{Username: v.caller.Username}, 0
	if refusal != nil {
		form.Errors, status = refusal.Fields, failures[refusal.Kind].Status
		if len(form.Errors) == 0 {
			form.Problems = []string{refusal.Detail}
		}
		if refusal.RetryAfter > 0 {
			v.w.Header().Set("Retry-After", strconv.Itoa(int(refusal.RetryAfter.Seconds())))
		}
	}
	return v.show(page{Name: "password", Title: "Password", Body: form, Status: status})
}

func (s *Site) setPassword(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	err := s.changePassword(v)
	if e, known := formRefusal(err); known {
		return s.showPassword(v, e)
	}
	if err != nil {
		return err
	}
	return v.leave("/user/", "Your password is changed, and your other sessions have ended.")
}

// changePassword replaces the password, which ends every session, and begins a new one here.
func (s *Site) changePassword(v *visit) error {
	form := v.r.PostForm
	if form.Get(newPassword) != form.Get(againPassword) {
		return fault.Field(againPassword, "This is not the same as the new password.")
	}
	if _, err := s.Login.Check(v.ctx, v.caller.Username, form.Get(oldPassword), v.address()); fault.KindOf(err) == fault.Denied {
		return fault.Field(oldPassword, "This is not your password.")
	} else if err != nil {
		return err
	}
	epoch, err := s.Ledger.SetOwnPassword(v.ctx, v.caller, form.Get(newPassword))
	if err != nil {
		return err
	}
	return v.newSession(v.caller.UserID, epoch)
}
