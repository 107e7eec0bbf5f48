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
// for good, and the compiler drops the rest. Most of it prints or records, for people; the rest is
// for threads, memory that goes back, and an environment, which wasm has not. What the program
// computes stays as it is, as long as it asks for none of that (needs.go). Where it would, and a
// wrong answer could cost memory, it ends.
var unused = slices.Concat(
	// Execution traces. Nothing here starts one, and what would write into one asks first.
	[]edit{
		{"traceruntime.go", "\treturn trace.enabled\n", "\treturn false\n"},
		{"traceruntime.go", "\treturn trace.shutdown.Load()\n", "\treturn false\n"},
		{"traceruntime.go", "\treturn tl.gen != 0\n", "\treturn false\n"},
		{"traceruntime.go", "\treturn trace.enabledWithAllocFree\n", "\treturn false\n"},
		{"proc.go", "\t\tif inittrace.active {\n\t\t\tstart = nanotime()",
			"\t\tif false {\n\t\t\tstart = nanotime()"},
		{"proc.go", "\t\tif inittrace.active {\n\t\t\tend := nanotime()",
			"\t\tif false {\n\t\t\tend := nanotime()"},
	},
	// Floats that print writes. They bring the whole of their formatting, and a table of 11 KB that nothing
	// compresses.
	[]edit{
		{"print.go", "strconv.AppendFloat(buf[:0], v, 'g', -1, 64)", `append(buf[:0], "(a float)"...)`},
		{"print.go", "strconv.AppendFloat(buf[:0], float64(v), 'g', -1, 32)",
			`append(buf[:0], "(a float)"...)`},
		{"print.go", "strconv.AppendComplex(buf[:0], c, 'g', -1, 128)", `append(buf[:0], "(a complex)"...)`},
		{"print.go", "strconv.AppendComplex(buf[:0], complex128(c), 'g', -1, 64)",
			`append(buf[:0], "(a complex)"...)`},
	},
	// Profiles. Nothing here asks for one.
	returns("malloc.go", "func profilealloc(mp *m, x unsafe.Pointer, size uintptr) {", ""),
	returns("mprof.go", "func blockevent(cycles int64, skip int) {", ""),
	returns("mprof.go", "func mutexevent(cycles int64, skip int) {", ""),
	returns("mprof.go", "func (prof *mLockProfile) captureStack() {", ""),
	returns("mprof.go", "func (prof *mLockProfile) storeSlow() {", ""),
	returns("mprof.go", "func tryRecordGoroutineProfile(gp1 *g, pcbuf []uintptr, yield func()) {", ""),
	throws("mgc.go", "func findGoroutineLeaks() bool {", "findGoroutineLeaks: there are no profiles",
		"false"),
	throws("mgcmark.go", "func allGsSnapshotSortedForGC() ([]*g, int) {",
		"allGsSnapshotSortedForGC: there are no profiles", "nil, 0"),
	// Memory that goes back to the system: that of a wasm never does, and has no limit but the browser's.
	[]edit{{"mgcscavenge.go", "\tc <- 1\n\tscavenger.park()\n", "\tc <- 1\n\treturn\n"}},
	returns("mgcscavenge.go",
		"func (p *pageAlloc) scavenge(nbytes uintptr, shouldStop func() bool, force bool) uintptr {", "0"),
	returns("mgcscavenge.go", "func gcPaceScavenger(memoryLimit int64, heapGoal, lastHeapGoal uint64) {", ""),
	// Further threads, and what finds work for them. No goroutine is locked to one (dolockOSThread).
	returns("proc.go", "func wakep() {", ""),
	throws("proc.go", "func newm(fn func(), pp *p, id int64) {", "newm: there is one thread", ""),
	throws("proc.go", "func startm(pp *p, spinning, lockheld bool) {", "startm: there is one thread", ""),
	throws("proc.go", "func handoffp(pp *p) {", "handoffp: there is one thread", ""),
	throws("proc.go", "func stoplockedm() {", "stoplockedm: there is one thread", ""),
	throws("proc.go", "func startlockedm(gp *g) {", "startlockedm: there is one thread", ""),
	returns("proc.go", "func newextram() {", ""),
	returns("proc.go",
		"func stealWork(now int64) (gp *g, inheritTime bool, rnow, pollUntil int64, newWork bool) {",
		"nil, false, now, 0, false"),
	returns("proc.go", "func checkRunqsNoP(allpSnapshot []*p, idlepMaskSnapshot pMask) *p {", "nil"),
	returns("proc.go", "func setBlockOnExitSyscall(pp *p) (syscallingThread, bool) {",
		"syscallingThread{}, false"),
	returns("proc.go", "func (pp *p) destroy() {", ""),
	returns("proc.go", "func mexit(osStack bool) {", ""),
	throws("mgcmark.go",
		"func scanConservative(b, n uintptr, ptrmask *uint8, gcw *gcWork, state *stackScanState) {",
		"scanConservative: nothing is preempted", ""),
	// Settings of the environment: a page has none.
	[]edit{
		{"proc.go", `strconv.ParseInt(gogetenv("GOMAXPROCS"), 10, 32)`, "int64(0), error(strconv.ErrSyntax)"},
		{"runtime1.go", "strconv.Atoi(level)", "0, error(strconv.ErrSyntax)"},
	},
	returns("mgcpacer.go", "func readGOGC() int32 {", "100"),
	returns("mgcpacer.go", "func readGOMEMLIMIT() int64 {", "math.MaxInt64"),
	// What only GODEBUG turns on.
	[]edit{
		{"mgc.go", "\tif debug.gctrace > 0 {\n", "\tif false {\n"},
		{"mgc.go", "\n\tif debug.checkfinalizers > 0 {\n", "\n\tif false {\n"},
	},
	returns("mcheckmark.go", "func setCheckmark(obj, base, off uintptr, mbits markBits) bool {", "false"),
	returns("mcheckmark.go", "func runCheckmark(prepareRootSet func(*gcWork)) {", ""),
	returns("mheap.go", "func setCleanupContext(ptr unsafe.Pointer, ptrType *_type, createPC, funcPC "+
		"uintptr, cleanupID uint64) {", ""),
	returns("mheap.go", "func clearCleanupContext(ptr uintptr, cleanupID uint64) {", ""),
	returns("traceback.go", "func printAncestorTraceback(ancestor ancestorInfo) {", ""),
	returns("runtime1.go", "func parsegodebug(godebug string, seen map[string]bool) {", ""),
	returns("proc.go", "func schedtrace(detailed bool) {", ""),
	returns("mcheckmark.go", "func checkFinalizersAndCleanups() {", ""),
	returns("mgcscavenge.go", "func printScavTrace(releasedBg, releasedEager uintptr, forced bool) {", ""),
	returns("mgcmark_greenteagc.go", "func dumpScanStats() {", ""),
	// Dumps of memory before a fatal error, and values of a type of one's own that a panic carries. The trace
	// stays.
	returns("mgcmark.go", "func gcDumpObject(label string, obj, off uintptr) {", ""),
	returns("hexdump.go", "func hexdumpWords(p, len uintptr, mark func(uintptr, hexdumpMarker)) {", ""),
	returns("traceback.go", "func tracebackHexdump(stk stack, frame *stkframe, bad uintptr) {", ""),
	[]edit{{"error.go", "func printanycustomtype(i any) {\n",
		"func printanycustomtype(i any) {\n\tprint(toRType(efaceOf(&i)._type).string())\n\treturn\n"}},
	throws("mbitmap.go", "func badPointer(s *mspan, p, refBase, refOff uintptr) {",
		"found bad pointer in Go heap (incorrect use of unsafe or cgo?)", ""),
	throws("mgcsweep.go", "func (s *mspan) reportZombies() {", "found pointer to free object", ""),
	// Arenas and bubbles of tests, which nothing here makes.
	throws("arena.go", "func (s *mspan) setUserArenaChunkToFault() {",
		"setUserArenaChunkToFault: there are no arenas", ""),
	returns("synctest.go", "func (bubble *synctestBubble) changegstatus(gp *g, oldval, newval uint32) {", ""),
	// What a program checks of itself as it starts, and the arguments in a trace.
	returns("symtab.go", "func moduledataverify1(datap *moduledata) {", ""),
	returns("runtime1.go", "func check() {", ""),
	returns("traceback.go", "func printArgs(f funcInfo, argp unsafe.Pointer, pc uintptr) {", ""),
	// Calls and frames of C, and types that several modules have: there is no C here, and one module.
	returns("traceback.go", "func printOneCgoTraceback(pc uintptr, commitFrame func() (pr, stop bool), arg "+
		"*cgoSymbolizerArg) bool {", "true"),
	returns("cgocall.go", "func cgocall(fn, arg unsafe.Pointer) int32 {", "0"),
	returns("traceback.go", "func printCgoTraceback(callers *cgoCallers) {", ""),
	returns("traceback.go", "func (u *unwinder) cgoCallers(pcBuf []uintptr) int {", "0"),
	returns("symtab.go", "func expandCgoFrames(pc uintptr) []Frame {", "nil"),
	returns("type.go", "func typelinksinit() {", ""),
)

// noBuckets has the runtime find the function of a pc by its index alone. The linker's table for that has
// sixteen buckets for each function, for a machine whose functions begin anywhere: 20 bytes each, 0.9 MB. On
// wasm a function has one index, and the next function the next. slim takes the table out of the file, where
// it says no more than that.
var noBuckets = []edit{{"symtab.go", `
	b := x / abi.FuncTabBucketSize
	i := x % abi.FuncTabBucketSize / (abi.FuncTabBucketSize / nsub)

	ffb := (*findfuncbucket)(add(unsafe.Pointer(datap.findfunctab), b*unsafe.Sizeof(findfuncbucket{})))
	idx := ffb.idx + uint32(ffb.subbuckets[i])

	// Find the ftab entry.
	for datap.ftab[idx+1].entryoff <= pcOff {
		idx++
	}
`, `
	_ = x
	idx := pcOff - datap.ftab[0].entryoff
`}}

// returns has a function return a value, or none, before it does anything.
func returns(file, head, value string) []edit {
	return []edit{{file, head + "\n", head + "\n\treturn " + value + "\n"}}
}

// throws has a function end the program, before it does anything. The value is what it would return.
func throws(file, head, text, value string) []edit {
	return []edit{{file, head + "\n", fmt.Sprintf("%s\n\tthrow(%q)\n\treturn %s\n", head, text, value)}}
}

// layRuntime lays the edited files over the runtime's. It fails where the runtime is another
// than the one that the edits are of.
func (l laid) layRuntime(folder string) (laid, error) {
	texts := map[string][]byte{}
	for _, e := range slices.Concat(unused, noBuckets) {
		source := filepath.Join(l.root, "src", "runtime", e.file)
		if texts[source] == nil {
			text, err := os.ReadFile(source)
			if err != nil {
				return l, err
			}
			texts[source] = text
		}
		if bytes.Count(texts[source], []byte(e.from)) != 1 {
			return l,
				fmt.Errorf("the runtime of this toolchain is another than the one that is known: %s lacks %q",
					source, e.from)
		}
		texts[source] = bytes.Replace(texts[source], []byte(e.from), []byte(e.to), 1)
	}
	return l.over("runtime", folder, texts)
}
