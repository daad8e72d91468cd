package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"
)

// maxPassword bounds what is read from standard input; the app has the rules for passwords.
const maxPassword = 4096

// password reads a password from standard input, or asks for it twice on the terminal.
func (s *session) password(ctx context.Context, fromStdin bool) (string, error) {
	if fromStdin {
		return readPassword(s.in)
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

func readPassword(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPassword+1))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if len(text) > maxPassword {
		return "", fmt.Errorf("the password on standard input is longer than %d bytes", maxPassword)
	}
	password := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if password == "" {
		return "", errors.New("the password on standard input is empty")
	}
	return password, nil
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
	go func() {
		text, err := term.ReadPassword(terminal)
		answers <- answer{text, err}
	}()
	defer func() { _, _ = fmt.Fprintln(s.err) }() // the terminal did not echo the user's newline
	select {
	case got := <-answers:
		return string(got.text), got.err
	case <-ctx.Done():
		return "", errors.Join(errors.New("interrupted"), term.Restore(terminal, before))
	}
}
