//go:build js && wasm

package jsbridge

// Tabs adds the record of an effect of core/tabs, which is carried out in web/src/tabs.
// payload is the name of a tab; or operations as in store.go, the first of them the head
// of the call that it is about, with the epoch and the row in its words.
func (table *Table) Tabs(client, kind, ticket uint32, payload []byte) {
	table.Add(Record{Kind: KindTabs, Client: client, ID: ticket, Sub: kind}, table.Keep(payload))
}
