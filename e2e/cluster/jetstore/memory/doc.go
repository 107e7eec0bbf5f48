// Package memory is a store for one process: for tests, for trying a server out, and as the shortest
// reading of the contract.
package memory
