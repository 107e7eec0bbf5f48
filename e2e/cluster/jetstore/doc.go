// Package jetstore keeps the events and the records of an MCP server in NATS JetStream, so that any node
// of a cluster can go on with what another has begun:
//
//	js, _ := jetstream.New(connection)
//	kept, err := jetstore.Open(ctx, js, jetstore.Config{Replicas: 3, Keep: 24 * time.Hour})
//	at, err := kept.Log().Append(ctx, stream, stream.Start(), "message", data)
//	for event, err := range kept.Log().Follow(ctx, stream, at) { ... } // on any node
//
// What it promises is the contract of package store; package storetest checks it. There are two streams of
// JetStream's: PREFIX-events, with one subject for each stream of events, and PREFIX-records, with one for
// each record. Names of sessions and ids of records are in them as digests only.
//
// An append is one publication with the sequence that has to be the subject's last (compare-and-set). A
// reader asks for one message after the other, from the leader of the stream, so that it never sees less than
// what was acknowledged; before it says that something is lost, that leader has to find a majority. It hears
// of new ones by a message that is not stored. No consumer is made: a hundred thousand clients that resume
// cost the server nothing that stays.
package jetstore
