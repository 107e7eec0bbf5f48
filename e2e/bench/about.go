//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// about says what a run was made with.
type about struct {
	Day string `json:"day"`
	// Commit is what was measured; it ends with "-dirty" where files had changed since.
	Commit   string            `json:"commit"`
	Machine  string            `json:"machine"`
	Browser  string            `json:"browser"`
	Go       string            `json:"go"`
	Packages map[string]string `json:"packages"`
	Rounds   int               `json:"rounds"`
}

// rivals are the packages of npm that take part.
var rivals = []string{"@modelcontextprotocol/client", "@modelcontextprotocol/sdk", "@ai-sdk/mcp",
	"eventsource-parser"}

func aboutRun(root string, rounds int) (about, error) {
	a := about{
		Day: time.Now().UTC().Format(time.DateOnly), Go: runtime.Version(), Rounds: rounds,
		Machine: fmt.Sprintf("%s, %d cores, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS,
			runtime.GOARCH),
		Packages: make(map[string]string),
	}
	commit, err := exec.Command("git", "-C", root, "describe", "--always", "--dirty", "--exclude=*",
		"--abbrev=12").Output()
	if err != nil {
		return a, fmt.Errorf("git does not say which commit is measured: %w", err)
	}
	a.Commit = strings.TrimSpace(string(commit))
	path, err := chrome.Find()
	if err != nil {
		return a, err
	}
	if a.Browser, err = chrome.Version(path); err != nil {
		return a, err
	}
	for _, name := range rivals {
		text, err := os.ReadFile(filepath.Join(root, "node_modules", filepath.FromSlash(name),
			"package.json"))
		if err != nil {
			return a, fmt.Errorf("%w: run npm ci", err)
		}
		var installed struct{ Version string }
		if err := json.Unmarshal(text, &installed); err != nil {
			return a, err
		}
		a.Packages[name] = installed.Version
	}
	return a, nil
}

func (a about) String() string {
	text := fmt.Sprintf("%s, commit %s, %s, %s, %s", a.Day, a.Commit, a.Machine, a.Browser, a.Go)
	for _, name := range rivals {
		text += ", `" + name + "` " + a.Packages[name]
	}
	return text
}

// processor is the name of the processor where the system says it.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
