package dcim

import "terrier/internal/record"

// consoleTypes are the connectors of console ports and console server ports.
var consoleTypes = record.ChoicesOf(`
de-9 DE-9
db-25 DB-25
rj-11 RJ-11
rj-12 RJ-12
rj-45 RJ-45
mini-din-8 Mini-DIN 8
usb-a USB Type A
usb-b USB Type B
usb-c USB Type C
usb-mini-a USB Mini A
usb-mini-b USB Mini B
usb-micro-a USB Micro A
usb-micro-b USB Micro B
usb-micro-ab USB Micro AB
other Other
`)

// consoleSpeeds are in bits per second.
var consoleSpeeds = []record.NumberOption{
	{Value: 1200, Label: "1200 bps"},
	{Value: 2400, Label: "2400 bps"},
	{Value: 4800, Label: "4800 bps"},
	{Value: 9600, Label: "9600 bps"},
	{Value: 19200, Label: "19.2 kbps"},
	{Value: 38400, Label: "38.4 kbps"},
	{Value: 57600, Label: "57.6 kbps"},
	{Value: 115200, Label: "115.2 kbps"},
}
