// Package durable is what MCP and ACP share above the journal: how work outlives the
// page. It knows no protocol: a call and a session with an agent are both a head and a
// log here.
//
//	reader.go      what the host restores: records, rows, and what is missing or corrupt
//	log.go         one record: the row that waits, what of it is sealed, what it takes
//	guarantee.go   what a record survives
//	state.go       the store opens, fails, returns, is closed for ever
//	history.go     what follows from the rows of any record; each protocol folds its own
//	questions.go   what was asked, answered and taken, and the drafts of answers
//	drafts.go      the answers that a person has begun, and how often they are written
//	position.go    how far a log is read or written, and which row is the next
//	quarantine.go  what becomes of what cannot be read
//	writer.go      commits: one is under way, what comes meanwhile is the next
//	keeper.go      what becomes of commits, and what is read: the loop of a client
//	try.go         a commit by itself, once the store has failed
//	evict.go       what goes where there is no room
//	clock.go       how old a record is, and whether that can be believed
//	durability.go  what the app is told of where its work is kept
//
// Like all of core it is a state machine: inputs have the time in them, and nothing in
// here waits, reads a clock or draws chance.
package durable
