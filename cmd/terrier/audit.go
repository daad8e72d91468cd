package main

import (
	"context"

	"terrier/internal/app"
)

type auditCommands struct {
	Verify auditVerifyCommand `cmd:"" help:"Check that no event of the audit log was deleted, changed, moved or inserted by other means."`
}

type auditVerifyCommand struct {
	Head string `placeholder:"HEAD" help:"The newest head that TERRIER_AUDIT_LOG has, such as 812:9f3c…: the chain must contain it."`
}

// Run fails with the first part that is not as it was written.
func (c auditVerifyCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		done, err := a.VerifyAudit(ctx, c.Head)
		if err != nil {
			return err
		}
		return s.printf("entries that are as they were written: %d\nhead: %s\n", done.Entries, done.Head)
	})
}
