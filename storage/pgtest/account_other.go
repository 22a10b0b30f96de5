//go:build !unix

package pgtest

import "os/exec"

// account has no meaning here: a server is not started on such a system.
type account struct{}

func unprivileged() (account, error) {
	return account{}, &missingError{"a Postgres server is started by these tests on Unix only"}
}

func (account) own(string) error { return nil }

func (account) run(*exec.Cmd) {}
