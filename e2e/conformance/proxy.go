//go:build !js

package conformance

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"

	"github.com/holdfast-mcp/holdfast/e2e/internal/requestbody"
)

// proxy is a forward proxy for one browser. It reaches loopback only, passes
// streams as they come, and adds CORS headers where a page asks another origin
// (see cors.go).
type proxy struct {
	upstream http.Handler
}

func newProxy() *proxy {
	return &proxy{upstream: requestbody.Whole(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			// ReverseProxy drops queries that it cannot parse; the server is to
			// see what the page sent.
			r.Out.URL.RawQuery = r.In.URL.RawQuery
		},
		// A suite's server ends once its connections have.
		Transport:      &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		ModifyResponse: func(r *http.Response) error { allow(r.Request, r.Header); return nil },
		FlushInterval:  -1,
		// A server that is not there has to look like one: cut, no status.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		// Cut connections are what pages do, not news.
		ErrorLog: log.New(io.Discard, "", 0),
	})}
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect || r.URL.Host == "" || !loopback(r.URL.Hostname()):
		http.Error(w, "this proxy reaches http on loopback only", http.StatusForbidden)
	case preflight(r):
		permit(w, r)
	default:
		p.upstream.ServeHTTP(w, r)
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
