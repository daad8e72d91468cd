package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"terrier/internal/app"
)

type tokenCommands struct {
	Create tokenCreateCommand `cmd:"" help:"Create a token and print its key."`
	List   tokenListCommand   `cmd:"" help:"List a user's tokens."`
	Revoke tokenRevokeCommand `cmd:"" help:"Revoke a token."`
}

type tokenCreateCommand struct {
	User        string   `arg:"" help:"Name of the user who owns the token."`
	Description string   `placeholder:"TEXT" help:"What the token is for."`
	Expires     lifetime `placeholder:"DURATION" help:"How long it is valid, such as 12h or 90d; forever if not given."`
	ReadOnly    bool     `help:"Refuse writes with this token."`
}

// Run prints only the key to standard output, for scripts.
func (c tokenCreateCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		token, err := a.CreateToken(ctx, app.NewToken{
			Username: c.User, Description: c.Description, Expires: time.Duration(c.Expires), ReadOnly: c.ReadOnly,
		})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(s.err, "created token %d for %s; its key is shown only this once\n", token.ID, c.User); err != nil {
			return err
		}
		return s.printf("%s\n", token.Key)
	})
}

type tokenListCommand struct {
	User string `arg:"" help:"User name."`
	jsonFlag
}

func (c tokenListCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		tokens, err := a.Tokens(ctx, c.User)
		if err != nil {
			return err
		}
		rows := [][]string{{"ID", "TOKEN", "WRITES", "EXPIRES", "LAST USED", "DESCRIPTION"}}
		for _, t := range tokens {
			rows = append(rows, []string{
				fmt.Sprint(t.ID), t.Display, yesNo(t.WriteEnabled), timeOrNever(t.Expires), timeOrNever(t.LastUsed), t.Description,
			})
		}
		return s.printList(c.jsonFlag, tokens, rows)
	})
}

type tokenRevokeCommand struct {
	ID int64 `arg:"" help:"Id of the token, as listed."`
}

func (c tokenRevokeCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		if err := a.RevokeToken(ctx, c.ID); err != nil {
			return err
		}
		return s.printf("revoked token %d\n", c.ID)
	})
}

// lifetime is a duration that can also be given in days, as is usual for tokens.
type lifetime time.Duration

const day = 24 * time.Hour

func (l *lifetime) UnmarshalText(text []byte) error {
	duration, err := time.ParseDuration(string(text))
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16) // 16 bits of days cannot overflow a duration
		duration = time.Duration(n) * day
	}
	if err != nil || duration <= 0 {
		return errors.New("must be a duration above 0, such as 12h or 90d")
	}
	*l = lifetime(duration)
	return nil
}
