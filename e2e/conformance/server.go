//go:build !js

package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/processgroup"
)

// serverLimit bounds one server scenario: the slowest takes a few seconds.
const serverLimit = time.Minute

// JudgeServer has the suite play a client's part of one of its server scenarios
// against the endpoint, at 2026-07-28. The suite's raw results go to folder. An
// error means that the suite did not get through.
//
// The judgement is stricter than the suite's own: at least one check must have
// succeeded, none may have failed or warned, and the suite must have exited with
// 0. A scenario that the suite skips has not passed.
func JudgeServer(ctx context.Context, endpoint, scenario, folder string) (Verdict, error) {
	root, err := moduleroot.Find()
	if err != nil {
		return Verdict{}, err
	}
	s, err := findSuite(root)
	if err != nil {
		return Verdict{}, err
	}
	said, err := os.Create(filepath.Join(folder, "suite.txt"))
	if err != nil {
		return Verdict{}, err
	}
	defer said.Close()
	ctx, cancel := context.WithTimeout(ctx, serverLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, s.script, "server",
		"--url", endpoint,
		"--scenario", scenario,
		"--spec-version", july2026,
		"--force", // extensions are on no revision's list
		"--output-dir", folder,
	)
	cmd.Stdout, cmd.Stderr = said, said
	processgroup.Own(cmd)
	cmd.Cancel = func() error { processgroup.Kill(cmd); return nil }
	cmd.WaitDelay = time.Second
	exit := cmd.Run()
	var status *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Verdict{}, fmt.Errorf("the suite hung for %v and was killed", serverLimit)
	case exit != nil && !errors.As(exit, &status):
		return Verdict{}, exit
	}
	checks, err := readChecks(folder)
	if err != nil {
		return Verdict{}, err
	}
	return judgeServer(checks, exit), nil
}

// ServerScenarios are the scenarios that the suite has for servers.
func ServerScenarios() ([]string, error) {
	root, err := moduleroot.Find()
	if err != nil {
		return nil, err
	}
	s, err := findSuite(root)
	if err != nil {
		return nil, err
	}
	return s.list("--server")
}

func judgeServer(checks []check, exit error) Verdict {
	status := func(want string) func(check) bool { return func(c check) bool { return c.Status == want } }
	failed := worst(checks)
	switch {
	case failed != nil:
		return Verdict{Why: failed.ID + ": " + failed.message()}
	case exit != nil:
		return Verdict{Why: "the suite ended with " + exit.Error()}
	case len(checks) > 0 && !slices.ContainsFunc(checks, func(c check) bool { return c.Status != "SKIPPED" }):
		return Verdict{Why: "skipped: " + checks[0].message()}
	case !slices.ContainsFunc(checks, status("SUCCESS")):
		return Verdict{Why: fmt.Sprintf("none of %d checks succeeded", len(checks))}
	}
	return Verdict{Passed: true}
}
