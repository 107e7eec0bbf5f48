// Package transcript reduces the updates of a session with an agent to operations on a
// list of items, which the page keeps. It has no client in it: updates go in,
// operations come out, and what the agent did wrong is named. It keeps none of what
// was said.
//
//	reducer.go     an update, from its JSON to the item that it is about
//	updatekind.go  the kinds of updates, as a table; the rules that an agent can break
//	upsert.go      updates that replace an item, or members of it
//	chunk.go       updates that add to an item: a model's text, a terminal's output
//	base64.go      how many bytes a terminal's output is
//	session.go     values of the session: its title, modes, usage
//	prompt.go      the app's prompts, until it is certain which item each of them is
package transcript
