//go:build !js && unix

package nodeserver

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the server a process group of its own, so that children of
// node end with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
