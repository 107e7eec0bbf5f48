//go:build !js

// Package everything runs the official TypeScript server-everything, which the
// project's package.json pins, as a peer:
//
//	url := everything.Start(t) // http://127.0.0.1:PORT/mcp
//
// What it does on the wire (2026.8.31, read and tried): revision 2025-11-25
// with sessions, CORS "*" with the session id exposed, priming events, event
// ids that are bare UUIDs. Its store replays everything of the session that
// came after an id, whatever stream that belonged to, and sends nothing live
// on the connection of a replay but keep-alives. It answers **400** with
// -32000 "No valid session ID provided", not 404, to a session it does not
// know; so that is how a restarted one looks.
package everything

import (
	"net"
	"os"
	"strconv"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
)

// ScriptVariable is the environment variable that names another copy of the
// server's dist/index.js than the one in the project's node_modules.
const ScriptVariable = "HOLDFAST_EVERYTHING"

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
	process := nodeserver.Start(t, []string{"PORT=" + strconv.Itoa(port)}, script, "streamableHttp")
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if err := process.Listening(address); err != nil {
		t.Fatalf("everything: %v", err)
	}
	return "http://" + address + "/mcp"
}

func locate() (string, error) {
	if own := os.Getenv(ScriptVariable); own != "" {
		return own, nil
	}
	return nodeserver.Installed("@modelcontextprotocol", "server-everything", "dist", "index.js")
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
