package main

import (
	"runtime/debug"
	"testing"
)

// What a program says of its version: a release, a commit, both, or neither.
func TestVersion(t *testing.T) {
	t.Parallel()
	built := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	revision := []string{"vcs.revision", "0123456789abcdef0123", "vcs.time", "2026-11-20T16:00:00Z"}
	for want, info := range map[string]*debug.BuildInfo{
		"development":                         nil,
		"v1.2.3":                              built("v1.2.3"),
		"v1.2.3 0123456789ab 2026-11-20":      built("v1.2.3", revision...),
		"development 0123456789ab 2026-11-20": built("v0.0.0-20261120160000-0123456789ab", revision...),
		"development 0123456789ab 2026-11-20 with changes": built("v1.2.4-0.20261120160000-0123456789ab+dirty", append(revision, "vcs.modified", "true")...),
		"v1.2.3 with changes":                              built("v1.2.3+dirty", "vcs.modified", "true"),
	} {
		if got := versionOf(info); got != want {
			t.Errorf("%+v is %q, want %q", info, got, want)
		}
	}
}
