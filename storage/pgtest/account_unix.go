//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the user as whom the server runs; nil is the one of this process.
type account struct{ as *syscall.Credential }

// unprivileged is the present user, unless that is root, as whom Postgres refuses to run.
func unprivileged() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return account{}, fmt.Errorf("user %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return account{}, fmt.Errorf("user %s: %w", name, err)
		}
		return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return account{}, &missingError{"Postgres does not run as root, and there is no user postgres or nobody"}
}

// own gives a directory to the account.
func (a account) own(dir string) error {
	if a.as == nil {
		return nil
	}
	return os.Chown(dir, int(a.as.Uid), int(a.as.Gid))
}

// run makes a command run as the account, out of reach of the signals that a terminal sends to the tests.
func (a account) run(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.as, Setpgid: true}
}
