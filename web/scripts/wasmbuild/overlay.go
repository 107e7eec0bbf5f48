package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// laid is a toolchain with the overlay (go help build) that goes with it.
type laid struct {
	toolchain
	file string
}

// layNothing is a toolchain whose standard library is as it was.
func (chain toolchain) layNothing(folder string) (laid, error) {
	linked, err := chain.linkRoot(folder)
	if err != nil {
		return laid{}, fmt.Errorf("the toolchain cannot be linked: %w", err)
	}
	l := laid{linked, filepath.Join(folder, "overlay.json")}
	return l, os.WriteFile(l.file, []byte("{}"), 0o666)
}

// layFmt lays the small fmt beside this file over the standard one: safejs formats its
// errors, and the standard fmt is a tenth of what a page downloads. It fails where the
// wasm would get the standard one all the same.
func (chain toolchain) layFmt(folder string) (laid, error) {
	linked, err := chain.linkRoot(folder)
	if err != nil {
		return laid{}, fmt.Errorf("the toolchain cannot be linked: %w", err)
	}
	ours, err := filepath.Abs(filepath.Join("web", "scripts", "wasmbuild", "fmt", "fmt.go"))
	if err != nil {
		return laid{}, err
	}
	source := filepath.Join(linked.root, "src", "fmt")
	files, err := filepath.Glob(filepath.Join(source, "*.go"))
	if err != nil {
		return laid{}, err
	}
	if len(files) == 0 {
		return laid{}, fmt.Errorf("%s has no fmt to lay ours over: it is no whole toolchain", chain.root)
	}
	replace := map[string]string{}
	for _, file := range files {
		replace[file] = ""
	}
	replace[filepath.Join(source, "print.go")] = ours
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return laid{}, err
	}
	l := laid{linked, filepath.Join(folder, "overlay.json")}
	if err := os.WriteFile(l.file, content, 0o666); err != nil {
		return laid{}, err
	}
	return l, l.check()
}

// check asks the go command what fmt the wasm gets.
func (l laid) check() error {
	out, err := l.command("list", "-overlay="+l.file, "-f", `{{join .GoFiles " "}} {{join .Imports " "}}`,
		"fmt").Output()
	if err != nil {
		return fmt.Errorf("the small fmt cannot be laid over the standard one: go list: %w", told(err))
	}
	if got := strings.TrimSpace(string(out)); got != "print.go errors strconv" {
		return errors.New(
			"the small fmt was laid over the standard one, but the go command goes on with another: " + got)
	}
	return nil
}

// over has the build read these texts in place of the files, besides what is laid already. The
// name is the overlay's.
func (l laid) over(name, folder string, texts map[string][]byte) (laid, error) {
	overlay, err := os.ReadFile(l.file)
	if err != nil {
		return l, err
	}
	var laying struct{ Replace map[string]string }
	if err := json.Unmarshal(overlay, &laying); err != nil {
		return l, err
	}
	if laying.Replace == nil {
		laying.Replace = map[string]string{}
	}
	for source, text := range texts {
		edited := filepath.Join(folder, name+"-"+filepath.Base(source)+".txt")
		if err := os.WriteFile(edited, text, 0o666); err != nil {
			return l, err
		}
		if source, err = filepath.Abs(source); err != nil {
			return l, err
		}
		if laying.Replace[source], err = filepath.Abs(edited); err != nil {
			return l, err
		}
	}
	if overlay, err = json.Marshal(laying); err != nil {
		return l, err
	}
	l.file = filepath.Join(folder, name+".json")
	return l, os.WriteFile(l.file, overlay, 0o666)
}
