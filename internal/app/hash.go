package app

import (
	"io"
	"log/slog"

	"terrier/internal/account"
)

// HashWith has passwords hashed by a process of low priority, until Close. The command must call HashPasswords.
func (a *App) HashWith(command ...string) {
	helper := account.StartHelper(a.log, command...)
	a.cleanups = append(a.cleanups, helper.Stop)
	a.passwords.HashWith(helper)
}

// HashPasswords hashes what comes in, for an App in another process.
func HashPasswords(in io.Reader, out io.Writer, log *slog.Logger) error {
	return account.ServeHelper(in, out, log)
}
