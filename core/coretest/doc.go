// Package coretest runs core's state machines without a browser: under a
// virtual clock with every input and effect in view (World), from scripts with
// golden effects (Script), and against real servers over net/http (Host).
//
// It is the only package of core that may use the network, clocks and
// goroutines, and nothing but tests imports it. Protocol rules do not belong
// here: a World knows what an exchange is, not what a message means.
package coretest
