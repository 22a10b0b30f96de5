//go:build unix

package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a server of one test's own, which the test can stop on the spot and start again. What it has answered is not lost by
// that: it does not sync to disk, but that only matters when the machine goes down.
type Server struct {
	URL string // of its only database

	tb       testing.TB
	bin, dir string
	as       account
	port     int
}

// NewServer starts a server that ends with the test, or with its process. TEST_DATABASE_URL does not matter: a server that others
// use is not to be stopped.
func NewServer(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{tb: tb}
	require(tb, s.prepare())
	s.Start()
	tb.Cleanup(s.Stop)
	return s
}

// keep removes a directory ($1) at the end of standard input.
const keep = `cat >/dev/null; rm -rf "$1"`

func (s *Server) prepare() (err error) {
	if s.bin, err = binaries(); err != nil {
		return err
	}
	if s.as, err = unprivileged(); err != nil {
		return err
	}
	if s.dir, err = initialise(s.bin, s.as); err != nil {
		return err
	}
	keeper := exec.Command("/bin/sh", "-c", keep, "keep", s.dir)
	s.as.run(keeper)
	pipe, err := keeper.StdinPipe()
	if err == nil {
		err = keeper.Start()
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(s.dir))
	}
	s.tb.Cleanup(func() {
		_ = pipe.Close()
		_ = keeper.Wait()
	})
	s.port, err = freePort()
	s.URL = addressAt(s.port)
	return err
}

// Start starts the server again at its address, and returns when it answers.
func (s *Server) Start() {
	s.tb.Helper()
	var err error
	for range attempts { // the earlier server may not have ended completely
		if err = serve(s.bin, s.dir, "", s.port, s.as, []string{"fsync=off"}); err == nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	s.tb.Fatal(err)
}

// Stop ends the server as a crash does: connections break, nothing is written in order. It returns when the server is gone.
func (s *Server) Stop() {
	s.tb.Helper()
	raw, err := os.ReadFile(filepath.Join(s.dir, "data", "postmaster.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, wrong := strconv.Atoi(strings.TrimSpace(first))
	if err := errors.Join(err, wrong); err != nil {
		s.tb.Fatalf("stop Postgres: %v", err)
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil && !errors.Is(err, syscall.ESRCH) {
		s.tb.Fatalf("stop Postgres: %v", err)
	}
	for late := time.Now().Add(limit); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			s.tb.Fatalf("stop Postgres: process %d does not end", pid)
		}
	}
}
