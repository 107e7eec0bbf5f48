//go:build !js

// Package e2e holds the stories: what a user of the built module lives through
// in a real Chrome, against scripted and real servers. It also runs the tests of
// the wasm packages inside Chrome and checks the structure of the house.
//
// It sees the product from outside only: web/dist over HTTP, never a Go package
// of the core.
package e2e
