//go:build !js

package chrome

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Host says where Holdfast runs in the pages of a test. A story says nothing about
// it: the built module that its site serves asks connect and connectAgent for the host.
type Host string

// The hosts.
const (
	// AnyHost leaves it to connect, as an app does that says nothing of hosts.
	AnyHost Host = "auto"
	// PageHost is the page itself.
	PageHost Host = "page"
	// WorkerHost is a worker that dies with its page.
	WorkerHost Host = "worker"
	// SharedHost is a worker that outlives its pages.
	SharedHost Host = "shared"
	// KilledHost is the shared host, whose worker is killed whenever a page goes: what is
	// promised then is what the page host promises.
	KilledHost Host = "killed"
)

// HostOf is the host of a test: TestHosts/<host>/... has it in its name, and for
// the others HOLDFAST_HOST may name one. It is the page else: `make test` tells all stories
// of that host, since it is the one in which a reload cuts what is open.
func HostOf(t testing.TB) Host {
	if parts := strings.Split(t.Name(), "/"); len(parts) > 1 && parts[0] == "TestHosts" {
		return Host(parts[1])
	}
	return cmp.Or(Host(os.Getenv("HOLDFAST_HOST")), PageHost)
}

// option is what connect is asked for.
func (h Host) option() string {
	if h == KilledHost {
		return string(SharedHost)
	}
	return string(h)
}

// pinned is a module that stands before a built one, which it has at from, and asks
// for a host where the page asks for none: connects is what connects there, preloads what loads that ahead.
func (h Host) pinned(from string, connects, preloads string) string {
	return fmt.Sprintf(`
export * from %[1]s;
import * as built from %[1]s;
const pin = (options) => ({ host: %[2]s, ...options });
export const %[3]s = (url, options) => built.%[3]s(url, pin(options));
export const %[4]s = (options) => built.%[4]s(pin(options));
`, JS(from), JS(h.option()), connects, preloads)
}

// outliving returns what kills the workers that would outlive the page, when it has
// gone: none but those that are there now.
func (p *Page) outliving() (kill func()) {
	p.t.Helper()
	if HostOf(p.t) != KilledHost {
		return func() {}
	}
	workers := p.profile.SharedWorkers()
	return func() {
		for _, worker := range workers {
			worker.Kill()
		}
	}
}
