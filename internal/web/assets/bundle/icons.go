package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// icons are the drawings that pages use, by what they are used for. A section of the menu that has none is shown without.
var icons = map[string]string{
	"add": "plus-lg", "edit": "pencil", "delete": "trash", "filter": "funnel", "search": "search",
	"theme": "circle-half", "theme-system": "display", "theme-light": "sun", "theme-dark": "moon",
	"state-enabled": "check-circle", "state-disabled": "slash-circle", "state-paused": "pause-circle", "state-held": "hourglass-split",
	"state-failing": "exclamation-triangle",

	"section-organization": "building", "section-racks": "hdd-rack", "section-device-types": "collection", "section-devices": "hdd-network",
	"section-component-templates": "puzzle", "section-device-components": "ethernet", "section-aggregates": "layers",
	"section-asns": "globe", "section-vrfs": "signpost-split", "section-prefixes": "diagram-3", "section-ip-addresses": "hash",
	"section-vlans": "bezier2", "section-l2vpns": "shuffle", "section-services": "gear-wide-connected", "section-clusters": "boxes",
	"section-virtual-machines": "pc-display", "section-logging": "journal-text", "section-customization": "sliders",
	"section-provisioning": "file-earmark-code", "section-administration": "people", "section-system": "activity",
}

// sprites is the name of the file with all icons.
const sprites = "icons.svg"

var drawing = regexp.MustCompile(`(?s)^<svg [^>]*viewBox="([0-9 ]+)"[^>]*>(.*)</svg>\s*$`)

// sprite returns the icons in one file, each as a symbol that a page refers to by its name.
func sprite(folder string, icons map[string]string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg">`)
	for _, name := range slices.Sorted(maps.Keys(icons)) {
		content, err := os.ReadFile(filepath.Join(folder, "icons", icons[name]+".svg"))
		if err != nil {
			return nil, err
		}
		parts := drawing.FindSubmatch(content)
		if parts == nil {
			return nil, fmt.Errorf("icon %s is not written as expected", icons[name])
		}
		fmt.Fprintf(&b, "<symbol id=\"%s\" viewBox=\"%s\">%s</symbol>\n", name, parts[1], bytes.TrimSpace(parts[2]))
	}
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}
