//go:build !js

// Command chromium prints the path and the version of the browser that the
// tests drive. Where there is none it installs Chromium, if apt-get is there and
// may be used without a password; otherwise it says what to install.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

func main() {
	path, err := chrome.Find()
	if errors.Is(err, chrome.ErrNoBrowser) && install() {
		path, err = chrome.Find()
	}
	if err != nil {
		fail(err)
	}
	version, err := chrome.Version(path)
	if err != nil {
		fail(err)
	}
	fmt.Printf("%s (%s)\n", version, path)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "chromium:", err)
	os.Exit(1)
}

// install tries Debian's packages and reports whether they went in.
func install() bool {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return false
	}
	var prefix []string
	if os.Geteuid() != 0 {
		// -n: never ask. A password prompt would hang an unattended run.
		if exec.Command("sudo", "-n", "true").Run() != nil {
			return false
		}
		prefix = []string{"sudo", "-n"}
	}
	fmt.Fprintln(os.Stderr, "chromium: no browser found, installing the package chromium")
	for _, command := range [][]string{
		{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "update", "-q"},
		{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-q", "-y", "--no-install-recommends", "chromium"},
	} {
		command = append(prefix[:len(prefix):len(prefix)], command...)
		run := exec.Command(command[0], command[1:]...)
		// What apt-get says is for people; stdout stays one line.
		run.Stdout, run.Stderr = os.Stderr, os.Stderr
		if err := run.Run(); err != nil {
			fmt.Fprintf(os.Stderr, "chromium: %v: %v\n", command, err)
			return false
		}
	}
	return true
}
