// Command wasmbuild builds the wasm, and the glue between it and JavaScript. Run it in
// the root of the module.
//
//	go run ./web/scripts/wasmbuild -version 0.1.0 -o holdfast.wasm
//	go run ./web/scripts/wasmbuild -version 0.1.0 -agents -o holdfast-agents.wasm
//	go run ./web/scripts/wasmbuild -glue -o wasm_exec.mjs
//	go run ./web/scripts/wasmbuild -runtime -o folder
//
// The same source gives the same bytes on every machine: the toolchain is the one that
// go.mod names, wherever it comes from, and no setting of the machine changes code.
// Whatever cannot be done as it has to be ends the build.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// folder holds what is made on the way.
var folder = filepath.Join("web", "build")

func main() {
	version := flag.String("version", "", "the version that the wasm tells its loader")
	agents := flag.Bool("agents", false, "build in what is spoken to ACP agents, and not MCP alone")
	names := flag.Bool("names", false, "keep the names of functions, for the table of sizes")
	glue := flag.Bool("glue", false, "write wasm_exec.js as a module, and no wasm")
	newer := flag.Bool("newer", false,
		"write the wasm of another build, whose records this one cannot read, for tests")
	runtime := flag.Bool("runtime", false, "write the edited runtime into a folder, and no wasm, for tests: "+
		"runtime.json is the overlay, goroot the toolchain")
	out := flag.String("o", "", "the file to write, or the folder")
	flag.Parse()
	if *runtime {
		if err := writeRuntime(*out); err != nil {
			fmt.Fprintln(os.Stderr, "wasmbuild:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*out, *glue, *newer, program{*version, *agents, *names}); err != nil {
		fmt.Fprintln(os.Stderr, "wasmbuild:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: wasmbuild -version version [-agents] [-names] [-newer] -o file, or " +
	"wasmbuild -glue -o file, or wasmbuild -runtime -o folder")

// writeRuntime lays the edited runtime over a toolchain that is otherwise as it was.
func writeRuntime(folder string) error {
	if folder == "" {
		return errUsage
	}
	tools, err := findToolchain(os.Environ())
	if err != nil {
		return err
	}
	l, err := tools.layNothing(folder)
	if err != nil {
		return err
	}
	_, err = l.layRuntime(folder)
	return err
}

func run(out string, glue, newer bool, wanted program) error {
	if out == "" || flag.NArg() > 0 || glue == (wanted.version != "") {
		return errUsage
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	tools, err := findToolchain(os.Environ())
	if err != nil {
		return err
	}
	if glue {
		return tools.writeGlue(out)
	}
	fitted, err := tools.layFmt(folder)
	if err != nil {
		return err
	}
	if fitted, err = fitted.layRuntime(folder); err != nil {
		return err
	}
	if newer {
		if fitted, err = fitted.layNewer(folder); err != nil {
			return err
		}
	}
	if err := fitted.checkNeeds(wanted); err != nil {
		return err
	}
	return fitted.build(wanted, out)
}
