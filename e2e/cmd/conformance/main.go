//go:build !js

// Command conformance runs the official MCP conformance suite against the built
// module in Chrome and prints a table of the outcome. It fails if a scenario
// that is required does not pass:
//
//	make conformance
//	go run ./e2e/cmd/conformance -run 'tools_call|sse'
//
// The suite starts this program again as the client under test.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/conformance"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "client" {
		if err := conformance.Client(os.Args[2]); err != nil {
			fail(err)
		}
		return
	}
	only := flag.String("run", "", "run only what matches this expression, as scenario@revision")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		fail(err)
	}
	start := time.Now()
	runner := conformance.Runner{Only: chosen,
		Progress: func(run conformance.Run, verdict conformance.Verdict) {
			word := "FAIL"
			if verdict.Passed {
				word = "pass"
			}
			fmt.Fprintf(os.Stderr, "%5.1fs %s %v\n", time.Since(start).Seconds(), word, run)
		}}
	// An interrupted run still ends the suite and the browser.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	outcome, err := runner.Run(ctx)
	if err != nil {
		fail(err)
	}
	outcome.Report(os.Stdout)
	if len(outcome.Missing()) > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "conformance:", err)
	os.Exit(1)
}
