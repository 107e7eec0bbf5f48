//go:build !js

package peer

import (
	"fmt"
	"net/http"
)

// Mounted makes a Peer that has no port and belongs to no test: whoever serves it
// among other things mounts it at Path, cuts its connections, and closes it. It
// has no tools to begin with. Up and Down do nothing.
func Mounted(o Options) *Peer {
	if o.Revision == "" {
		o.Revision = Revision20251125
	}
	p := &Peer{t: panics{}, opts: o, mounted: true}
	p.prepare()
	return p
}

// ServeHTTP serves the endpoint of a mounted Peer.
func (p *Peer) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.serve(w, r) }

// panics reports where there is no test to end.
type panics struct{}

func (panics) Helper()                           {}
func (panics) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (panics) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
