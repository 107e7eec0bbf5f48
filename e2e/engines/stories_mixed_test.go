//go:build !js

package engines

import (
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/authority"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// securePage is a page of an https site that connects as it is told.
const securePage = `
import * as ofModule from "/holdfast.mjs";
import { connectAgent } from "/holdfast-agent.mjs";
const holdfast = { ...ofModule, connectAgent };
window.connects = (how, url, options) =>
	holdfast[how](url, options).then((client) => client.host + " " + client.state, (error) => error.code);
window.holdfast = holdfast;
window.ready = true;
`

// secure opens that page.
func (s *scene) secure() *page {
	s.Helper()
	s.alone(Options{AnyCertificate: true})
	s.own().Page("/app", securePage)
	site := httptest.NewUnstartedServer(s.own())
	site.TLS = authority.Own().Server()
	site.StartTLS()
	s.Cleanup(site.Close)
	s.Cleanup(site.CloseClientConnections)
	page := s.open(site.URL + "/app")
	page.waitFor(`window.ready`)
	return page
}

// plainElsewhere is the address of a server in plain that is not of this machine as far as a browser can
// tell, and how many requests have come there.
func (s *scene) plainElsewhere() (url string, came *atomic.Int32) {
	s.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		s.Fatal(err)
	}
	at := slices.IndexFunc(addresses, func(address net.Addr) bool {
		network, ok := address.(*net.IPNet)
		return ok && network.IP.To4() != nil && !network.IP.IsLoopback()
	})
	if at < 0 {
		s.Skip("this machine has no address but its own")
	}
	listener, err := net.Listen("tcp", addresses[at].(*net.IPNet).IP.String()+":0")
	if err != nil {
		s.Fatal(err)
	}
	came = new(atomic.Int32)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		came.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.WriteHeader(http.StatusNoContent)
	}))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	s.Cleanup(server.Close)
	return server.URL + "/mcp", came
}

// plainHTTP has an https page connect to a server in plain, elsewhere and on this machine: in each host what
// the browser forbids the page is forbidden, and nothing leaves; a server of this machine is as good as https
// in the hosts that are named.
func plainHTTP(here ...string) func(*scene) {
	return func(s *scene) {
		page := s.secure()
		url, came := s.plainElsewhere()
		for _, how := range []string{"connect", "connectAgent"} {
			for options, want := range map[string]string{
				`{ host: "page" }`:                   "network_error",
				`{}`:                                 "network_error",
				`{ host: "shared" }`:                 "host_unavailable",
				`{ host: "worker" }`:                 "host_unavailable",
				`{ token: () => "secret" }`:          "bad_argument",
				`{ headers: { "X-Key": "secret" } }`: "bad_argument",
				`{ credentials: "include" }`:         "bad_argument",
				`{ auth: holdfast.oauth() }`:         "bad_argument",
			} {
				got := eval[string](page, `connects(`+chrome.JS(how)+`, `+chrome.JS(url)+`, `+options+`)`)
				if got != want {
					s.Errorf("%s %s: %s, want %s", how, options, got, want)
				}
			}
		}
		if n := came.Load(); n != 0 {
			s.Errorf("%d requests left in plain", n)
		}
		p := peer.New(s.T, peer.Options{CORS: peer.CORSResuming()})
		local := strings.Replace(p.URL(), "127.0.0.1", "localhost", 1)
		for _, host := range []string{"page", "worker", "shared"} {
			want := "network_error"
			if slices.Contains(here, host) {
				want = host + " open"
			}
			options := `{ host: ` + chrome.JS(host) + `, token: () => "t", principal: "ada" }`
			if got := eval[string](page, `connects("connect", `+chrome.JS(local)+`, `+options+`)`); got !=
				want {
				s.Errorf("localhost: %s, want %s", got, want)
			}
		}
	}
}
