package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const modulePath = "github.com/holdfast-mcp/holdfast"

// inlined are the packages whose small functions are copied into their callers. The
// copies are a seventh of what is downloaded, and only these are worth it: what sees every
// byte or event of a stream, and the runtime (memory, maps, scheduler); and those in which
// the copies are smaller than the calls were, 25 KB of the wasm together.
var inlined = []string{
	modulePath + "/core/engine", modulePath + "/core/sse", modulePath + "/core/jsonrpc",
	modulePath + "/core/link", modulePath + "/jsbridge",
	"bytes", "unicode/utf8", "runtime", "internal/runtime/...",
	"internal/abi", "internal/bytealg", "internal/byteorder", "internal/chacha8rand", "internal/cpu",
	"internal/reflectlite", "internal/strconv",
	"internal/stringslite", "internal/sync", "internal/synctest",
	"encoding/binary", "errors", "reflect", "strconv", "syscall/js", "unicode",
	"github.com/hack-pad/safejs/...",
}

// program says which wasm is built.
type program struct {
	version string
	agents  bool // it speaks to agents as well
	names   bool // its functions have names
}

// tags are the arguments that choose what is built in.
func (p program) tags() []string {
	if p.agents {
		return nil
	}
	return []string{"-tags=mcponly"}
}

// build writes the wasm. What is left out, symbols, paths and the build id, is a third
// of the bytes, and differs from machine to machine.
func (l laid) build(wanted program, out string) error {
	leaveOut := "-s -w "
	if wanted.names {
		leaveOut = ""
	}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-overlay=" + l.file, "-gcflags=all=-l"}
	for _, name := range inlined {
		args = append(args, "-gcflags="+name+"=")
	}
	args = append(args, wanted.tags()...)
	args = append(args, "-ldflags="+leaveOut+"-buildid= -X main.stamp=holdfast-wasm/"+wanted.version+";",
		"-o", out, "./wasm")
	command := l.command(args...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	return nil
}

// Around the text of wasm_exec.js, which stays as it is. It defines names on globalThis,
// which here is an object of the loader's, and then uses fs as a global
// (web/src/runtime/goscope.ts).
const (
	glueHead = "export function defineGo(globalThis, fs) {\n"
	glueTail = "\nfs = globalThis.fs;\nreturn globalThis.Go;\n}\n"
)

// writeGlue writes the glue, which has to be of the toolchain that built the wasm.
func (chain toolchain) writeGlue(out string) error {
	text, err := os.ReadFile(filepath.Join(chain.root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	for _, defined := range []string{"globalThis.Go = class", "globalThis.fs = {", "\tfs.writeSync("} {
		if !strings.Contains(string(text), defined) {
			return errors.New(
				"wasm_exec.js of this toolchain is another than the one that is known: it lacks " + defined)
		}
	}
	return os.WriteFile(out, []byte(glueHead+string(text)+glueTail), 0o666)
}
