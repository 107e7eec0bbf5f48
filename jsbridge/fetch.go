//go:build js && wasm

package jsbridge

// Field is one HTTP header field: Value holds bytes, not text.
type Field struct{ Name, Value string }

// Request is one call of the browser's fetch. It is carried out in
// web/src/runtime/exchange.ts, which also runs the read loop: a promise awaited
// from Go costs 27 us, one that JavaScript awaits itself nothing extra.
type Request struct {
	Client, Exchange uint32
	Method, URL      string
	Header           []Field
	Body             []byte // kept until the next Begin
	Once             bool   // the browser does not send it again by itself
}

// Fetch adds the record that starts an exchange.
func (table *Table) Fetch(r Request) {
	frame := AppendPart(nil, r.Method)
	frame = AppendPart(frame, r.URL)
	for _, f := range r.Header {
		frame = AppendPart(frame, f.Name)
		frame = AppendPart(frame, f.Value)
	}
	var once uint32
	if r.Once {
		once = 1
	}
	table.Add(Record{
		Kind: KindFetch, Client: r.Client, ID: r.Exchange, Sub: once,
		Number: address(table.Keep(r.Body)), Extra: uint32(len(r.Body)),
	}, table.Keep(frame))
}
