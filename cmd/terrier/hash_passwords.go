package main

import "terrier/internal/app"

// hashPasswords is the name of the command that serve starts beside itself.
const hashPasswords = "hash-passwords"

// hashPasswordsCommand ends with its standard input and not with the first signal: a service manager
// may signal it together with the server, which then still answers the logins under way.
type hashPasswordsCommand struct{}

func (hashPasswordsCommand) Run(s *session) error { return app.HashPasswords(s.in, s.out, s.log) }
