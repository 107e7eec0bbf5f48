//go:build js && wasm

package jsbridge

// Store adds the record that writes to IndexedDB. It is carried out in
// web/src/storage: one transaction for each record, reported back once it is
// complete and not before. ops is a list of operations, each of 28 bytes and its
// data; all numbers are little-endian:
//
//	byte 0   kind: 1 the server's row, 2 a call's head, 3 a log row, 4 forget a call
//	byte 1   1 of a head that was loaded: this page carries the call; of forget: only if it does;
//	         2 of a row, or of a head that was loaded: the call has its outcome
//	byte 4   epoch
//	byte 8   number of the row
//	byte 12  call: low word, high word
//	byte 20  bytes of the plain part
//	byte 24  bytes of the secret part, which is sealed before it is written
//
// What is loaded from the store comes back in the same form.
//
// A head that comes back names in its secret part the tab that carries the call.
func (table *Table) Store(client, ticket uint32, strict, unawaited bool, ops []byte) {
	r := Record{Kind: KindStore, Client: client, ID: ticket}
	if strict {
		r.Sub = 1
	}
	if unawaited {
		r.Sub |= 2
	}
	table.Add(r, ops)
}
