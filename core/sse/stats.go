package sse

// Stats counts what a parser has read since it was made, over all connections.
type Stats struct {
	Messages uint64 // events of Kind Message
	Bares    uint64 // events of Kind Bare
	Comments uint64 // finished lines that start with a colon
	Unknown  uint64 // finished lines with a field name that 9.2.6 does not define
	Copied   uint64 // bytes copied into the parser's own buffers; 0 where all events alias their chunk
}
