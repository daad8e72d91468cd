package main

import (
	"slices"

	"github.com/alecthomas/kong"
)

// helpSettings is a flag that shows the help of a command with all settings. There are some thirty of them, which every command takes;
// the help without it is about the command.
type helpSettings bool

func (helpSettings) BeforeReset(ctx *kong.Context) error {
	hideSettings(ctx.Model, false)
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	ctx.Exit(0)
	return nil
}

func hideSettings(application *kong.Application, hide bool) {
	for _, flag := range application.Flags {
		if len(flag.Envs) > 0 {
			flag.Hidden = hide
		}
	}
}

// helpCommand is for people who type `terrier help webhook` as they do elsewhere.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command to explain; all are listed if none is given."`
}

func (c helpCommand) Run(parser *kong.Kong) error {
	_, err := parser.Parse(append(slices.Clone(c.Command), "--help")) // prints the help and ends the process
	return err
}
