//go:build !js && unix

package conformance

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the suite a process group of its own, so that its client ends
// with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
