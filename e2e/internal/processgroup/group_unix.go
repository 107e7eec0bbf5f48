//go:build !js && unix

package processgroup

import (
	"os/exec"
	"syscall"
)

// Own gives a command that has not been started a process group of its own.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends a started command's whole group.
func Kill(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
