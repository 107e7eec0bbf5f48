// Package sdknode runs calls in a server of the official Go SDK (go-sdk 1.8.0), as the backend of a node.
//
// The SDK's own StreamableHTTPHandler keeps its sessions in its process: another node answers 404 to them,
// whatever the event store has. So its StreamableServerTransport is used, one for each session, which any
// node makes anew from the stored initialize request ([mcp.ServerSessionOptions]). What else of the SDK does
// not do behind a load balancer, and what is done about it:
//
//   - It writes an event to the client even where the event store has refused it, with an id that the
//     store does not know. Here nothing that it writes reaches a client; the store is what is read.
//   - EventStore.Append has no place to say which event comes before. The call knows it, so that two
//     nodes never write the same stream.
//   - Closing a session closes it in the store (SessionClosed), on a shutdown too. That is not passed on:
//     a session ends by DELETE.
//   - Its questions to clients are numbered in each process. Each gets the name of its node, and of its call
//     (package node); what a tool asks that goes on for another node is not asked again.
//   - A resumed stream whose call runs in another process is replayed, and ends. The node's own stream goes on.
//   - The stream outside of calls (GET without Last-Event-ID) is not offered.
package sdknode
