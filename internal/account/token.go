package account

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"terrier/internal/fault"
)

// A key is 160 bits written as 40 hexadecimal characters.
const (
	keyLength   = 40
	hintLength  = 6
	minDistinct = 8
	maxPeriod   = keyLength / 2
)

// NewKey draws a token's key.
func NewKey() string {
	b := make([]byte, keyLength/2)
	_, _ = rand.Read(b) // never fails: the process ends instead
	return hex.EncodeToString(b)
}

// Normalise gives the one spelling of a key that is hashed.
func Normalise(key string) string { return strings.ToLower(key) }

// Hint is the part of a key that may be shown again, to tell tokens apart.
func Hint(key string) string {
	if len(key) < hintLength {
		return ""
	}
	return Normalise(key[len(key)-hintLength:])
}

// CheckKey judges a key that was supplied rather than drawn. It returns what is wrong with
// it, or the empty string. The limits are so far from chance that a drawn key passes: seven
// distinct digits or fewer happen once in 10¹⁰ keys.
func CheckKey(key string) string {
	if !wellFormed(key) {
		return "A key must be exactly 40 hexadecimal characters."
	}
	if key = Normalise(key); distinct(key) < minDistinct || periodic(key) || counting(key) {
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

func distinct(key string) int {
	seen := map[byte]bool{}
	for i := range len(key) {
		seen[key[i]] = true
	}
	return len(seen)
}

// periodic finds a key that is a shorter text written again and again.
func periodic(key string) bool {
	for p := 1; p <= maxPeriod; p++ {
		if key[p:] == key[:len(key)-p] {
			return true
		}
	}
	return false
}

// counting finds a key whose digits mostly go up or down by the same step, such as
// 0123456789abcdef0123…
func counting(key string) bool {
	var steps [16]int
	for i := 1; i < len(key); i++ {
		steps[(nibble(key[i])-nibble(key[i-1])+16)%16]++
	}
	for _, n := range steps {
		if n >= len(key)*3/4 {
			return true
		}
	}
	return false
}

// ParseAuthorization takes the key out of an Authorization header. Without a header, or
// with another scheme, present is false and there is no error: whether that matters is for
// the caller to say.
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
