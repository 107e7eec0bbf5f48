//go:build !js

package chrome

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindPrefersTheEnvironment(t *testing.T) {
	fake := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho grumble >&2\necho Fake 1.0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CHROME", fake)
	path, err := Find()
	if err != nil || path != fake {
		t.Fatalf("Find = %q, %v", path, err)
	}
	if version, err := Version(path); err != nil || version != "Fake 1.0" {
		t.Errorf("Version = %q, %v", version, err)
	}
}

func TestFindRefusesAWrongEnvironment(t *testing.T) {
	t.Setenv("CHROME", filepath.Join(t.TempDir(), "nothing"))
	if _, err := Find(); err == nil || errors.Is(err, ErrNoBrowser) {
		t.Errorf("Find = %v, want an error about CHROME", err)
	}
}

func TestFindSaysWhatToDo(t *testing.T) {
	t.Setenv("CHROME", "")
	t.Setenv("PATH", t.TempDir())
	if path, err := Find(); err == nil && !strings.HasPrefix(path, "/Applications/") {
		t.Errorf("found %q on an empty PATH", path)
	} else if err != nil && !errors.Is(err, ErrNoBrowser) {
		t.Errorf("Find = %v, want ErrNoBrowser", err)
	}
}
