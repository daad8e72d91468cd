package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"terrier/internal/app"
)

type docsCommands struct {
	Configuration docsConfigurationCommand `cmd:"" help:"Print docs/configuration.md."`
	Metrics       docsMetricsCommand       `cmd:"" help:"Print docs/metrics.md."`
	Man           docsManCommand           `cmd:"" help:"Print the manual page terrier.1."`
	Completion    docsCompletionCommand    `cmd:"" help:"Print the completion for a shell."`
}

type docsConfigurationCommand struct{}

func (docsConfigurationCommand) Run(parser *kong.Kong, s *session) error {
	return s.printf("%s", configurationPage(parser.Model))
}

type docsMetricsCommand struct{}

func (docsMetricsCommand) Run(s *session) error { return s.printf("%s", app.MetricsPage()) }

const configurationIntro = `<!-- Generated from the settings struct: make docs -->

# Configuration

[Documentation](README.md) › [Reference](README.md#reference)

Terrier takes each setting from the first of these places that has it: the command line, the environment, the settings
file, the default. Lists are separated by commas on the command line and in the environment.

The settings file is a JSON object, named by ` + "`--config FILE` or `TERRIER_CONFIG`" + `. Its keys are the names of the flags with
underscores; a key that is not a setting is refused:

` + "```json" + `
{
  "database_url": "postgres://terrier:secret@db.example.com:5432/terrier",
  "base_url": "https://terrier.example.com",
  "exempt_view_permissions": ["dcim.site", "dcim.region"]
}
` + "```" + `

| environment | flag | default | meaning |
|---|---|---|---|
`

func configurationPage(model *kong.Application) string {
	var page strings.Builder
	page.WriteString(configurationIntro)
	for _, flag := range settingFlags(model) {
		name := "--" + flag.Name
		if flag.Tag.Negatable != "" {
			name = "--[no-]" + flag.Name
		}
		value := "—"
		if flag.Default != "" {
			value = "`" + flag.Default + "`"
		}
		meaning := strings.ReplaceAll(flag.Help, "|", `\|`)
		fmt.Fprintf(&page, "| `%s` | `%s` | %s | %s |\n", strings.Join(flag.Envs, "`, `"), name, value, meaning)
	}
	return page.String()
}
