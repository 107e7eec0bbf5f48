//go:build !js

// Package debian installs the packages that tests need of the system: browsers and what they are driven with.
package debian

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// ErrCannot says that this is no machine on which packages are installed: there is no apt-get, or
// no leave to use it without a password.
var ErrCannot = errors.New("no packages can be installed here")

const (
	// lockWait is for how long another apt-get may hold dpkg's lock, in seconds, as where a machine installs
	// its updates.
	lockWait = "300"
	// updates is how often the lists of packages are asked for: their lock, which apt does not wait for, may
	// be another's.
	updates = 5
	// updateAgain is the time between.
	updateAgain = 10 * time.Second
)

// An Installer runs apt-get.
type Installer struct {
	// run runs a command to its end; it returns what that wrote, also where it failed.
	run func(ctx context.Context, command ...string) (string, error)
	// may returns what has to come before apt-get, or ErrCannot.
	may func() ([]string, error)
	// wait waits between two tries.
	wait func(ctx context.Context, d time.Duration) error
}

// System is the installer of this machine. What apt-get writes goes to stderr as well: it is for people.
func System() *Installer { return &Installer{run: run, may: may, wait: wait} }

// Install installs packages. The lists of packages are brought up to date only where they do not suffice:
// they are missing on a fresh machine, or too old for what the mirrors still have. Rejects with ErrCannot
// where nothing can be installed.
func (i *Installer) Install(ctx context.Context, packages ...string) error {
	prefix, err := i.may()
	if err != nil {
		return err
	}
	apt := func(args ...string) error {
		all := append(append([]string{}, prefix...), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q",
			"-o", "DPkg::Lock::Timeout="+lockWait)
		out, err := i.run(ctx, append(all, args...)...)
		if err != nil {
			return fmt.Errorf("apt-get %s: %w: %s", args[0], err, lastLine(out))
		}
		return nil
	}
	install :=
		func() error {
			return apt(append([]string{"install", "-y", "--no-install-recommends"},
				packages...)...)
		}
	first := install()
	if first == nil || ctx.Err() != nil {
		return first
	}
	for n := 1; ; n++ {
		if err = apt("update"); err == nil {
			return install()
		}
		if n == updates {
			return errors.Join(first, err)
		}
		if stopped := i.wait(ctx, updateAgain); stopped != nil {
			return errors.Join(first, err, stopped)
		}
	}
}

// lastLine is the last line of a text that says something.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

func may() ([]string, error) {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return nil, fmt.Errorf("%w: there is no apt-get", ErrCannot)
	}
	if os.Geteuid() == 0 {
		return nil, nil
	}
	// -n: never ask. A password prompt would hang an unattended run.
	if exec.Command("sudo", "-n", "true").Run() != nil {
		return nil, fmt.Errorf("%w: apt-get needs root, and sudo a password", ErrCannot)
	}
	return []string{"sudo", "-n"}, nil
}

func run(ctx context.Context, command ...string) (string, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	// Half an installation is worse than none: it is asked to end, and not killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	var out strings.Builder
	both := tee{&out}
	cmd.Stdout, cmd.Stderr = both, both
	err := cmd.Run()
	return out.String(), err
}

// tee writes to stderr, and keeps it.
type tee struct{ kept *strings.Builder }

func (both tee) Write(p []byte) (int, error) {
	both.kept.Write(p)
	return os.Stderr.Write(p)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
