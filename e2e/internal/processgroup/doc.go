//go:build !js

// Package processgroup ends a command together with the processes that it
// started: npm's servers and the conformance suite have children that outlive
// a plain kill and keep the pipes open.
package processgroup
