package main

import "terrier/internal/app"

// devCommands are for those who change the program.
type devCommands struct {
	Migration devMigrationCommand `cmd:"" help:"Draft the migration that creates the tables of record types."`
}

type devMigrationCommand struct {
	Types []string `arg:"" name:"type" help:"The name of a record type, such as dcim.rack."`
}

func (c devMigrationCommand) Run(s *session) error {
	text, err := app.DraftMigration(c.Types)
	if err != nil {
		return err
	}
	return s.printf("%s", text)
}
