package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"golang.org/x/term"

	"terrier/internal/background"
)

// maxSecret bounds what is read from standard input; the app has the rules for passwords and secrets.
const maxSecret = 4096

// password reads a password from standard input, or asks for it twice on the terminal.
func (s *session) password(ctx context.Context, fromStdin bool) (string, error) {
	if fromStdin {
		return readSecret(s.in, "password")
	}
	in, ok := s.in.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return "", errors.New("there is no terminal to ask for the password on: pipe it in with --password-stdin")
	}
	password, err := s.ask(ctx, int(in.Fd()), "Password: ")
	if err != nil {
		return "", err
	}
	again, err := s.ask(ctx, int(in.Fd()), "Password again: ")
	if err != nil {
		return "", err
	}
	if password != again {
		return "", errors.New("the two passwords differ")
	}
	return password, nil
}

// readSecret reads a password or a secret from standard input, which may end it with a newline.
func readSecret(r io.Reader, what string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("read the %s: %w", what, err)
	}
	if len(text) > maxSecret {
		return "", fmt.Errorf("the %s on standard input is longer than %d bytes", what, maxSecret)
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if secret == "" {
		return "", fmt.Errorf("the %s on standard input is empty", what)
	}
	return secret, nil
}

// ask reads while it waits for a signal: an interrupted prompt must switch the terminal's echo on again.
func (s *session) ask(ctx context.Context, terminal int, prompt string) (string, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	if _, err := fmt.Fprint(s.err, prompt); err != nil {
		return "", err
	}
	type answer struct {
		text []byte
		err  error
	}
	answers := make(chan answer, 1)
	background.Go(slog.Default(), "password prompt", func() {
		text, err := term.ReadPassword(terminal)
		answers <- answer{text, err}
	})
	defer func() { _, _ = fmt.Fprintln(s.err) }() // the terminal did not echo the user's newline
	select {
	case got := <-answers:
		return string(got.text), got.err
	case <-ctx.Done():
		return "", errors.Join(errors.New("interrupted"), term.Restore(terminal, before))
	}
}
