package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type docsManCommand struct{}

func (docsManCommand) Run(parser *kong.Kong, s *session) error {
	return s.printf("%s", manPage(parser.Model, s.config.Version))
}

// manPage returns terrier.1: the commands with their flags, then the settings.
func manPage(model *kong.Application, version string) string {
	var page strings.Builder
	fmt.Fprintf(&page, ".TH TERRIER 1 \"\" %q \"Terrier\"\n", "terrier "+version)
	fmt.Fprintf(&page, ".SH NAME\nterrier \\- %s\n", roff(strings.TrimSuffix(model.Help, ".")))
	page.WriteString(".SH SYNOPSIS\n.B terrier\n.I command\n[flags]\n.SH COMMANDS\n")
	for _, command := range places(model.Node) {
		if !command.node.Leaf() {
			continue
		}
		fmt.Fprintf(&page, ".SS terrier %s\n%s\n", roff(command.usage()), roff(command.node.Help))
		for _, argument := range command.node.Positional {
			fmt.Fprintf(&page, ".TP\n.I %s\n%s\n", roff(strings.ToUpper(argument.Name)), roff(argument.Help))
		}
		for _, flag := range command.flags() {
			manFlag(&page, flag)
		}
	}
	page.WriteString(".SH SETTINGS\nEach is taken from the first place that has it: the flag, the environment, the file that\n" +
		".B \\-\\-config\nnames, the default.\n")
	for _, flag := range settingFlags(model) {
		manFlag(&page, flag)
	}
	page.WriteString(".SH EXIT STATUS\n0 for success, 1 for failure.\n")
	page.WriteString(".SH FILES\n.TP\n.I /etc/terrier/terrier.env\nSettings of the services that the packages bring.\n")
	return page.String()
}

func manFlag(page *strings.Builder, flag *kong.Flag) {
	name := "--" + flag.Name
	if flag.Tag.Negatable != "" {
		name = "--[no-]" + flag.Name
	}
	if !flag.IsBool() {
		name += "=" + flag.FormatPlaceHolder()
	}
	fmt.Fprintf(page, ".TP\n.B %s\n%s\n", roff(name), roff(flag.Help))
	if isSetting(flag) {
		fmt.Fprintf(page, "(%s)\n", roff(strings.Join(flag.Envs, ", ")))
	}
}

// roff returns text that man shows as it is.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
