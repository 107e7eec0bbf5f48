//go:build js && wasm

package jsbridge

// Source adds the record that opens an EventSource at url. It is carried out in
// web/src/runtime/eventsource.ts, which closes it at its first error: the
// browser's own reconnecting knows neither backoff nor when to stop.
func (table *Table) Source(client, exchange uint32, url string) {
	table.Add(Record{Kind: KindSource, Client: client, ID: exchange}, table.Keep([]byte(url)))
}
