//go:build !js

package e2e

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// The rules for CORS that docs/servers.md has for other stacks than those of its servers, as they are
// written, but for the origin of the page and the address of the server. A stack that is not installed is
// skipped.

// recipes start what runs a recipe, for pages of an origin, before the server at an address (host:port), and
// return its own address.
var recipes = map[string]func(t *testing.T, origin, server string) (address string){
	"nginx": func(t *testing.T, origin, server string) string {
		program, err := exec.LookPath("nginx")
		if err != nil {
			if program, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
				t.Skip("nginx is not installed: its recipe is not run")
			}
		}
		recipe := strings.NewReplacer("https://app.example", origin, "127.0.0.1:3000", server).Replace(
			string(serverExample(t, "nginx")))
		address, folder := freeAddress(t), t.TempDir()
		temporary := ""
		for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			temporary += fmt.Sprintf("%s_temp_path %s/%s;\n", kind, folder, kind)
		}
		config := filepath.Join(folder, "nginx.conf")
		if err := os.WriteFile(config, fmt.Appendf(nil, `daemon off; master_process off; pid %s/pid; error_log stderr warn;
events {}
http {
access_log off;
%sserver {
listen %s;
%s}
}
`, folder, temporary, address, recipe), 0o644); err != nil {
			t.Fatal(err)
		}
		listens(t, nodeserver.Run(t, nil, program, "-p", folder, "-e", "stderr", "-c", config), address)
		return address
	},
	"python": func(t *testing.T, origin, server string) string {
		program := pythonWith(t, "fastapi", "uvicorn")
		recipe := strings.Replace(string(serverExample(t, "python")), "https://app.example", origin, 1)
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "server.py"), []byte(forwarding+recipe),
			0o644); err != nil {
			t.Fatal(err)
		}
		address := freeAddress(t)
		_, port, _ := net.SplitHostPort(address)
		listens(t, nodeserver.Run(t, []string{"SERVER=" + server}, program, "-m", "uvicorn", "--app-dir",
			folder, "--port", port, "--log-level", "critical", "server:app"), address)
		return address
	},
}

// forwarding is an app of FastAPI's that passes requests on to the server at the address in SERVER: its
// recipe is about CORS alone.
const forwarding = `
import http.client, os
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

app = FastAPI()

@app.api_route("/mcp", methods=["GET", "POST", "DELETE"])
async def mcp(request: Request):
    return await run_in_threadpool(forward, request.method, dict(request.headers), await request.body())

def forward(method, headers, body):
    server = http.client.HTTPConnection(os.environ["SERVER"])
    server.request(method, "/mcp", body or None, {k: v for k, v in headers.items() if k not in ("host", "content-length")})
    answer = server.getresponse()
    kept = {k: v for k, v in answer.getheaders() if k.lower() not in ("transfer-encoding", "connection", "date")}
    return StreamingResponse(iter(lambda: answer.read1(65536), b""), answer.status, kept)

`

// pythonWith is a Python that has these packages.
func pythonWith(t *testing.T, packages ...string) string {
	t.Helper()
	// the system's has what the system's packages bring
	for _, program := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(program, "-c", "import "+strings.Join(packages, ", ")).Run() == nil {
			return program
		}
	}
	t.Skipf("no python3 with %s is installed: their recipe is not run", strings.Join(packages, " and "))
	return ""
}

// freeAddress is one of the loopback that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func listens(t *testing.T, process *nodeserver.Process, address string) {
	t.Helper()
	if err := process.Listening(address); err != nil {
		t.Fatalf("%v\n%s", err, process.Output())
	}
}

// TestStoryDocsRecipes: a server that knows nothing of CORS is behind each recipe. A page of another origin
// connects, is loaded again in mid-call, and resumes. What the page tells about CORS holds: each header, each
// method, and errors have them as well.
func TestStoryDocsRecipes(t *testing.T) {
	t.Parallel()
	for name, start := range recipes {
		t.Run(name, func(t *testing.T) {
			p := peer.New(t, peer.Options{CORS: peer.CORS{Off: true}})
			p.Counting(nil)
			server, err := url.Parse(p.URL())
			if err != nil {
				t.Fatal(err)
			}
			site := chrome.NewSite(t)
			endpoint := "http://" + start(t, site.URL, server.Host) + "/mcp"
			for _, method := range []string{"GET", "POST", "DELETE"} {
				allowedTo(t, endpoint, site.URL, method)
			}
			large := crossOrigin(t, "POST", endpoint, site.URL, 2<<20)
			if large.StatusCode == http.StatusRequestEntityTooLarge {
				t.Errorf("a body of 2 MiB: %s", large.Status)
			}

			const options = `{ host: "page" }` // a reload cuts its stream
			page := appOn(t, site, endpoint, options)
			counts(p, page, 8, 3, `{ key: "k" }`)
			page.WaitFor(`call.guarantee === "resumable"`)
			page.Reload()
			if n := connected(page, endpoint, options); n != 1 {
				t.Fatalf("%d calls came back", n)
			}
			passes(p, "go", 6)
			outcome(t, page, "")
			counted(t, page, 8)
			once(t, p, "a")

			p.Down()
			if failed := crossOrigin(t, "POST", endpoint, site.URL, 0); failed.StatusCode < 500 {
				t.Errorf("the server is down: %s", failed.Status)
			}
		})
	}
}

// allowedTo makes the preflight of a browser, with all fields that docs/servers.md names.
func allowedTo(t *testing.T, endpoint, origin, method string) {
	t.Helper()
	const fields = "authorization,content-type,last-event-id,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", origin)
	request.Header.Set("Access-Control-Request-Method", method)
	request.Header.Set("Access-Control-Request-Headers", fields)
	response, err := nodeserver.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	h := response.Header
	if response.StatusCode/100 != 2 || h.Get("Access-Control-Allow-Origin") != origin ||
		!names(h.Get("Access-Control-Allow-Methods"), method) {
		t.Errorf("preflight of %s: %s, %v", method, response.Status, h)
	}
	for field := range strings.SplitSeq(fields, ",") {
		if !names(h.Get("Access-Control-Allow-Headers"), field) {
			t.Errorf("preflight of %s: %s is not allowed", method, field)
		}
	}
}

// crossOrigin makes a request as a page of that origin does, and checks that the page may read the answer,
// once. The caller reads nothing of it.
func crossOrigin(t *testing.T, method, endpoint, origin string, size int) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, endpoint,
		bytes.NewReader(make([]byte, size)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", origin)
	request.Header.Set("Content-Type", "application/json")
	response, err := nodeserver.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if got := response.Header.Values("Access-Control-Allow-Origin"); len(got) != 1 || got[0] != origin {
		t.Errorf("%s: Access-Control-Allow-Origin: %q", response.Status, got)
	}
	for _, field := range []string{"Mcp-Session-Id", "WWW-Authenticate", "Retry-After"} {
		if !names(response.Header.Get("Access-Control-Expose-Headers"), field) {
			t.Errorf("%s: %s is not exposed", response.Status, field)
		}
	}
	return response
}

// names reports whether a list of a header's has a name.
func names(list, name string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(one), name) {
			return true
		}
	}
	return false
}
