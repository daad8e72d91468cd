package account

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// derivedKeys is derived from one configured secret: a key for each purpose, so that none serves two.
type derivedKeys struct {
	id     string
	pepper []byte
	names  []byte // for names that were typed into a login
	proofs []byte // for messages between processes
	chain  []byte // for the chain of audit events
	aead   cipher.AEAD
}

func (d derivedKeys) digest(key string) []byte {
	mac := hmac.New(sha256.New, d.pepper)
	mac.Write([]byte(Normalise(key)))
	return mac.Sum(nil)
}

func derive(secret string) (derivedKeys, error) {
	pepper, err := subKey(secret, "terrier/token-pepper/v1", 32)
	if err != nil {
		return derivedKeys{}, err
	}
	names, err := subKey(secret, "terrier/login-name/v1", 32)
	if err != nil {
		return derivedKeys{}, err
	}
	proofs, err := subKey(secret, "terrier/process-proof/v1", 32)
	if err != nil {
		return derivedKeys{}, err
	}
	chain, err := subKey(secret, "terrier/audit-chain/v1", 32)
	if err != nil {
		return derivedKeys{}, err
	}
	sealing, err := subKey(secret, "terrier/secret-sealing/v1", 32)
	if err != nil {
		return derivedKeys{}, err
	}
	id, err := subKey(secret, "terrier/key-id/v1", 4)
	if err != nil {
		return derivedKeys{}, err
	}
	aead, err := newAEAD(sealing)
	if err != nil {
		return derivedKeys{}, err
	}
	return derivedKeys{id: hex.EncodeToString(id), pepper: pepper, names: names, proofs: proofs, chain: chain, aead: aead}, nil
}

// subKey derives the key for one purpose. No salt: every process must derive the same.
func subKey(secret, purpose string, length int) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(secret), nil, purpose, length)
}

// newAEAD draws a random nonce for each seal and keeps it in front of the ciphertext. 96
// random bits are safe for far more secrets than a register will ever hold.
func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
