// Replay plays a trace that holdfast/recorder has written: the core runs natively against what the server is
// on record for, and what the app would see of it is printed, one effect a line, as golden files have it.
//
//	go run ./core/coretest/replay [-page PAGE] trace.jsonl
//
// The trace is redacted: the protocol is played again, and not what was said. A call that an earlier page had
// made is not made again; the requests that went on with it are listed as not played.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	page := flag.String("page", "", "the page to play, of several in a trace; the newest is the default")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: replay [-page PAGE] trace.jsonl")
		os.Exit(2)
	}
	file, err := os.Open(flag.Arg(0))
	if err == nil {
		defer file.Close()
		err = run(file, *page, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}
