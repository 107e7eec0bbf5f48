//go:build js && wasm

package jsbridge

// Socket adds the record that opens a WebSocket at url. It is carried out in
// web/src/runtime/socket.ts. Messages of the server's come back one export each,
// by the input buffer: a callback of safejs would cost 10-25 us. Of a message of
// more than limit characters only one more than that comes, unless limit is 0:
// the browser holds messages of hundreds of megabytes, which memory that never
// shrinks must not.
func (table *Table) Socket(client, exchange uint32, url string, protocols []string, limit int) {
	frame := AppendPart(nil, url)
	for _, p := range protocols {
		frame = AppendPart(frame, p)
	}
	table.Add(Record{Kind: KindSocket, Client: client, ID: exchange, Number: uint32(limit)},
		table.Keep(frame))
}
