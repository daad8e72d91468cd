package ipam

import (
	"net/netip"
	"strconv"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// availablePrefixes are the actions of a prefix that list its free space, and that create prefixes in it.
var availablePrefixes = []record.Action{
	{Name: "available-prefixes", Method: "GET", Needs: "view", Limited: true, // which has no effect
		Reads: []string{"prefix", "vrf"},
		Doc:   "List the free space of a prefix as the fewest, largest networks",
		Answer: record.Schema{"type": "array", "items": record.Schema{"type": "object", "required": []string{"family", "prefix", "vrf"},
			"properties": record.Schema{"family": record.Schema{"type": "integer"}, "prefix": record.Schema{"type": "string"}, "vrf": nested}}},
		Do: func(c record.Call) (any, error) {
			of := c.Record()
			blocks, err := c.FreeBlocks("ipam.prefix", of.Link("vrf").ID, netip.MustParsePrefix(of.Text("prefix")))
			items := make([]map[string]any, len(blocks))
			for i, block := range blocks {
				items[i] = map[string]any{"family": familyOf(block.Addr()), "prefix": block.String(), "vrf": record.Shown{Of: of, Field: "vrf"}}
			}
			return items, err
		}},
	{Name: "available-prefixes", Method: "POST", Label: "Allocate prefixes", Needs: "view", Adds: "ipam.prefix", ListErrors: true,
		Reads: []string{"prefix", "vrf"}, Sets: []string{"prefix", "vrf"}, Suggests: suggestLength,
		Doc: "Create prefixes in the free space of a prefix, each on the lowest network of its length. " +
			"Two requests at once never get the same one",
		Body: record.Fields{record.Int{Name: "prefix_length", Required: true, NumberOnly: true, Min: new(int64(1)), Max: new(int64(128)),
			Help: "Such as 28."}},
		Do: takePrefixes},
}

// suggestLength returns the length that is wanted most often in a prefix: that of a subnet, or else a quarter of it.
func suggestLength(of record.Values) map[string]string {
	in := netip.MustParsePrefix(of.Text("prefix"))
	subnet := 64
	if in.Addr().Is4() {
		subnet = 24
	}
	if in.Bits() >= subnet {
		subnet = min(in.Bits()+2, in.Addr().BitLen())
	}
	if subnet == in.Bits() {
		return nil // there is no room in a single address
	}
	return map[string]string{"prefix_length": strconv.Itoa(subnet)}
}

func takePrefixes(c record.Call) (any, error) {
	of := c.Record()
	parent := netip.MustParsePrefix(of.Text("prefix"))
	lengths, errs, bad := make([]int, len(c.Inputs())), make([]fault.Fields, len(c.Inputs())), false
	for i, in := range c.Inputs() {
		errs[i] = fault.Fields{}
		if lengths[i] = int(in.Int("prefix_length")); lengths[i] > parent.Addr().BitLen() {
			errs[i].Add("prefix_length", "The length of a network in %s is at most %d.", parent, parent.Addr().BitLen())
			bad = true
		}
	}
	if bad {
		return nil, &fault.Error{Kind: fault.Invalid, Items: errs}
	}
	blocks, err := c.TakeBlocks("ipam.prefix", of.Link("vrf").ID, parent, lengths)
	if err != nil {
		return nil, err
	}
	if n := len(blocks); n < len(lengths) {
		return nil, fault.New(fault.Held, "%s does not have enough free space: %d prefixes requested, %d available, and then no /%d.", parent,
			len(lengths), n, lengths[n])
	}
	wanted := make([]map[string]any, len(blocks))
	for i, in := range c.Inputs() {
		wanted[i] = in.Fields
		wanted[i]["prefix"], wanted[i]["vrf"] = blocks[i].String(), idOrNull(of.Link("vrf"))
	}
	return c.Create("ipam.prefix", wanted...)
}
