package fill

import (
	"hash/fnv"
	"math"
	"strings"
)

// Words for measurements. None of the other words contains one of them.
const (
	CommonWord = "lighthouse"
	RareWord   = "quokka"
	NoWord     = "zyzzyva" // in no row
)

// words are what texts are made of.
var words = strings.Fields(`access amber annex archive atlas backbone basement battery beacon bridge cabinet campus canal carrier cellar
	central circuit copper core corner cooling customer distribution district duct eastern edge entrance exchange fibre floor gallery gate
	generator granite hall harbour inner junction lease leased meadow metro mill national network northern office orchard outer partner
	patch pier plant point power primary quarter rack regional reserve ring river roof room rural secondary shared southern spare square
	station stone storage street switch tower transit tunnel upper valley vendor warehouse western wharf wing yard`)

// Row is one value to make: a field of the row I of the N rows of a call of Fill.
type Row struct {
	I, N   int
	Number int // of the row among all rows of its type, from 1
	ID     int64

	salt uint64 // of the field
	try  int
}

// Draw returns a number that is at least 0 and less than n. A value that needs several numbers gives each draw another what.
func (r Row) Draw(what, n int) int {
	return int(mix(r.salt+uint64(r.Number)<<24+uint64(r.try)<<16+uint64(what)) % uint64(n))
}

// Among reports whether the row is one of a share of all N rows. Exactly that many rows are, rounded, and they are scattered.
func (r Row) Among(share float64) bool { return r.place() < int(math.Round(share*float64(r.N))) }

// AmongLast reports whether the row is one of k of the N rows. They are scattered, and others than those of Among.
func (r Row) AmongLast(k int) bool { return r.place() >= r.N-k }

// place returns the place of the row in an order of the N rows that depends on the field.
func (r Row) place() int {
	step := uint64(r.N)/3 + r.salt%uint64(r.N/3+1)
	for gcd(step, uint64(r.N)) != 1 {
		step++
	}
	return int(uint64(r.I) * step % uint64(r.N))
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Words returns a text of n words.
func (r Row) Words(n int) string {
	var b strings.Builder
	for i := range n {
		word := words[r.Draw(100+i, len(words))]
		if i == 0 {
			b.WriteByte(word[0] - 'a' + 'A')
			word = word[1:]
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

// ForSearch returns the recipe of sites to search in: CommonWord is in the description of 8 % of them, RareWord in that of three, and
// 10 % are planned.
func ForSearch() Recipe {
	return Recipe{
		"description": func(r Row) any {
			text := r.Words(4 + r.Draw(0, 4))
			switch {
			case r.AmongLast(3):
				return text + " " + RareWord
			case r.Among(0.08):
				return text + " " + CommonWord
			}
			return text
		},
		"status": func(r Row) any {
			if r.Among(0.1) {
				return "planned"
			}
			return []string{"active", "active", "active", "staging", "decommissioning", "retired"}[r.Draw(0, 6)]
		},
	}
}

// mix scatters a number over all numbers of its size (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// saltOf returns a number for a name, different with each seed.
func saltOf(seed uint64, name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // it never fails
	return mix(seed ^ h.Sum64())
}
