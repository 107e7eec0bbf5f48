//go:build !js

package acppeer

import (
	"fmt"
	"net/http"
)

// Mounted makes a Peer that has no port and belongs to no test: whoever serves it
// among other things mounts it at /acp, cuts its connections, and closes it.
func Mounted(o Options) *Peer { return prepare(panics{}, o) }

// ServeHTTP serves the endpoint of a mounted Peer.
func (p *Peer) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.serve(w, r) }

// reporter is what a Peer needs of its test.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// panics reports where there is no test to end.
type panics struct{}

func (panics) Helper()                           {}
func (panics) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
