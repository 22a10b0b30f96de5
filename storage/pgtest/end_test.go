package pgtest_test

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"sluice/storage/pgtest"
)

// victim tells a copy of this test program to start a server and to wait for its end.
const victim = "SLUICE_PGTEST_VICTIM"

func TestVictim(t *testing.T) {
	if os.Getenv(victim) == "" {
		t.Skip("run by TestServerEndsWithItsProcess")
	}
	address := pgtest.URL(t)
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	var dir string
	if err := db.QueryRowContext(t.Context(), "SHOW data_directory").Scan(&dir); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nserver %s %s\n", address, dir)
	select {}
}

func TestServerEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	if os.Getenv("TEST_DATABASE_URL") != "" {
		t.Skip("the server of TEST_DATABASE_URL is not ours to end")
	}
	pgtest.URL(t) // says so when there can be no server
	process := exec.Command(os.Args[0], "-test.run=^TestVictim$", "-test.v")
	process.Env = append(os.Environ(), victim+"=1")
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	address, dir := "", ""
	for lines := bufio.NewScanner(output); dir == "" && lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) == 3 && words[0] == "server" {
			address, dir = words[1], words[2]
		}
	}
	if dir == "" {
		t.Fatal("the other process started no server")
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// It was killed: that is its error.
	_ = process.Wait()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		_, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server's directory is still there: %v", err)
		}
	}
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.PingContext(t.Context()); err == nil {
		t.Fatal("the server is still there")
	}
}
