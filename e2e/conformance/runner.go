//go:build !js

package conformance

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// Runner runs scenarios, one after the other: some of them measure times.
type Runner struct {
	// Only, if set, chooses runs by "scenario@revision".
	Only *regexp.Regexp
	// Progress hears of each run that has ended.
	Progress func(Run, Verdict)
}

// Outcome is what a Runner found out.
type Outcome struct {
	Verdicts map[Run]Verdict
}

// Run starts the browser and runs every scenario at every revision it has. The
// raw results go to web/build/conformance.
func (r Runner) Run(ctx context.Context) (Outcome, error) {
	root, err := moduleroot.Find()
	if err != nil {
		return Outcome{}, err
	}
	suite, err := findSuite(root)
	if err != nil {
		return Outcome{}, err
	}
	if err := suite.checkList(); err != nil {
		return Outcome{}, err
	}
	results := filepath.Join(root, "web", "build", "conformance")
	if err := os.RemoveAll(results); err != nil {
		return Outcome{}, err
	}
	folder := func(run Run, interaction string) string {
		return filepath.Join(results, run.Revision, strings.ReplaceAll(run.Scenario, "/", "-"), interaction)
	}
	proxy := httptest.NewServer(newProxy())
	defer proxy.Close()
	browser, err := startBrowser(proxy.URL, filepath.Join(root, "web", "dist"), func(t task, lines []string) {
		// For people to look at; a verdict does not depend on it.
		_ = os.WriteFile(filepath.Join(folder(Run{t.Scenario, t.Revision}, t.Interaction), "console.txt"),
			[]byte(strings.Join(lines, "\n")+"\n"), 0o644)
	})
	if err != nil {
		return Outcome{}, err
	}
	defer browser.close()

	found := Outcome{Verdicts: map[Run]Verdict{}}
	for _, s := range scenarios {
		for _, revision := range s.revisions {
			run := Run{s.name, revision}
			if r.Only != nil && !r.Only.MatchString(run.String()) {
				continue
			}
			verdict := Verdict{Passed: true}
			for _, interaction := range run.interactions() {
				desk := newDesk(browser, interaction)
				checks, err := suite.run(ctx, run, desk.server.URL, folder(run, interaction))
				once := judge(run, checks, desk.close(), s.mayFail)
				if ctx.Err() != nil {
					return found, ctx.Err()
				}
				if err != nil {
					once = Verdict{Why: err.Error()}
				}
				verdict = verdict.and(once, interaction)
			}
			found.Verdicts[run] = verdict
			r.Progress(run, verdict)
		}
	}
	return found, nil
}

// String writes a run as scenario@revision.
func (r Run) String() string { return r.Scenario + "@" + r.Revision }

// Missing returns the required runs that were made and did not pass.
func (o Outcome) Missing() []Run {
	return slices.DeleteFunc(slices.Clone(required), func(r Run) bool {
		verdict, made := o.Verdicts[r]
		return !made || verdict.Passed
	})
}

// Unrequired returns the runs that passed although nothing requires it.
func (o Outcome) Unrequired() []Run {
	var runs []Run
	for run, verdict := range o.Verdicts {
		if verdict.Passed && !slices.Contains(required, run) {
			runs = append(runs, run)
		}
	}
	slices.SortFunc(runs, func(a, b Run) int { return strings.Compare(a.String(), b.String()) })
	return runs
}

// Tally counts the runs that passed and failed, those of auth or the others.
func (o Outcome) Tally(auth bool) (passed, failed int) {
	for run, verdict := range o.Verdicts {
		switch {
		case run.Auth() != auth:
		case verdict.Passed:
			passed++
		default:
			failed++
		}
	}
	return passed, failed
}
