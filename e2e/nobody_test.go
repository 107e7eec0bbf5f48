//go:build !js

package e2e

import (
	"net"
	"testing"
)

// nobody is an address at which connections are refused until the test ends. It is
// this end of a connection: the port of a server that is down may become another's.
func nobody(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	taken, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	return taken.LocalAddr().String()
}
