package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"terrier/internal/fault"
)

// yamlCost is what a value costs while a text is read as a whole, compared with JSON, which is read record by record.
const yamlCost = 2

func (in *reading) readYAML(text []byte) error {
	if err := in.spend(yamlMarks(text) * yamlCost); err != nil {
		return err
	}
	root, err := parseYAML(text)
	if err != nil {
		return err
	}
	items := []*yaml.Node{root}
	if root.Kind == yaml.SequenceNode {
		items = root.Content
	}
	for _, item := range items {
		if item.Kind == yaml.AliasNode || item.Anchor != "" {
			return noAnchors(item)
		}
		if item.Kind != yaml.MappingNode {
			return notAnObject(item.Line)
		}
		value, err := fromNode(item, 1)
		if err != nil {
			return err
		}
		if err := in.object(item.Line, value.(map[string]any)); err != nil {
			return err
		}
	}
	return nil
}

// yamlMarks returns an upper bound of the number of values and comments in a text, from the characters that must
// separate them.
func yamlMarks(text []byte) int {
	marks := 0
	before := byte(' ')
	for i, c := range text {
		switch c {
		case ',', '[', '{':
			marks++
		case '#':
			if space(before) {
				marks++
			}
		case '-', '?', ':':
			if i+1 == len(text) || space(text[i+1]) || c == ':' && (before == '"' || before == '\'') {
				marks++
			}
		}
		before = c
	}
	return marks
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// parseYAML reads the text into nodes, without resolving aliases: resolving them could build an endless text from a
// few lines.
func parseYAML(text []byte) (root *yaml.Node, err error) {
	defer func() {
		// The parser is a library and the text comes from a stranger: a text that makes it panic can't be read.
		if recover() != nil {
			root, err = nil, fault.Field(fault.General, "This YAML can't be read.")
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var document, another yaml.Node
	if err := dec.Decode(&document); err != nil {
		return nil, yamlError(err)
	}
	if err := dec.Decode(&another); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, yamlError(err)
		}
		return nil, fault.Field(fault.General, "line %d: a second document begins. Put all records into one list.", another.Line)
	}
	return document.Content[0], nil
}

var yamlLine = regexp.MustCompile(`^line \d+: `)

func yamlError(err error) error {
	if errors.Is(err, io.EOF) {
		return fault.Field(fault.General, "There is nothing to import: the text is empty.")
	}
	said := strings.TrimPrefix(err.Error(), "yaml: ")
	line := yamlLine.FindString(said)
	near := ""
	if line != "" { // the parser is off by one at times
		near = "near " + line
	}
	return fault.Field(fault.General, "%sthis is not YAML: %s", near, strings.TrimPrefix(said, line))
}

func noAnchors(n *yaml.Node) error {
	return fault.Field(fault.General, "line %d: anchors and aliases (& and *) are not understood: write the value out", n.Line)
}

// fromNode returns what decoding JSON would return for the same value.
func fromNode(n *yaml.Node, depth int) (any, error) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return nil, noAnchors(n)
	case depth > maxDepth && n.Kind != yaml.ScalarNode:
		return nil, fault.Field(fault.General, "line %d: this is more than %d levels deep", n.Line, maxDepth)
	case n.Kind == yaml.SequenceNode:
		items := make([]any, len(n.Content))
		for i, child := range n.Content {
			var err error
			if items[i], err = fromNode(child, depth+1); err != nil {
				return nil, err
			}
		}
		return items, nil
	case n.Kind == yaml.MappingNode:
		return fromMapping(n, depth)
	}
	return fromScalar(n)
}

func fromMapping(n *yaml.Node, depth int) (any, error) {
	object := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.AliasNode || key.Anchor != "" {
			return nil, noAnchors(key)
		}
		if key.Kind != yaml.ScalarNode {
			return nil, fault.Field(fault.General, "line %d: a key must be a text", key.Line)
		}
		if _, twice := object[key.Value]; twice {
			return nil, fault.Field(fault.General, "line %d: key %q is there twice", key.Line, cut(key.Value))
		}
		value, err := fromNode(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		object[key.Value] = value
	}
	return object, nil
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// fromScalar reads a single value. Numbers are those of JSON; what else YAML reads as one, such as 007 or 0x1f, stays
// a text, and so do dates.
func fromScalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int", "!!float":
		if jsonNumber.MatchString(n.Value) {
			return json.Number(n.Value), nil
		}
		return n.Value, nil
	case "!!str", "!!timestamp", "!!merge":
		return n.Value, nil
	}
	return nil, fault.Field(fault.General, "line %d: the tag %s is not understood: write plain values", n.Line, cut(n.ShortTag()))
}
