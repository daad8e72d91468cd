package main

import (
	"context"
	"fmt"

	"terrier/internal/app"
)

type userCommands struct {
	Create     userCreateCommand     `cmd:"" help:"Create a user."`
	List       userListCommand       `cmd:"" help:"List the users."`
	Password   userPasswordCommand   `cmd:"" help:"Change a user's password."`
	Unlock     userUnlockCommand     `cmd:"" help:"Let a user log in again after too many wrong passwords."`
	Deactivate userDeactivateCommand `cmd:"" help:"Deactivate a user, with all sessions and tokens."`
}

type passwordFlag struct {
	PasswordStdin bool `help:"Read the password from standard input instead of asking for it."`
}

type userCreateCommand struct {
	Name         string `arg:"" help:"User name."`
	Superuser    bool   `help:"Give the user every permission."`
	Email        string `placeholder:"ADDRESS" help:"Email address."`
	passwordFlag `embed:""`
}

func (c userCreateCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		password, err := s.password(ctx, c.PasswordStdin)
		if err != nil {
			return err
		}
		id, err := a.CreateUser(ctx, app.NewUser{Username: c.Name, Email: c.Email, Password: password, Superuser: c.Superuser})
		if err != nil {
			return err
		}
		return s.printf("created user %s with id %d\n", c.Name, id)
	})
}

type userListCommand struct{ jsonFlag }

func (c userListCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		users, err := a.Users(ctx)
		if err != nil {
			return err
		}
		rows := [][]string{{"ID", "NAME", "EMAIL", "ACTIVE", "SUPERUSER"}}
		for _, u := range users {
			rows = append(rows, []string{fmt.Sprint(u.ID), u.Username, u.Email, yesNo(u.Active), yesNo(u.Superuser)})
		}
		return s.printList(c.jsonFlag, users, rows)
	})
}

type userPasswordCommand struct {
	Name         string `arg:"" help:"User name."`
	passwordFlag `embed:""`
}

func (c userPasswordCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		password, err := s.password(ctx, c.PasswordStdin)
		if err != nil {
			return err
		}
		if err := a.SetPassword(ctx, c.Name, password); err != nil {
			return err
		}
		return s.printf("changed the password of %s\n", c.Name)
	})
}

type userUnlockCommand struct {
	Name string `arg:"" help:"User name."`
}

func (c userUnlockCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		if err := a.UnlockUser(ctx, c.Name); err != nil {
			return err
		}
		return s.printf("unlocked user %s\n", c.Name)
	})
}

type userDeactivateCommand struct {
	Name string `arg:"" help:"User name."`
}

func (c userDeactivateCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		if err := a.DeactivateUser(ctx, c.Name); err != nil {
			return err
		}
		return s.printf("deactivated user %s\n", c.Name)
	})
}
