//go:build !js

// Package everything runs the official TypeScript server-everything, which the
// project's package.json pins, as a peer:
//
//	url := everything.Start(t) // http://127.0.0.1:PORT/mcp
//
// What it does on the wire (2026.8.31, read and tried): revision 2025-11-25
// with sessions, CORS "*" with the session id exposed, priming events, event
// ids that are bare UUIDs. Its store replays everything of the session that
// came after an id, whatever stream that belonged to. It answers **400** with
// -32000 "No valid session ID provided", not 404, to a session it does not
// know; so that is how a restarted one looks.
package everything

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// ScriptVariable is the environment variable that names another copy of the
// server's dist/index.js than the one in the project's node_modules.
const ScriptVariable = "HOLDFAST_EVERYTHING"

const startLimit = 30 * time.Second

// Start runs the server on a free port until t ends and returns its endpoint.
// The test fails if the server is not installed or does not come up; what it
// printed is logged when t fails. The server listens on all interfaces; the
// URL names the loopback one.
func Start(t testing.TB) (url string) {
	t.Helper()
	script, err := locate()
	if err != nil {
		t.Fatal("everything: ", err)
	}
	port, err := freePort()
	if err != nil {
		t.Fatal("everything: ", err)
	}
	out := new(output)
	cmd := exec.Command("node", script, "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+strconv.Itoa(port))
	cmd.Stdout, cmd.Stderr = out, out
	// A child that keeps the pipes open must not keep Wait.
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatalf("everything: cannot run node: %v", err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	t.Cleanup(func() {
		killGroup(cmd)
		<-exited
		if t.Failed() {
			t.Logf("everything printed:\n%s", out)
		}
	})
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if err := await(address, exited); err != nil {
		t.Fatalf("everything: %v", err)
	}
	return "http://" + address + "/mcp"
}

func locate() (string, error) {
	if own := os.Getenv(ScriptVariable); own != "" {
		return own, nil
	}
	root, err := moduleroot.Find()
	if err != nil {
		return "", err
	}
	script := filepath.Join(root, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		return "", fmt.Errorf("the test server is not installed: run `npm ci` (or `make test`) first")
	}
	return script, nil
}

// freePort asks the kernel; between this and the server's listening somebody
// else could take it, which shows as a server that exits.
func freePort() (int, error) {
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// await returns once somebody accepts connections.
func await(address string, exited chan error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			return c.Close()
		}
		select {
		case <-tick.C:
		case err := <-exited:
			exited <- err // the cleanup waits for it as well
			return fmt.Errorf("it exited at once: %v", err)
		case <-limit.C:
			return fmt.Errorf("it did not listen within %v", startLimit)
		}
	}
}

// output collects what the server prints, from two pipes.
type output struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}
