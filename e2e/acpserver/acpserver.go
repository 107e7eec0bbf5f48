//go:build !js

package acpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
)

// patience bounds every wait that has no context of its own. A node that starts
// beside twenty other processes was seen to take ten seconds.
const patience = time.Minute

// Options choose what kind of server it is. The zero value speaks both versions
// and keeps its sessions over a restart.
type Options struct {
	// Versions are the protocol versions served; nil means 1 and 2.
	Versions []int
	// Forgetful keeps sessions in memory only, so that Restart loses them.
	Forgetful bool
	// AskOnce leaves those who come later without the questions that wait: they
	// see requires_action and can only cancel.
	AskOnce bool
}

// A Server is the official server, running. Its methods may be called from any
// goroutine, but for Kill and Restart.
type Server struct {
	t       testing.TB
	opts    Options
	folder  string
	port    string
	control string
	process *nodeserver.Process
	news    *news
	down    bool
}

// Start runs the server on a free loopback port until t ends. The test fails if
// the packages are not installed or the server does not come up.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	for _, name := range []string{"@agentclientprotocol/sdk", "ws"} {
		if _, err := nodeserver.Installed(filepath.FromSlash(name), "package.json"); err != nil {
			t.Fatal("acpserver: ", err)
		}
	}
	s := &Server{t: t, opts: o, port: "0"}
	if !o.Forgetful {
		s.folder = t.TempDir()
	}
	s.up()
	return s
}

func (s *Server) up() {
	s.t.Helper()
	root, err := moduleroot.Find()
	if err != nil {
		s.t.Fatal("acpserver: ", err)
	}
	extra := []string{"PORT=" + s.port, "SESSIONS=" + s.folder}
	if s.opts.Versions != nil {
		extra = append(extra, "VERSIONS="+strings.Trim(fmt.Sprint(s.opts.Versions), "[]"))
	}
	if s.opts.AskOnce {
		extra = append(extra, "ASK_ONCE=1")
	}
	s.process = nodeserver.Start(s.t, extra, filepath.Join(root, "e2e", "acpserver", "server.mjs"))
	line, err := s.process.Line()
	if err != nil {
		s.t.Fatalf("acpserver: %v\n%s", err, s.process.Output())
	}
	s.down = false
	port, control, _ := strings.Cut(line, " ")
	s.port, s.control = port, "http://127.0.0.1:"+control+"/"
	s.news = newNews(s.t, s.control)
	process := s.process
	s.t.Cleanup(func() {
		if s.process == process && !s.down {
			if bugs := s.Of("bug"); len(bugs) > 0 {
				s.t.Errorf("acpserver: the agent is at fault: %+v", bugs)
			}
		}
	})
}

// URL is the endpoint's address. It stays the same over Restart.
func (s *Server) URL() string { return "http://127.0.0.1:" + s.port + "/acp" }

// WebSocketURL is the same endpoint's address for WebSockets.
func (s *Server) WebSocketURL() string { return "ws://127.0.0.1:" + s.port + "/acp" }

// Kill ends the process with SIGKILL: connections are reset and forgotten.
func (s *Server) Kill() {
	s.news.stop()
	s.down = true
	s.process.Kill()
}

// Up starts the server again on the same port after Kill. The log begins again.
func (s *Server) Up() {
	s.t.Helper()
	s.up()
}

// Restart is Kill and Up.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	s.Up()
}

// Output is what the process printed: nothing, if all went well.
func (s *Server) Output() string { return s.process.Output() }

// do asks the control for something.
func (s *Server) do(what string, arguments map[string]any, result any) {
	s.t.Helper()
	asked := map[string]any{"do": what}
	for name, value := range arguments {
		asked[name] = value
	}
	body, err := json.Marshal(asked)
	if err != nil {
		s.t.Fatalf("acpserver: %v", err)
	}
	answer, err := nodeserver.Client.Post(s.control, "application/json", bytes.NewReader(body))
	if err != nil {
		s.t.Fatalf("acpserver: %s: %v", what, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatalf("acpserver: %s: %v %s %s", what, err, answer.Status, text)
	}
	if result != nil {
		if err := json.Unmarshal(text, result); err != nil {
			s.t.Fatalf("acpserver: %s: %v", what, err)
		}
	}
}
