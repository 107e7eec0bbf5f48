//go:build !js

// Command demo serves the demo pages, and MCP servers and an ACP agent whose
// connections they can break:
//
//	make build && go run ./e2e/cmd/demo
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

const usualAddr = "127.0.0.1:7357"

func main() {
	addr := flag.String("addr", "", "address to listen on (default "+usualAddr+
		", or a free port if that is taken)")
	dist := flag.String("dist", "", "folder of the built page (default web/dist beside go.mod)")
	flag.Parse()
	if err := run(*addr, *dist); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(addr, dist string) error {
	site, err := demosite.New(demosite.Options{Dist: dist})
	if err != nil {
		return err
	}
	defer site.Close()
	l, err := listen(addr)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Dropped connections are what the page asks for, not news.
	server := &http.Server{Handler: site, ErrorLog: log.New(io.Discard, "", 0)}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	fmt.Printf("Holdfast demo: http://%s/\n", reachable(l.Addr()))
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func listen(addr string) (net.Listener, error) {
	if addr != "" {
		return net.Listen("tcp", addr)
	}
	if l, err := net.Listen("tcp", usualAddr); err == nil {
		return l, nil
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

// reachable is the address with a host that a browser can open.
func reachable(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
