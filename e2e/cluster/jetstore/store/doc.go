// Package store says what a server that runs on several nodes needs of a store, so that any of them
// can go on with what another has begun: a [Log] of the events of each stream, and [Records] of
// sessions, nodes, calls and tasks. It has no implementation: package jetstore is one over NATS
// JetStream, package memory one for a single process, and package storetest is the contract that
// both keep.
//
// Two rules make it safe. What is written is written after a place that the writer names
// (compare-and-set), so that a node that has been given up, and does not know it, adds nothing.
// And a reader names what it has by a chain over all events up to there, so that it never gets the
// events of another stream, of another session, or of a history that the store has lost since.
package store
