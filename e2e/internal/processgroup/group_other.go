//go:build !js && !unix

package processgroup

import "os/exec"

// Own does nothing where there are no process groups.
func Own(*exec.Cmd) {}

// Kill ends a started command alone.
func Kill(cmd *exec.Cmd) { cmd.Process.Kill() }
