package rig

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// A Balancer passes each request on to the next node: no two of a session come to the same one, but by
// chance. Where nobody listens, or a node says 503, the next one is tried, as common balancers do: such a
// request was not begun.
type Balancer struct {
	URL string

	mu    sync.Mutex
	nodes []string // host:port
	next  int
	took  map[string]int
}

// NewBalancer starts one until t ends.
func NewBalancer(t testing.TB) *Balancer {
	b := &Balancer{took: map[string]int{}}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "cluster"})
			r.Out.Host = "127.0.0.1"
		},
		FlushInterval: -1,
		Transport:     b,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request,
			_ error) {
			w.WriteHeader(http.StatusBadGateway)
		},
		ErrorLog: quietLog,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cors(w, r) {
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	b.URL = server.URL + "/mcp"
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return b
}

// Serve says which nodes there are.
func (b *Balancer) Serve(nodes []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes = nodes
}

// Took is how many requests went to how many nodes.
func (b *Balancer) Took() (requests, nodes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.took {
		requests += n
	}
	return requests, len(b.took)
}

// RoundTrip implements [http.RoundTripper].
func (b *Balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	b.mu.Lock()
	nodes := append([]string(nil), b.nodes...)
	first := b.next
	b.next++
	b.mu.Unlock()
	body, err := readAll(r.Body)
	if err != nil {
		return nil, err
	}
	err = errors.New("no node")
	var response *http.Response
	for i := range nodes {
		at := nodes[(first+i)%len(nodes)]
		out := r.Clone(r.Context())
		out.URL.Host = at
		out.Body = replay(body)
		response, err = http.DefaultTransport.RoundTrip(out)
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" {
			continue
		}
		if err == nil && response.StatusCode == http.StatusServiceUnavailable && i < len(nodes)-1 {
			response.Body.Close()
			continue
		}
		if err == nil {
			b.mu.Lock()
			b.took[at]++
			b.mu.Unlock()
		}
		return response, err
	}
	return response, err
}
