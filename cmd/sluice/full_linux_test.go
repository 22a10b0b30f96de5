package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAFullDiskEndsNothing starts the program on a full disk: it waits, says so, and serves as soon as there is space.
func TestAFullDiskEndsNothing(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	w := &world{T: t, setup: setup{apart: true, database: "sqlite:" + filepath.Join(disk, "sluice.db")}, data: t.TempDir(), addr: "127.0.0.1:0", web: &http.Client{Timeout: patience}}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	address := reserved(t)
	w.settings = []string{"SLUICE_HTTP_ADDR=" + address, "SLUICE_DATABASE_WAIT=0s"}
	w.startDev()
	w.startBot()
	w.bot.stop(t)

	ballast := filepath.Join(disk, "ballast")
	fill(t, ballast)
	w.bot = w.serve("serve on a full disk")
	if _, err := w.bot.says(`no space`); err != nil {
		t.Fatal(err)
	}
	if text := w.ready(address, http.StatusServiceUnavailable); !strings.Contains(text, "no space") {
		t.Errorf("readiness says %s", text)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if _, err := w.bot.says(`sluice serves`); err != nil {
		t.Fatal(err)
	}
	w.untilReady("http://" + address)
	fill(t, ballast)
	if text := w.ready(address, http.StatusServiceUnavailable); !strings.Contains(text, "full") {
		t.Errorf("readiness says %s", text)
	}
}

// fill writes a file until its disk has no space.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for part := make([]byte, 4096); err == nil; {
		_, err = f.Write(part)
	}
}
