package account

import (
	"context"
	"encoding/hex"

	"terrier/internal/record"
)

// Sealer protects the secrets of records: passwords as slow hashes, token keys as keyed digests, everything else
// encrypted and bound to its row.
type Sealer struct {
	Keys      *Keyring
	Passwords *Passwords
}

// Open returns an encrypted secret.
func (s *Sealer) Open(row string, sealed record.Sealed) (record.Plain, error) {
	plain, err := s.Keys.Open(row, string(sealed))
	return record.Plain(plain), err
}

// Stale reports whether an encrypted secret should be sealed again, with the current key.
func (s *Sealer) Stale(sealed record.Sealed) bool { return s.Keys.Stale(string(sealed)) }

// Refuse returns why a secret is not good enough, or "".
func (s *Sealer) Refuse(secret record.Secrecy, plain record.Plain) string {
	switch secret.Seal {
	case record.Password:
		return CheckPassword(string(plain))
	case record.TokenKey:
		return CheckKey(string(plain))
	}
	return ""
}

// Digests returns what may be stored of the key of a token: one form for each secret, current and old.
func (s *Sealer) Digests(key record.Plain) (all []record.Sealed) {
	for _, digest := range s.Keys.TokenDigests(Normalise(string(key))) {
		all = append(all, record.Sealed(hex.EncodeToString(digest)))
	}
	return all
}

// NewKey makes the key of a token.
func (s *Sealer) NewKey() record.Plain { return record.Plain(NewKey()) }

// Seal returns what is stored of a secret, and the part of a token's key that may be shown.
func (s *Sealer) Seal(ctx context.Context, secret record.Secrecy, row string, plain record.Plain) (record.Sealed, string, error) {
	switch secret.Seal {
	case record.Password:
		hash, err := s.Passwords.Hash(ctx, string(plain))
		return record.Sealed(hash), "", err
	case record.TokenKey:
		key := Normalise(string(plain))
		return record.Sealed(hex.EncodeToString(s.Keys.TokenDigest(key))), Hint(key), nil
	}
	sealed, err := s.Keys.Seal(row, []byte(plain))
	return record.Sealed(sealed), "", err
}
