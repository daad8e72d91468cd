package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type docsCompletionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c docsCompletionCommand) Run(parser *kong.Kong, s *session) error {
	write := map[string]func(*strings.Builder, *kong.Application){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	var script strings.Builder
	write[c.Shell](&script, parser.Model)
	return s.printf("%s", script.String())
}

// place is a command, or the program itself, as a shell knows it: by the words that lead to it.
type place struct {
	path string // "" or "/user/create"
	node *kong.Node
}

// places returns the program and every command that is shown to people, each before those inside it.
func places(node *kong.Node) []place {
	var all []place
	var visit func(path string, node *kong.Node)
	visit = func(path string, node *kong.Node) {
		all = append(all, place{path, node})
		for _, child := range node.Children {
			if !child.Hidden {
				visit(path+"/"+child.Name, child)
			}
		}
	}
	visit("", node)
	return all
}

// usage returns the words of a command with its arguments.
func (p place) usage() string {
	words := strings.Split(strings.TrimPrefix(p.path, "/"), "/")
	for _, argument := range p.node.Positional {
		words = append(words, argument.Summary())
	}
	return strings.Join(words, " ")
}

// commands returns those directly inside.
func (p place) commands() []*kong.Node {
	return slices.DeleteFunc(slices.Clone(p.node.Children), func(n *kong.Node) bool { return n.Hidden })
}

// flags returns those of the place alone: settings, which every command takes, are with the program. They are hidden from the help only.
func (p place) flags() []*kong.Flag {
	return slices.DeleteFunc(slices.Clone(p.node.Flags), func(f *kong.Flag) bool { return f.Hidden && len(f.Envs) == 0 })
}

// inner returns the paths of all commands, for a pattern of the shell.
func inner(all []place, between string) string {
	var paths []string
	for _, p := range all[1:] {
		paths = append(paths, p.path)
	}
	return strings.Join(paths, between)
}

func bashCompletion(script *strings.Builder, model *kong.Application) {
	all := places(model.Node)
	var valued []string
	for _, p := range all {
		for _, flag := range p.flags() {
			if !flag.IsBool() {
				valued = append(valued, "--"+flag.Name)
			}
		}
	}
	slices.Sort(valued)
	fmt.Fprintf(script, `# bash completion for terrier
_terrier() {
  local at="" word words="" current=${COMP_WORDS[COMP_CWORD]}
  case "${COMP_WORDS[COMP_CWORD-1]}" in
    %s) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at/$word" in
      %s) at="$at/$word" ;;
    esac
  done
  case "$at" in
`, strings.Join(slices.Compact(valued), "|"), inner(all, "|"))
	for _, p := range all {
		var words []string
		for _, command := range p.commands() {
			words = append(words, command.Name)
		}
		for _, flag := range p.flags() {
			words = append(words, "--"+flag.Name)
		}
		fmt.Fprintf(script, "    %q) words=%q ;;\n", p.path, strings.Join(words, " "))
	}
	script.WriteString(`  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _terrier terrier terrier-admin
`)
}

func zshCompletion(script *strings.Builder, model *kong.Application) {
	all := places(model.Node)
	fmt.Fprintf(script, `#compdef terrier terrier-admin
_terrier() {
  local at="" word
  local -a choices
  for word in ${words[2,CURRENT-1]}; do
    case "$at/$word" in
      (%s) at="$at/$word" ;;
    esac
  done
  case "$at" in
`, inner(all, "|"))
	for _, p := range all {
		fmt.Fprintf(script, "    (%q) choices=(\n", p.path)
		for _, command := range p.commands() {
			fmt.Fprintf(script, "      %s\n", quoted(command.Name+":"+command.Help))
		}
		for _, flag := range p.flags() {
			fmt.Fprintf(script, "      %s\n", quoted("--"+flag.Name+":"+firstSentence(flag.Help)))
		}
		script.WriteString("    ) ;;\n")
	}
	script.WriteString("  esac\n  _describe terrier choices || _files\n}\n_terrier \"$@\"\n")
}

func fishCompletion(script *strings.Builder, model *kong.Application) {
	all := places(model.Node)
	fmt.Fprintf(script, `# fish completion for terrier
function __terrier_at
    set -l at ""
    for word in (commandline -opc)[2..-1]
        switch "$at/$word"
            case %s
                set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
`, inner(all, " "))
	for _, program := range []string{"terrier", "terrier-admin"} {
		for _, p := range all {
			for _, command := range p.commands() {
				fmt.Fprintf(script, "complete -c %s -f -n \"__terrier_at '%s'\" -a %s -d %s\n", program, p.path, command.Name, quoted(command.Help))
			}
			for _, flag := range p.flags() {
				value := ""
				if !flag.IsBool() {
					value = " -r"
				}
				fmt.Fprintf(script, "complete -c %s -n \"__terrier_at '%s'\" -l %s%s -d %s\n", program, p.path, flag.Name, value,
					quoted(firstSentence(flag.Help)))
			}
		}
	}
}

// quoted returns text as one word of zsh and fish.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// firstSentence is as much of a help text as a menu has room for.
func firstSentence(text string) string {
	sentence, _, _ := strings.Cut(text, ". ")
	return sentence
}
