// Package node is one of several servers behind a load balancer that speak Streamable HTTP (2025-11-25 and
// before) over one store: whatever node a request comes to, it goes on with what another has begun. It is a
// reference, tried by the stories of this module, for whoever builds the same.
//
// A node keeps nothing that matters. A session is a record. A call is a record, which says who runs it, and a
// stream of events in the log. The answer to a POST and to a GET with Last-Event-ID is the same thing, that
// stream, read from the log: an event that is not stored is never sent. What runs a call ([Backend]) only
// appends.
//
// Who runs a call is decided by the log: each append names the event that it comes after. A node that dies is
// noticed by the others, because its record does not change any more (by their own monotonic clocks: no wall
// clock is compared); one of them appends that it runs the call from here on, and from then on nothing that
// the dead one says counts, even if it is not dead. What it then does is the backend's to say: go on behind
// what is in the log, where the tool can, or answer that nobody knows how far the call got. It is not run
// again.
package node
