//go:build js && wasm

package jsbridge

import "unsafe"

// Kind is the first word of a record.
type Kind uint32

// The kinds of record. Their fields are described in the package comment.
const (
	KindFetch     Kind = iota + 1 // start an HTTP exchange
	KindRead                      // hand over the exchange's next chunk
	KindAbort                     // abandon the exchange
	KindDeliver                   // an event for the app
	KindSettle                    // the end of a call
	KindState                     // the client as a whole
	KindToken                     // ask the bearer token provider
	KindWake                      // arm the client's one timer
	KindValue                     // the JSON text that an export was asked for
	KindSource                    // open an EventSource
	KindStore                     // write to the store, in one transaction
	KindRecall                    // a call that the store brought back, or an agent's session
	KindHandshake                 // ask for leave to make a new session
	KindSocket                    // open a WebSocket
	KindFrame                     // send a text message on a WebSocket
	KindReplay                    // events of a call that the store brought back
	KindTabs                      // ask something of the other tabs, or of the store for them
)

// Record is one row of the table; its layout is fixed by the package comment.
type Record struct {
	Kind    Kind
	Client  uint32
	ID      uint32
	Number  uint32
	Sub     uint32
	Address uint32
	Length  uint32
	Extra   uint32
}

// Header is what JavaScript finds at the fixed address.
type header struct {
	count  uint32
	table  uint32
	input  uint32
	size   uint32
	answer uint32
}

// Table is the memory that JavaScript reads after an export. There is one in
// the program: the address of its header is handed out once.
type Table struct {
	header  header
	records []Record
	kept    [][]byte // payloads made for the table: held until the next Begin
	input   []byte
}

// ChunkBytes is the size of the input buffer at rest, and so of the largest
// chunk fed at a time: wasm memory stays at 4.5 MB with 64 KB, and grows to
// 16-50 MB with more (MEASURED section 3).
const ChunkBytes = 64 << 10

// Header returns the address of the header, for JavaScript to keep.
func (table *Table) Header() unsafe.Pointer {
	if table.input == nil {
		table.input = make([]byte, ChunkBytes)
		table.header.input, table.header.size = address(table.input), ChunkBytes
	}
	return unsafe.Pointer(&table.header)
}

// Reserve makes room for an input of n bytes. A larger buffer than usual lives
// only until the next Begin after its use.
func (table *Table) Reserve(n int) {
	if n > len(table.input) {
		table.setInput(make([]byte, n))
	}
}

// Input returns the first n bytes that JavaScript wrote.
func (table *Table) Input(n int) []byte { return table.input[:n] }

// Begin starts the records of one export.
func (table *Table) Begin() {
	table.records = table.records[:0]
	clear(table.kept)
	table.kept = table.kept[:0]
	table.header.answer = 0
}

// Add appends a record with the given payload, which the caller keeps alive
// until the next Begin (Keep does that for payloads made on the spot).
func (table *Table) Add(r Record, payload []byte) {
	r.Address, r.Length = address(payload), uint32(len(payload))
	table.records = append(table.records, r)
}

// Keep holds a payload until the next Begin and returns it.
//
//go:noinline
func (table *Table) Keep(payload []byte) []byte {
	table.kept = append(table.kept, payload)
	return payload
}

// Answer sets the header's answer word.
func (table *Table) Answer(n uint32) { table.header.answer = n }

// Finish publishes the records and returns their number.
func (table *Table) Finish() int32 {
	table.header.count = uint32(len(table.records))
	table.header.table = 0
	if len(table.records) > 0 {
		table.header.table = uint32(uintptr(unsafe.Pointer(&table.records[0])))
	}
	if len(table.input) > ChunkBytes {
		// The records may point into the large input, so it is only replaced,
		// and collected after JavaScript has called the next export.
		table.Keep(table.input)
		table.setInput(make([]byte, ChunkBytes))
	}
	return int32(len(table.records))
}

func (table *Table) setInput(p []byte) {
	table.input = p
	table.header.input, table.header.size = address(p), uint32(len(p))
}

// address returns where p lies in linear memory; 0 for an empty p.
func address(p []byte) uint32 {
	if len(p) == 0 {
		return 0
	}
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(p))))
}
