package record

import (
	"strings"
	"unicode"
)

// words are parts of names that people write in another way.
var words = map[string]string{
	"asn": "ASN", "asns": "ASNs", "ca": "CA", "clustergroup": "cluster group", "contenttype": "content type", "devicetype": "device type",
	"dns": "DNS", "fhrp": "FHRP", "fhrpgroup": "FHRP group", "inventoryitem": "inventory item", "ip": "IP", "ipaddress": "IP address",
	"ipaddresses": "IP addresses", "l2vpn": "L2VPN", "lan": "LAN", "lans": "LANs", "mac": "MAC", "moduletype": "module type", "nat": "NAT",
	"powerfeed": "power feed", "rir": "RIR", "sitegroup": "site group", "vdc": "VDC", "vid": "VID", "virtualmachine": "virtual machine",
	"vlan": "VLAN", "vlans": "VLANs", "vm": "VM", "vminterface": "VM interface", "vrf": "VRF",
}

// LabelOf returns a label for the name of a field or a filter: "physical_address" → "Physical address", "vlan_count" → "VLAN count".
func LabelOf(name string) string {
	parts := strings.Split(strings.TrimPrefix(name, "_"), "_")
	for i, part := range parts {
		if word, ok := words[part]; ok {
			parts[i] = word
		}
	}
	label := strings.Join(parts, " ")
	if label == "" {
		return "" // the registry refuses it
	}
	return strings.ToUpper(label[:1]) + label[1:]
}

// InSentence returns a label as it is written within a sentence: "Parent device" → "parent device", and "NAT inside" as it is.
func InSentence(label string) string {
	if runes := []rune(label); len(runes) > 1 && unicode.IsLower(runes[1]) {
		return strings.ToLower(label[:1]) + label[1:]
	}
	return label
}
