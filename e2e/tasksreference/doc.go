//go:build !js

// Package tasksreference holds what others wrote about the tasks extension
// (io.modelcontextprotocol/tasks, 2026-07-28) against the scripted server of
// e2e/peer, which no part of this project may be the only judge of: the server
// scenarios of the official conformance suite, and the official reference client
// @modelcontextprotocol/ext-tasks. It has nothing but tests.
package tasksreference
