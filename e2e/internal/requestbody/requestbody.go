//go:build !js

// Package requestbody has a request's body in memory before a proxy passes the request on.
package requestbody

import (
	"bytes"
	"io"
	"net/http"
)

// Whole calls next once all of the body is there. Without it a server that answers quickly
// breaks its own answer: over HTTP/1.1 net/http closes the incoming body as soon as a handler
// writes, and httputil.ReverseProxy, which may still read the end of it, then closes the
// connection that the answer comes on.
func Whole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
