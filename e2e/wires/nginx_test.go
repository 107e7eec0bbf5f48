//go:build !js

package wires

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/authority"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// nginx is one in front of a server, which closes each connection behind a hundred requests, as its own
// default was for years.
type nginx struct {
	t               *testing.T
	program, folder string
}

// nginxConf is its configuration: %[1]s is the folder, and X-Length what a browser says of the length of a
// body, which it does not know of a stream.
const nginxConf = `daemon off; worker_processes 1; pid %[1]s/pid; error_log stderr crit;
events {}
http {
access_log off;
client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi;
uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
keepalive_requests 100;
server {
listen %[2]s ssl http2;
ssl_certificate %[1]s/certificate; ssl_certificate_key %[1]s/key;
location / {
proxy_pass http://%[3]s; proxy_http_version 1.1; proxy_buffering off;
proxy_set_header Connection ""; proxy_set_header X-Length $http_content_length;
}
}
}
`

// newNginx is newWire with an nginx in the place of the proxy.
func newNginx(t *testing.T) (*wire, *nginx) {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			t.Skip("nginx is not installed")
		}
	}
	site := chrome.NewSite(t)
	site.Page("/app", pageScript)
	p := peer.New(t, peer.Options{Site: site})
	p.SideEffects()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	n := &nginx{t: t, program: program, folder: t.TempDir()}
	certificate, key := authority.Own().PEM()
	server := strings.TrimPrefix(p.Origin(), "http://")
	for name, text := range map[string][]byte{
		"certificate": certificate, "key": key, "conf": fmt.Appendf(nil, nginxConf, n.folder, address, server),
	} {
		if err := os.WriteFile(filepath.Join(n.folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	process := nodeserver.Run(t, nil, n.program, n.args()...)
	if err := process.Listening(address); err != nil {
		t.Fatalf("%v\n%s", err, process.Output())
	}
	return &wire{t: t, p: p, site: site, profile: chrome.NewProfile(t), origin: "https://" + address}, n
}

func (n *nginx) args(more ...string) []string {
	return append([]string{"-p", n.folder, "-e", "stderr", "-c", filepath.Join(n.folder, "conf")}, more...)
}

// restart has another worker take over, as a deploy does: the old one tells its connections that they take
// nothing more (GOAWAY).
func (n *nginx) restart() {
	n.t.Helper()
	if out, err := exec.Command(n.program, n.args("-s", "reload")...).CombinedOutput(); err != nil {
		n.t.Fatalf("%v\n%s", err, out)
	}
}

// many makes calls, so many at a time, and notes how each has ended.
const many = `
window.ended = {};
window.over = 0;
window.many = async (calls, atOnce) => {
	let next = 0;
	const one = async () => {
		while (next < calls) {
			const label = "c" + next++;
			const { result } = mcp.callTool("sideeffect", { call: label });
			ended[label] = await result.then(() => "", ({ code }) => code);
			over++;
		}
	};
	await Promise.all(Array.from({ length: atOnce }, one));
};`

// TestFault758_BehindNginx: a thousand calls behind an nginx that closes connections under them, each after a
// hundred requests, and at restarts. With streamed bodies no call runs twice, and each that ends with its
// result ran; how many have an unknown outcome, and how many of those did not run, is logged, beside what it
// is without.
func TestFault758_BehindNginx(t *testing.T) {
	t.Parallel()
	long(t)
	const calls = 1_000
	for _, streamed := range []bool{true, false} {
		for _, atOnce := range []int{1, 8} {
			for _, restarts := range []int{0, 20} {
				name := fmt.Sprintf("streamed=%v/%d at a time/%d restarts", streamed, atOnce, restarts)
				t.Run(name, func(t *testing.T) {
					w, n := newNginx(t)
					page := w.open(fmt.Sprintf(`listen: false, ack: "auto", streamedBodies: %v`, streamed))
					chrome.Script[chrome.Void](page, many+fmt.Sprintf(`void many(%d, %d);`, calls, atOnce))
					for k := range restarts {
						page.WaitFor(fmt.Sprintf(`over >= %d`, (k+1)*calls/(restarts+1)))
						n.restart()
					}
					page.WaitFor(fmt.Sprintf(`over === %d`, calls))
					w.logEnds(chrome.Eval[map[string]string](page, `ended`), streamed)
				})
			}
		}
	}
}

// logEnds checks how calls have ended against how often each ran, and logs it.
func (w *wire) logEnds(ended map[string]string, streamed bool) {
	w.t.Helper()
	var unknown, ranNever, twice int
	for label, code := range ended {
		runs := w.p.Oracle().Runs(label)
		switch {
		case code == "outcome_unknown":
			unknown++
			if runs == 0 {
				ranNever++
			}
		case code != "" || runs == 0:
			w.t.Errorf("%s ended with %q, and ran %d times", label, code, runs)
		}
		if runs > 1 {
			twice++
		}
	}
	if streamed && twice > 0 {
		w.t.Errorf("%d calls ran twice", twice)
	}
	for _, r := range w.p.Of("tools/call") {
		if r.Header.Get("X-Length") == "" != streamed {
			w.t.Errorf("the body of a call has %q bytes by its head", r.Header.Get("X-Length"))
			break
		}
	}
	w.t.Logf("of %d calls %d are outcome_unknown, of which %d did not run; %d ran twice",
		len(ended), unknown, ranNever, twice)
}
