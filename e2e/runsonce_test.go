//go:build !js

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
	"github.com/holdfast-mcp/holdfast/e2e/internal/requestbody"
)

// recipesPage has the recipes of servers whose tools run once.
const recipesPage = "docs/idempotency.md"

// onceServer is a server that is made with the page's recipe in a language, as it is written.
type onceServer struct {
	t       *testing.T
	address string
}

func startOnce(t *testing.T, language string, keep time.Duration, most int) *onceServer {
	t.Helper()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(filepath.Join(root, "web", "build"), "once-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	recipe := pageExamples(t, recipesPage, language, 2)[0]
	env := []string{fmt.Sprint("KEEP_MS=", keep.Milliseconds()), fmt.Sprint("MOST=", most)}
	var process *nodeserver.Process
	if language == "js" {
		write("once.mjs", recipe)
		process = nodeserver.Start(t, env, write("server.mjs", read(t, "testdata/runsonce/server.mjs")))
	} else {
		program := filepath.Join(folder, "server")
		build := exec.Command("go", "build", "-o", program, write("once.go", recipe),
			write("main.go", read(t, "testdata/runsonce/main.go")))
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", recipesPage, err, out)
		}
		process = nodeserver.Run(t, env, program)
	}
	port, err := process.Line()
	if err != nil {
		t.Fatalf("%s: the server in %s: %v\n%s", recipesPage, language, err, process.Output())
	}
	return &onceServer{t, "http://127.0.0.1:" + port}
}

// get asks the server for what it has seen, or to let the runs go that wait.
func (s *onceServer) get(path string, into any) {
	s.t.Helper()
	response, err := nodeserver.Client.Get(s.address + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if into != nil {
		if err := json.NewDecoder(response.Body).Decode(into); err != nil {
			s.t.Fatal(err)
		}
	}
}

// seen returns how many calls have arrived at a tool, and how often one has run.
func (s *onceServer) seen() [2]int {
	s.t.Helper()
	var counts [2]int
	s.get("/seen", &counts)
	return counts
}

// signedBy signs each request.
type signedBy struct{ user string }

func (b signedBy) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+b.user)
	return nodeserver.Client.Transport.RoundTrip(r)
}

// connect is a user's session.
func (s *onceServer) connect(user string) *mcp.ClientSession {
	s.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "once", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: s.address + "/mcp", HTTPClient: &http.Client{Transport: signedBy{user}},
		DisableStandaloneSSE: true, MaxRetries: -1,
	}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { session.Close() })
	return session
}

// called makes a call under a key, and returns what it brought.
func called(ctx context.Context, session *mcp.ClientSession, tool, key string,
	arguments map[string]any) string {
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	if key != "" {
		params.Meta = mcp.Meta{"io.github.holdfast-mcp/idempotencyKey": key}
	}
	result, err := session.CallTool(ctx, params)
	if err != nil {
		return "error: " + err.Error()
	}
	text := result.Content[0].(*mcp.TextContent).Text
	if result.IsError {
		return "failed: " + text
	}
	return text
}

// TestRunsOnce: the recipes of docs/idempotency.md, as they are written, run a call once: for its user and
// its tool, with the arguments that it had, while it runs, after its end, and for as long as they keep it.
func TestRunsOnce(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"js", "go"} {
		t.Run(language, func(t *testing.T) {
			row(t)
			t.Parallel()
			ctx := context.Background()
			s := startOnce(t, language, time.Hour, 4)
			ada, elsewhere, bob := s.connect("ada"), s.connect("ada"), s.connect("bob")
			of := func(order int) map[string]any { return map[string]any{"order": order} }
			for _, row := range []struct {
				session   *mcp.ClientSession
				tool, key string
				arguments map[string]any
				want      string
			}{
				{ada, "pay", "k", of(7), "payment 1 of order 7"},
				{ada, "pay", "k", of(7), "payment 1 of order 7"},
				{elsewhere, "pay", "k", of(7), "payment 1 of order 7"},
				{ada, "pay", "k", of(8), "ot run: this idempotency key is that of other arguments"},
				{bob, "pay", "k", of(7), "payment 2 of order 7"},
				{ada, "refund", "k", of(7), "payment 3 of order 7"},
				{ada, "pay", "f", map[string]any{"order": 9, "fail": true}, "failed: payment 4 of order 9"},
				{ada, "pay", "f", map[string]any{"order": 9, "fail": true}, "failed: payment 4 of order 9"},
				{ada, "pay", "", of(7), "payment 5 of order 7"},
				{ada, "pay", "", of(7), "payment 6 of order 7"},
				{ada, "pay", "fourth", of(7), "payment 7 of order 7"},
				{ada, "pay", "fifth", of(7), "ot run: too many of your calls are kept"},
				{ada, "pay", "k", of(7), "payment 1 of order 7"},
				{bob, "pay", "fifth", of(7), "payment 8 of order 7"},
			} {
				if got := called(ctx, row.session, row.tool, row.key, row.arguments); !strings.Contains(
					got, row.want) {
					t.Fatalf("%s under %q with %v brings %q, want %q", row.tool, row.key, row.arguments, got,
						row.want)
				}
			}

			// A second request waits for the first run, though whoever has begun that has cancelled it.
			waits := map[string]any{"order": 10, "wait": true}
			before := s.seen()
			first, cancel := context.WithCancel(ctx)
			go called(first, bob, "pay", "w", waits)
			eventually(t, "the first run begins", func() bool { return s.seen()[1] == before[1]+1 })
			second := make(chan string, 1)
			go func() { second <- called(ctx, s.connect("bob"), "pay", "w", waits) }()
			eventually(t, "the second request is there", func() bool { return s.seen()[0] == before[0]+2 })
			cancel()
			s.get("/release", nil)
			if got := <-second; got != "payment 9 of order 10" {
				t.Errorf("the second request gets %q", got)
			}
			if now := s.seen(); now[1] != before[1]+1 {
				t.Errorf("it has run %d times", now[1]-before[1])
			}
		})
	}
}

// TestRunsOnce_ForATime: what is kept is forgotten in time, and there is room again.
func TestRunsOnce_ForATime(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"js", "go"} {
		t.Run(language, func(t *testing.T) {
			row(t)
			t.Parallel()
			s := startOnce(t, language, 50*time.Millisecond, 1)
			ada := s.connect("ada")
			for n := range 3 {
				eventually(t, "there is room again", func() bool {
					return !strings.Contains(called(context.Background(), ada, "pay", fmt.Sprint(n),
						map[string]any{"order": n}), "too many")
				})
			}
			eventually(t, "the first one is forgotten", func() bool {
				return called(context.Background(), ada, "pay", "0",
					map[string]any{"order": 0}) == "payment 4 of order 0"
			})
		})
	}
}

// TestStoryRunsOnce: a call whose connection dies in the middle is run again by its page, under its key, and
// gets what its first run brings: the tool has run once.
func TestStoryRunsOnce(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"js", "go"} {
		t.Run(language, func(t *testing.T) {
			row(t)
			t.Parallel()
			s := startOnce(t, language, time.Hour, 10)
			target, err := url.Parse(s.address)
			if err != nil {
				t.Fatal(err)
			}
			proxy := httputil.NewSingleHostReverseProxy(target)
			proxy.FlushInterval = -1
			site := chrome.NewSite(t)
			site.Handle("/mcp", requestbody.Whole(proxy))
			page := appOn(t, site, site.URL+"/mcp", `{ token: () => "ada", principal: "ada" }`)
			chrome.Eval[chrome.Void](page,
				`void watch(mcp.callTool("pay", { order: 7, wait: true }, { rerun: "always" }))`)
			eventually(t, "the tool runs", func() bool { return s.seen()[1] == 1 })
			site.Cut()
			eventually(t, "it is asked for again", func() bool { return s.seen()[0] >= 2 })
			s.get("/release", nil)
			outcome(t, page, "")
			if got := chrome.Eval[string](page, `seen.result.content[0].text`); got !=
				"payment 1 of order 7" {
				t.Errorf("the call brings %q", got)
			}
			if now := s.seen(); now[1] != 1 {
				t.Errorf("the tool has run %d times", now[1])
			}
		})
	}
}

// TestHouseRecipesPage: the recipe in Go is written as gofmt has it.
func TestHouseRecipesPage(t *testing.T) {
	t.Parallel()
	recipe := pageExamples(t, recipesPage, "go", 2)[0]
	if formatted, err := format.Source([]byte(recipe)); err != nil || string(formatted) != recipe {
		t.Errorf("%s: gofmt wants\n%s%v", recipesPage, formatted, err)
	}
}
