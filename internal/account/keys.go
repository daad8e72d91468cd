package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"
)

// MinSecret is the least number of characters of a configured secret key.
const MinSecret = 50

const (
	sealVersion = "v1"
	idLength    = 8 // of the id of a secret, in hexadecimal characters
)

// Keyring has the keys derived from the configured secrets. New values use the current secret; values made with an
// old one can still be read. So processes can be rotated one by one: first every process gets the new secret as an
// old one, then the two are swapped.
type Keyring struct {
	keys []derivedKeys // current first
}

// NewKeyring derives the keys. An old secret given twice, or equal to the current one, is
// taken once.
func NewKeyring(current string, old []string) (*Keyring, error) {
	ring := &Keyring{}
	ids := map[string]string{}
	for i, secret := range append([]string{current}, old...) {
		name := "the secret key"
		if i > 0 {
			name = fmt.Sprintf("old secret key %d", i)
		}
		if utf8.RuneCountInString(secret) < MinSecret {
			return nil, fmt.Errorf("%s must have at least %d characters", name, MinSecret)
		}
		keys, err := derive(secret)
		if err != nil {
			return nil, fmt.Errorf("derive keys from %s: %w", name, err)
		}
		if same, taken := ids[keys.id]; taken {
			if same == secret {
				continue
			}
			return nil, fmt.Errorf("%s has the key id of another secret: use a different one", name)
		}
		ids[keys.id] = secret
		ring.keys = append(ring.keys, keys)
	}
	return ring, nil
}

// ID names the current secret in what is kept with it: sealed values and the digests of
// tokens.
func (k *Keyring) ID() string { return k.keys[0].id }

// IDs names all secrets, the current one first.
func (k *Keyring) IDs() []string {
	ids := make([]string, len(k.keys))
	for i, keys := range k.keys {
		ids[i] = keys.id
	}
	return ids
}

// Prove returns what shows another process with the same secret that a message is ours.
func (k *Keyring) Prove(message []byte) string { return hex.EncodeToString(k.keys[0].prove(message)) }

// Proven reports whether a process that has one of the secrets has made a proof of the message.
func (k *Keyring) Proven(message []byte, proof string) bool {
	given, err := hex.DecodeString(proof)
	return err == nil && slices.ContainsFunc(k.keys, func(d derivedKeys) bool { return hmac.Equal(given, d.prove(message)) })
}

// ChainCode returns a code of the chain of audit events, made with the current secret, and the id of the secret.
func (k *Keyring) ChainCode(message []byte) (keyID string, code []byte) {
	return k.keys[0].id, k.keys[0].chainCode(message)
}

// ChainCodeBy returns the code made with the secret of an id, if there is one.
func (k *Keyring) ChainCodeBy(keyID string, message []byte) (code []byte, known bool) {
	i := slices.IndexFunc(k.keys, func(d derivedKeys) bool { return d.id == keyID })
	if i < 0 {
		return nil, false
	}
	return k.keys[i].chainCode(message), true
}

// ChainKeys returns the ids of all secrets.
func (k *Keyring) ChainKeys() (ids []string) {
	for _, d := range k.keys {
		ids = append(ids, d.id)
	}
	return ids
}

func (d derivedKeys) chainCode(message []byte) []byte {
	mac := hmac.New(sha256.New, d.chain)
	mac.Write(message)
	return mac.Sum(nil)
}

func (d derivedKeys) prove(message []byte) []byte {
	mac := hmac.New(sha256.New, d.proofs)
	mac.Write(message)
	return mac.Sum(nil)
}

// TokenDigest returns what is stored of a token's key, behind the id of the secret. A key has 160 random bits, so a
// fast hash is enough; the pepper makes a stolen table useless even against weak keys.
func (k *Keyring) TokenDigest(key string) []byte {
	return k.keys[0].tokenDigest(key)
}

// TokenDigests returns the digests under which a key may be stored, the current one first. Those without an id come
// last: earlier versions stored none.
func (k *Keyring) TokenDigests(key string) [][]byte {
	digests := make([][]byte, 2*len(k.keys))
	for i, keys := range k.keys {
		digests[i] = keys.tokenDigest(key)
		digests[len(k.keys)+i] = digests[i][idLength/2:]
	}
	return digests
}

// tokenDigest starts with the id of the secret, so that digests that still need an old secret can be counted. The id
// is public.
func (d derivedKeys) tokenDigest(key string) []byte {
	id, _ := hex.DecodeString(d.id) // derive made it, so it is valid
	return append(id, d.digest(key)...)
}

// NameDigests returns digests of a name that was typed into a login, one for each secret, the current one first.
// People type passwords into the wrong field, and a dump must not allow dictionary attacks on them.
func (k *Keyring) NameDigests(name string) [][]byte {
	digests := make([][]byte, len(k.keys))
	for i, keys := range k.keys {
		mac := hmac.New(sha256.New, keys.names)
		mac.Write([]byte(name))
		digests[i] = mac.Sum(nil)
	}
	return digests
}

// Seal encrypts a secret. The aad names the row and field that will hold it, such as "extras.webhook/7/secret": a
// sealed value that is moved elsewhere can't be opened.
func (k *Keyring) Seal(aad string, plaintext []byte) (string, error) {
	if aad == "" {
		return "", errors.New("seal a secret: no row named to bind it to")
	}
	sealed := k.keys[0].aead.Seal(nil, nil, plaintext, []byte(aad))
	return sealVersion + "." + k.keys[0].id + "." + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Open decrypts what Seal made for the same aad.
func (k *Keyring) Open(aad, sealed string) ([]byte, error) {
	id, body, ok := splitSealed(sealed)
	if !ok {
		return nil, fmt.Errorf("open the secret of %s: what is kept there is not a sealed value", aad)
	}
	for _, keys := range k.keys {
		if keys.id != id {
			continue
		}
		plaintext, err := keys.aead.Open(nil, nil, body, []byte(aad))
		if err != nil {
			return nil, fmt.Errorf("open the secret of %s: it was damaged or belongs to another row", aad)
		}
		return plaintext, nil
	}
	return nil, fmt.Errorf("open the secret of %s: it was sealed with key %s; add that secret to the old secret keys", aad, id)
}

// Stale reports whether a sealed value uses an old key and should be sealed again.
func (k *Keyring) Stale(sealed string) bool {
	id, _, ok := splitSealed(sealed)
	return !ok || id != k.keys[0].id
}

func splitSealed(sealed string) (id string, body []byte, ok bool) {
	version, rest, _ := strings.Cut(sealed, ".")
	id, encoded, ok := strings.Cut(rest, ".")
	body, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	return id, body, ok && err == nil && version == sealVersion && len(id) == idLength
}

// Format keeps the keys out of every fmt verb, %#v and %x included.
func (Keyring) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "account.Keyring(redacted)") }

// LogValue keeps the keys out of logs.
func (Keyring) LogValue() slog.Value { return slog.StringValue("account.Keyring(redacted)") }
