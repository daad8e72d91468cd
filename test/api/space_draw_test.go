package api_test

import (
	"net/netip"

	"pgregory.net/rapid"
)

func drawKind(t *rapid.T) string {
	return rapid.SampledFrom([]string{aPrefix, anAddress, aRange, aPrefix, anAddress, aBlock, aPrefix}).Draw(t, "kind")
}

// drawHost draws from few addresses, so that many records have to do with each other. Some are at the ends of all addresses.
func drawHost(t *rapid.T) netip.Addr {
	net, host := byte(rapid.IntRange(0, 1).Draw(t, "net")), byte(rapid.IntRange(0, 70).Draw(t, "host"))
	edge := rapid.IntRange(0, 15).Draw(t, "edge")
	if rapid.Bool().Draw(t, "IPv6") {
		a := [16]byte{0x20, 1, 0xd, 0xb8, 7: net, 15: host}
		for i := range 15 {
			switch edge {
			case lowest:
				a[i] = 0
			case highest:
				a[i] = 0xff
			}
		}
		switch edge {
		case highest:
			a[15] = 255 - host
		case lowest:
			a[13] = net // such as ::1:7, which some write as ::0.1.0.7
		}
		return netip.AddrFrom16(a)
	}
	switch edge {
	case lowest:
		return netip.AddrFrom4([4]byte{0, 0, 0, host})
	case highest:
		return netip.AddrFrom4([4]byte{255, 255, 255, 255 - host})
	}
	return netip.AddrFrom4([4]byte{10, 0, net, host})
}

const lowest, highest = 14, 13

// drawPlace draws a record. Some of those it draws are refused whatever else there is.
func drawPlace(t *rapid.T, kind string) place {
	host := drawHost(t)
	four := host.Is4()
	p := place{kind: kind, status: "active", table: rapid.IntRange(0, 2).Draw(t, "table")}
	wrong := rapid.IntRange(0, 20).Draw(t, "wrong") == 20
	lengths := []int{64, 56, 120, 126, 124, 127, 128, 62, 48, 44, 122}
	if four {
		lengths = []int{24, 26, 30, 29, 28, 31, 32, 22, 20}
	}
	length := rapid.SampledFrom(lengths).Draw(t, "length")
	switch p.net = netip.PrefixFrom(host, length); kind {
	case aPrefix, aBlock:
		if !wrong {
			p.net = p.net.Masked()
		}
		if kind == aBlock {
			p.table = 0
			break
		}
		p.status = rapid.SampledFrom([]string{"active", "container", "reserved"}).Draw(t, "status")
		p.pool = rapid.IntRange(0, 3).Draw(t, "pool") == 3
		p.full = rapid.IntRange(0, 7).Draw(t, "full") == 7
	case anAddress:
		p.role = rapid.SampledFrom([]string{"", "vip", "loopback", "anycast"}).Draw(t, "role")
		if wrong {
			p.status = "slaac"
		}
	case aRange:
		end := p.net.Addr()
		for more := rapid.IntRange(1, 40).Draw(t, "more"); more > 0 && end.Next().IsValid(); more-- {
			end = end.Next()
		}
		p.full = rapid.IntRange(0, 7).Draw(t, "full") == 7
		p.end = netip.PrefixFrom(end, length)
		if wrong {
			p.end = netip.PrefixFrom(drawHost(t), 32)
		}
	}
	return p
}
