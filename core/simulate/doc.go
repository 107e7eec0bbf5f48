//go:build !js

// Package simulate runs a hundred thousand clients against one service in
// virtual time, to see what a reconnect policy does at the scale of the
// Internet. The clients are the real ones (core/mcp on its engine.Driver): what
// is modelled is everything around them, the network, the machines they run on,
// a load balancer and the instances behind it.
//
//	make simulate
//
// A World plays one Scenario and gives a Result: the arrival curve at the
// service, how long each client was without its streams, and what went wrong
// (an event that never came or came twice, a request before the server allowed
// it), which must be nothing. One seed makes one run: it is printed, and gives
// the same run again.
//
// The unit of time is the millisecond, as in core/engine.
package simulate

//go:generate go run ./cmd -svg ../../docs/simulation.svg
