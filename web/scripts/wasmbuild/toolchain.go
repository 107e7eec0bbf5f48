package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// fetching are the settings of the go command that are taken over from the machine:
// where modules come from and lie, and where it keeps what it has compiled. The others
// can change the code that it makes.
var fetching = []string{
	"GOAUTH", "GOCACHE", "GOCACHEPROG", "GOINSECURE", "GOMODCACHE", "GONOPROXY", "GONOSUMDB", "GOPATH",
	"GOPRIVATE", "GOPROXY", "GOSUMDB", "GOTMPDIR", "GOVCS",
}

// toolchain is the Go that go.mod names.
type toolchain struct {
	// root is its GOROOT.
	root string
	// env are the variables with which its go command runs.
	env []string
}

// findToolchain asks the go command for the toolchain that go.mod names: the installed
// one where it is that, else one that the go command fetches. env is that of this process.
func findToolchain(env []string) (toolchain, error) {
	version, err := goVersion()
	if err != nil {
		return toolchain{}, err
	}
	ask := exec.Command("go", append([]string{"env", "-json", "GOROOT", "GOVERSION"}, fetching...)...)
	ask.Env = append(slices.Clone(env), "GOTOOLCHAIN="+version)
	out, err := ask.Output()
	if err != nil {
		return toolchain{}, fmt.Errorf("the wasm is built by %s, which go.mod names: go env: %w", version,
			told(err))
	}
	settings := map[string]string{}
	if err := json.Unmarshal(out, &settings); err != nil {
		return toolchain{}, fmt.Errorf("go env: %w", err)
	}
	if settings["GOVERSION"] != version {
		return toolchain{}, fmt.Errorf("the wasm is built by %s, which go.mod names; this is %s", version,
			settings["GOVERSION"])
	}
	tools := toolchain{root: settings["GOROOT"],
		env: []string{"GOENV=off", "GOTOOLCHAIN=local", "GOWORK=off", "GOOS=js", "GOARCH=wasm"}}
	for _, variable := range env {
		if !strings.HasPrefix(variable, "GO") && !strings.HasPrefix(variable, "CGO_") {
			tools.env = append(tools.env, variable)
		}
	}
	for _, name := range fetching {
		if settings[name] != "" {
			tools.env = append(tools.env, name+"="+settings[name])
		}
	}
	return tools, nil
}

// goVersion is the version of Go that go.mod asks for, as a toolchain's name.
func goVersion() (string, error) {
	content, err := os.ReadFile("go.mod")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(content)) {
		if version, found := strings.CutPrefix(strings.TrimSpace(line), "go "); found {
			return "go" + version, nil
		}
	}
	return "", errors.New("go.mod names no version of Go")
}

// linkRoot makes the toolchain known by a link in the folder. One that the go command
// has fetched lies in the cache of modules, where it takes no overlay.
func (chain toolchain) linkRoot(folder string) (toolchain, error) {
	link, err := filepath.Abs(filepath.Join(folder, "goroot"))
	if err != nil {
		return chain, err
	}
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		return chain, err
	}
	if err := os.Symlink(chain.root, link); err != nil {
		return chain, err
	}
	chain.root = link
	return chain, nil
}

// command prepares the toolchain's go command.
func (chain toolchain) command(args ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(chain.root, "bin", "go"), args...)
	command.Env = append(slices.Clone(chain.env), "GOROOT="+chain.root)
	return command
}

// told is an error of a command with what the command said.
func told(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
