// Package segments keeps the numbered pieces of a streamed result (SEP-1905): what
// came twice, what is missing, and what they come to. It has no client in it and
// sends nothing: who asks for what is missing is core/mcp/task_segments.go.
//
//	tracker.go  which numbers have come, and which are missing
//	block.go    the memory that their texts are kept in
//	merge.go    the result that they come to, and the whole one beside it
package segments
