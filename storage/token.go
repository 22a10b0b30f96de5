package storage

import "time"

// Token lets a program ask by HTTP in the place of a person. The token itself is not stored.
type Token struct {
	ID      string
	Hash    []byte // SHA-256 of the token; two tokens cannot have the same one
	User    string
	Name    string // what it is for
	Created time.Time
	Expires time.Time // zero = never
	Revoked time.Time // zero = it counts
}
