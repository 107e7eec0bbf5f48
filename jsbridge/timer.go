//go:build js && wasm

package jsbridge

// maxTimeout is the longest delay that setTimeout keeps: it holds 32 bits with
// a sign, and 2147483648 fires at once (measured in Chromium).
const maxTimeout = 1<<31 - 1

// Timeout adds the record that arms the client's one timer, replacing what was
// armed before. delay is in ms and clamped to what setTimeout can keep.
func (table *Table) Timeout(client uint32, delay int64) {
	table.records = append(table.records, Record{Kind: KindWake, Client: client, Number: ClampTimeout(delay)})
}

// ClampTimeout puts a delay, in ms, into the range of setTimeout.
func ClampTimeout(delay int64) uint32 {
	return uint32(min(max(delay, 0), maxTimeout))
}
