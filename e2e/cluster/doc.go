// Package cluster holds the stories of servers on several nodes: what a client lives through when the node
// that runs its call is killed, when all are restarted, and when the network between them and their store
// parts.
package cluster
