package account

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"

	"terrier/internal/fault"
)

// A key is 160 bits written as 40 hexadecimal characters.
const (
	keyLength   = 40
	hintLength  = 6
	minDistinct = 8
	maxRun      = 9             // the same digit in a row
	maxSame     = 17            // the same digit anywhere
	maxPeriod   = keyLength / 2 // of a block that is repeated
	maxRepeated = 15            // digits that repeat the one a period before
	maxCounting = 17            // digits that differ from the one before by the same step
)

// NewKey draws a token's key.
func NewKey() string {
	b := make([]byte, keyLength/2)
	_, _ = rand.Read(b) // never fails: the process ends instead
	return hex.EncodeToString(b)
}

// Normalise returns the one spelling of a key that is hashed.
func Normalise(key string) string { return strings.ToLower(key) }

// Hint returns the part of a key that may be shown again, to tell tokens apart.
func Hint(key string) string {
	if len(key) < hintLength {
		return ""
	}
	return Normalise(key[len(key)-hintLength:])
}

// CheckKey judges a key that was supplied rather than drawn. It returns what is wrong with it, or the empty string.
// The limits are so far from chance that nearly every drawn key passes: two in 10⁹ are refused. Of 10¹² keys 50 have
// too few distinct digits, 100 too many of one, 450 a long run, 1,300 repeat themselves and 60 count.
func CheckKey(key string) string {
	if !wellFormed(key) {
		return "A key must be exactly 40 hexadecimal characters."
	}
	var d digits
	for i := range d {
		d[i] = byte(nibble(key[i]))
	}
	if d.uneven() || d.longestRun() > maxRun || d.periodic() || d.counting() {
		return "This key is too easy to guess. Leave it empty to have one generated."
	}
	return ""
}

func wellFormed(key string) bool {
	if len(key) != keyLength {
		return false
	}
	for i := range len(key) {
		if nibble(key[i]) < 0 {
			return false
		}
	}
	return true
}

func nibble(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// digits are those of a key, as numbers.
type digits [keyLength]byte

// uneven reports whether a key has few distinct digits or too many of one.
func (d digits) uneven() bool {
	var counts [16]int
	distinct := 0
	for _, digit := range d {
		if counts[digit] == 0 {
			distinct++
		}
		counts[digit]++
	}
	return distinct < minDistinct || slices.Max(counts[:]) > maxSame
}

func (d digits) longestRun() int {
	longest, run := 0, 0
	for i, digit := range d {
		if i > 0 && digit != d[i-1] {
			run = 0
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// periodic reports whether a key is mostly a shorter text repeated.
func (d digits) periodic() bool {
	for p := 1; p <= maxPeriod; p++ {
		repeated := 0
		for i := p; i < keyLength; i++ {
			if d[i] == d[i-p] {
				repeated++
			}
		}
		if repeated > maxRepeated {
			return true
		}
	}
	return false
}

// counting reports whether many digits of a key go up or down by the same step, such as 0123456789abcdef0123…
func (d digits) counting() bool {
	var steps [16]int
	for i := 1; i < keyLength; i++ {
		steps[(d[i]-d[i-1])%16]++ // bytes wrap at 256, which is a multiple
	}
	return slices.Max(steps[:]) > maxCounting
}

// ParseAuthorization takes the key out of an Authorization header. Without a header, or with another scheme, present
// is false and there is no error: the caller decides whether that matters.
func ParseAuthorization(header string) (key string, present bool, err error) {
	words := strings.Fields(header)
	if len(words) == 0 || !strings.EqualFold(words[0], "Token") {
		return "", false, nil
	}
	switch len(words) {
	case 1:
		return "", true, fault.New(fault.Denied, "Invalid token header. No credentials provided.")
	case 2:
		return words[1], true, nil
	}
	return "", true, fault.New(fault.Denied, "Invalid token header. Token string should not contain spaces.")
}
