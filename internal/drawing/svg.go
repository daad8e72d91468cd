package drawing

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SVG returns the picture as a file of its own, with its own colours, on white. It has no scripts and no styles.
func (d *Drawing) SVG() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" `+
		`font-family="system-ui, sans-serif">`, d.Width, d.Height)
	fmt.Fprintf(&b, `<title>%s</title><rect width="100%%" height="100%%" fill="#ffffff"/>`, escaped(d.Label))
	for _, s := range d.Shapes {
		if s.Href != "" {
			fmt.Fprintf(&b, `<a href="%s">`, escaped(s.Href))
		}
		class, isHalf := strings.CutSuffix(s.Class, half)
		look, size := looks[class], 13
		if isHalf {
			size = 10
		}
		fill, ink := look.fill, look.ink
		if s.Fill != "" {
			fill, ink = "#"+s.Fill, "#"+Ink(s.Fill)
		}
		fmt.Fprintf(&b, `<svg x="%d" y="%d" width="%d" height="%d">`, s.X, s.Y, s.Width, s.Height)
		if s.Title != "" {
			fmt.Fprintf(&b, `<title>%s</title>`, escaped(s.Title))
		}
		fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="%s" stroke="%s" stroke-width="%d"/>`, fill, look.stroke, look.width)
		if s.Hatch != "" {
			fmt.Fprintf(&b, `<path d="%s" stroke="#adb5bd"/>`, s.Hatch)
		}
		if s.Text != "" {
			fmt.Fprintf(&b, `<text x="8" y="50%%" dominant-baseline="central" font-size="%d" fill="%s">%s</text>`, size, ink, escaped(s.Text))
		}
		b.WriteString(`</svg>`)
		if s.Href != "" {
			b.WriteString(`</a>`)
		}
	}
	b.WriteString(`</svg>`)
	return b.Bytes()
}

// look is how a class of shapes looks in a file.
type look struct {
	fill, stroke, ink string
	width             int
}

var looks = map[string]look{
	"unit-number":           {"none", "none", "#6c757d", 0},
	"face-name":             {"none", "none", "#212529", 0},
	"unit":                  {"#ffffff", "#dee2e6", "#495057", 1},
	"unit reserved":         {"#f8f9fa", "#dee2e6", "#212529", 1},
	"mounted":               {"#e9ecef", "#495057", "#212529", 1},
	"mounted from-behind":   {"#e9ecef", "#495057", "#212529", 1},
	"mounted marked":        {"#e9ecef", "#d63384", "#212529", 5},
	"mounted hidden-record": {"#adb5bd", "#495057", "#000000", 1},
}

// Ink returns the colour, black or white, in which a text is best read on another. The contrast is at least 4.5 to 1 on any.
func Ink(fill string) string {
	light := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		if len(fill) < 2*i+2 {
			return "000000"
		}
		part, _ := strconv.ParseUint(fill[2*i:2*i+2], 16, 8)
		light += weight * linear(float64(part)/255)
	}
	if (light+0.05)*(light+0.05) > 1.05*0.05 {
		return "000000"
	}
	return "ffffff"
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder does not fail
	return b.String()
}

// linear returns how much light a part of an sRGB colour gives.
func linear(part float64) float64 {
	if part <= 0.04045 {
		return part / 12.92
	}
	return math.Pow((part+0.055)/1.055, 2.4)
}
