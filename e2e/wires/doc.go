//go:build !js

// Package wires tells stories over the wire that users have: TLS with HTTP/2, and a proxy in
// between. The authority that signs the server's certificate is made for one run, and one browser
// takes it, by a flag. The proxy sees each frame, so that a stream, a connection or a head can end in every
// way that HTTP/2 has. It reads and writes frames with golang.org/x/net/http2: that is the well-kept
// implementation of the wire, and shows frames, which net/http does not.
//
// `make test` has the short row, `make wires` all of it, under each host.
package wires
