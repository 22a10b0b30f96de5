package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// missingError means that there is no server to be had on this machine.
type missingError struct{ reason string }

func (e *missingError) Error() string {
	return e.reason + ": set TEST_DATABASE_URL, or install a Postgres server"
}

// watch runs the server ($2 ...) until standard input ends, and removes its directory ($1) then.
const watch = `dir=$1; shift
"$@" & server=$!
exec 3<&0
(cat <&3; kill -QUIT $server) >/dev/null 2>&1 &
wait $server
status=$?
rm -rf "$dir"
exit $status`

// attempts is how often a start is tried: another process may take the port between looking for one and using it.
const attempts = 5

// start starts a server and returns the address of its database postgres.
func start(settings []string) (string, error) {
	bin, err := binaries()
	if err != nil {
		return "", err
	}
	as, err := unprivileged()
	if err != nil {
		return "", err
	}
	var address string
	for range attempts {
		if address, err = startOnce(bin, as, settings); err == nil {
			break
		}
	}
	return address, err
}

func startOnce(bin string, as account, settings []string) (string, error) {
	dir, err := initialise(bin, as)
	if err != nil {
		return "", err
	}
	port, err := freePort()
	if err != nil {
		return "", err
	}
	return addressAt(port), serve(bin, dir, dir, port, as, settings)
}

// initialise makes a directory with what a server needs to start.
func initialise(bin string, as account) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "sluice-postgres-"); err != nil {
		return "", err
	}
	if err := as.own(dir); err != nil {
		return "", err
	}
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
		"--locale=C", "--no-sync", "--no-instructions")
	initdb.Dir = dir
	as.run(initdb)
	if output, err := initdb.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("initdb: %w\n%s", err, output), os.RemoveAll(dir))
	}
	return dir, nil
}

// addressAt is the address of the database postgres on a server that is started here.
func addressAt(port int) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
}

// serve runs the server until the end of this process; remove, if anything, goes with it.
func serve(bin, dir, remove string, port int, as account, settings []string) error {
	args := []string{"-c", watch, "watch", remove, filepath.Join(bin, "postgres"), "-D", filepath.Join(dir, "data")}
	// Compiling a query costs more than any test's query does. The servers of the tests have small tables.
	settings = append([]string{
		"listen_addresses=127.0.0.1", fmt.Sprintf("port=%d", port), "unix_socket_directories=", "max_connections=300",
		"log_min_messages=fatal", "timezone=UTC", "jit=off",
	}, settings...)
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	server := exec.Command("/bin/sh", args...)
	server.Dir = dir
	as.run(server)
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	// The pipe is never closed: it ends with this process.
	if _, err := server.StdinPipe(); err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	deadline := time.After(limit)
	for {
		err := run(addressAt(port), "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return fmt.Errorf("start Postgres: %s", log.String())
		case <-deadline:
			return fmt.Errorf("start Postgres: it does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

// binaries finds a directory with a server's programs: on PATH, else the highest version where packages put them.
func binaries() (string, error) {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
		"/usr/local/pgsql/bin",
	} {
		// The patterns are valid: there is no other error.
		found, _ := filepath.Glob(pattern)
		slices.Reverse(found)
		dirs = append(dirs, found...)
	}
	for _, dir := range dirs {
		if isProgram(filepath.Join(dir, "initdb")) && isProgram(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", &missingError{"no Postgres server was found on PATH nor in the usual directories"}
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
