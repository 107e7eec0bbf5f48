//go:build !js

package debian

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// machine is one on which commands end as a script says: "" is success, else what apt-get writes as it fails.
type machine struct {
	prefix []string
	cannot error
	says   []string
	ran    []string
	waited int
}

func (m *machine) installer() *Installer {
	return &Installer{
		may:  func() ([]string, error) { return m.prefix, m.cannot },
		wait: func(context.Context, time.Duration) error { m.waited++; return nil },
		run: func(_ context.Context, command ...string) (string, error) {
			m.ran = append(m.ran, strings.Join(command, " "))
			says := m.says[0]
			m.says = m.says[1:]
			if says != "" {
				return "Reading package lists...\n" + says + "\n", errors.New("exit status 100")
			}
			return "", nil
		},
	}
}

// TestInstall: the lists are asked for where they do not suffice; who has them locked is waited for, and not
// for ever.
func TestInstall(t *testing.T) {
	const unknown, locked = "E: Unable to locate package xvfb",
		"E: Could not get lock /var/lib/apt/lists/lock"
	for name, c := range map[string]struct {
		says  []string
		verbs string
		fails string
	}{
		"it is known":     {[]string{""}, "install", ""},
		"a fresh machine": {[]string{unknown, "", ""}, "install update install", ""},
		"the lists are locked": {[]string{unknown, locked, locked, "", ""},
			"install update update update install", ""},
		"there is no such package": {[]string{unknown, "", unknown}, "install update install", unknown},
		"the network is away": {[]string{unknown, "E: a", "E: b", "E: c", "E: d", "E: e"},
			"install update update update update update", "E: e"},
		"without a list, and a local": {[]string{"", "not reached"}, "install", ""},
	} {
		m := &machine{prefix: []string{"sudo", "-n"}, says: c.says}
		err := m.installer().Install(context.Background(), "firefox-esr", "xvfb")
		var verbs []string
		for _, line := range m.ran {
			if !strings.HasPrefix(line,
				"sudo -n env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=") {
				t.Errorf("%s: it ran %s", name, line)
			}
			for _, verb := range []string{"install", "update"} {
				if strings.Contains(line, " "+verb) {
					verbs = append(verbs, verb)
					break
				}
			}
		}
		if got := strings.Join(verbs, " "); got != c.verbs {
			t.Errorf("%s: it ran %s", name, got)
		}
		if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.HasSuffix(m.ran[0], "--no-install-recommends firefox-esr xvfb") {
			t.Errorf("%s: it ran %s", name, m.ran[0])
		}
	}
}

// TestInstallCannot: without apt-get or leave nothing is run.
func TestInstallCannot(t *testing.T) {
	m := &machine{cannot: ErrCannot}
	if err := m.installer().Install(context.Background(), "xvfb"); !errors.Is(err, ErrCannot) ||
		len(m.ran) > 0 {
		t.Errorf("%v, it ran %v", err, m.ran)
	}
}

// TestInstallStops: an end of the context is the end, and no lists are asked for.
func TestInstallStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := &machine{says: []string{"killed"}}
	if err := m.installer().Install(ctx, "xvfb"); err == nil || len(m.ran) != 1 {
		t.Errorf("%v, it ran %v", err, m.ran)
	}
}
