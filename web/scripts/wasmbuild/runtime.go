package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// edit puts one text in place of another, which is once in a file of the runtime.
type edit struct{ file, from, to string }

// unused is what the linker keeps of the runtime although no page has a use for it: something
// that runs could call it. An edit has such a function return at once, or such a switch be off
// for good, and the compiler drops the rest. All of it prints or records, for people; what the
// program computes stays as it is.
var unused = slices.Concat(
	// Execution traces. Nothing here starts one, and what would write into one asks first.
	[]edit{
		{"traceruntime.go", "\treturn trace.enabled\n", "\treturn false\n"},
		{"traceruntime.go", "\treturn trace.shutdown.Load()\n", "\treturn false\n"},
	},
	// Floats that print writes. They bring the whole of their formatting, and a table of 11 KB that nothing compresses.
	[]edit{
		{"print.go", "strconv.AppendFloat(buf[:0], v, 'g', -1, 64)", `append(buf[:0], "(a float)"...)`},
		{"print.go", "strconv.AppendFloat(buf[:0], float64(v), 'g', -1, 32)", `append(buf[:0], "(a float)"...)`},
		{"print.go", "strconv.AppendComplex(buf[:0], c, 'g', -1, 128)", `append(buf[:0], "(a complex)"...)`},
		{"print.go", "strconv.AppendComplex(buf[:0], complex128(c), 'g', -1, 64)", `append(buf[:0], "(a complex)"...)`},
	},
	// What only GODEBUG turns on: a page has no environment.
	returns("proc.go", "func schedtrace(detailed bool) {", ""),
	returns("mcheckmark.go", "func checkFinalizersAndCleanups() {", ""),
	returns("mgcscavenge.go", "func printScavTrace(releasedBg, releasedEager uintptr, forced bool) {", ""),
	returns("mgcmark_greenteagc.go", "func dumpScanStats() {", ""),
	// Dumps of memory before a fatal error, and values of a type of one's own that a panic carries. The trace stays.
	returns("mgcmark.go", "func gcDumpObject(label string, obj, off uintptr) {", ""),
	returns("hexdump.go", "func hexdumpWords(p, len uintptr, mark func(uintptr, hexdumpMarker)) {", ""),
	returns("traceback.go", "func tracebackHexdump(stk stack, frame *stkframe, bad uintptr) {", ""),
	[]edit{{"error.go", "func printanycustomtype(i any) {\n", "func printanycustomtype(i any) {\n\tprint(toRType(efaceOf(&i)._type).string())\n\treturn\n"}},
	// What a program checks of itself as it starts, and the arguments in a trace.
	returns("symtab.go", "func moduledataverify1(datap *moduledata) {", ""),
	returns("runtime1.go", "func check() {", ""),
	returns("runtime1.go", "func parsegodebug(godebug string, seen map[string]bool) {", ""),
	returns("traceback.go", "func printArgs(f funcInfo, argp unsafe.Pointer, pc uintptr) {", ""),
	// Frames of C, and types that several modules have: there is no C here, and one module.
	returns("traceback.go", "func printOneCgoTraceback(pc uintptr, commitFrame func() (pr, stop bool), arg *cgoSymbolizerArg) bool {", "true"),
	returns("symtab.go", "func expandCgoFrames(pc uintptr) []Frame {", "nil"),
	returns("type.go", "func typelinksinit() {", ""),
)

// returns has a function return a value, or none, before it does anything.
func returns(file, head, value string) []edit {
	return []edit{{file, head + "\n", head + "\n\treturn " + value + "\n"}}
}

// layRuntime lays the edited files over the runtime's. It fails where the runtime is another
// than the one that the edits are of.
func (l laid) layRuntime(folder string) (laid, error) {
	texts := map[string][]byte{}
	for _, e := range unused {
		source := filepath.Join(l.root, "src", "runtime", e.file)
		if texts[source] == nil {
			text, err := os.ReadFile(source)
			if err != nil {
				return l, err
			}
			texts[source] = text
		}
		if bytes.Count(texts[source], []byte(e.from)) != 1 {
			return l, fmt.Errorf("the runtime of this toolchain is another than the one that is known: %s lacks %q", source, e.from)
		}
		texts[source] = bytes.Replace(texts[source], []byte(e.from), []byte(e.to), 1)
	}
	return l.over("runtime", folder, texts)
}
