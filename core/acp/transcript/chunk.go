package transcript

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// chunk appends one element to an item's content. It allocates nothing where the item is known: a model's text comes as
// thousands of these.
func (t *Reducer) chunk(row *updateKind, emit func(op []byte)) {
	content := t.got[row.content]
	if !jsonrpc.IsObject(content) {
		t.breaks(ruleContent)
		return
	}
	raw := t.got[row.id]
	at, id, ok := t.find(row, raw)
	if !ok {
		return
	}
	isNew := at == len(t.items)
	if isNew && row.kind == itemUserMessage && len(t.sent) > 0 {
		if echoed, is := t.adopt(id, signature(content), false); is {
			at, isNew = echoed, false
		}
	}
	it := t.item(at, row.kind)
	named := id != nil
	if isNew && !named {
		raw, it.own = t.ownID(), true
	} else if it.own {
		raw = nil
	}
	first := it.size == 0
	switch full := it.full || it.size+len(content) > t.limit; {
	case isNew || it.local:
		if it.local {
			it.size, full = 0, len(content) > t.limit
		}
		t.openPut(at, row.kind, raw)
		if isNew {
			t.op = append(t.op, row.opens...)
		}
		t.op = append(t.op, `"content":[`...)
		if !full {
			t.op = append(t.op, content...)
			it.size += len(content)
		}
		t.op = append(t.op, "],"...)
		if it.local, it.full = false, full; full {
			t.truncate(&it)
		}
		t.closePut()
		t.keep(at, it, id, named)
		emit(t.op)
	case full:
		t.overflow(at, it, raw, emit)
	default:
		it.size += len(content)
		t.items[at] = it
		b := append(t.op[:0], `{"op":"append","at":`...)
		b = strconv.AppendInt(b, int64(at), 10)
		b = append(append(b, `,"content":`...), content...)
		t.op = append(b, '}')
		emit(t.op)
	}
	if !named {
		t.run = at
	}
	if row.kind == itemUserMessage && len(t.sent) > 0 {
		if s := t.boundTo(at); s != nil || first {
			t.repeated(at, id, content, false, emit)
		}
	}
}

// output appends bytes to a terminal's.
func (t *Reducer) output(row *updateKind, emit func(op []byte)) {
	data, raw := t.got[row.content], t.got[row.id]
	n, valid := base64Bytes(data)
	if !valid {
		t.breaks(ruleBase64)
		return
	}
	at, id, ok := t.find(row, raw)
	if !ok {
		return
	}
	it := t.item(at, row.kind)
	switch full := it.full || it.size+n > t.limit; {
	case at == len(t.items):
		t.openPut(at, row.kind, raw)
		if it.full = full; full {
			t.truncate(&it)
		} else {
			t.op = append(append(append(t.op, `"output":{"data":`...), data...), "},"...)
			it.size = n
		}
		t.closePut()
		t.keep(at, it, id, true)
		emit(t.op)
	case full:
		t.overflow(at, it, raw, emit)
	default:
		t.items[at].size += n
		b := append(t.op[:0], `{"op":"output","at":`...)
		b = strconv.AppendInt(b, int64(at), 10)
		b = append(append(b, `,"data":`...), data...)
		t.op = append(b, '}')
		emit(t.op)
	}
}

// overflow leaves something out of an item that is full. What comes later and is smaller does not go in either: there
// would be a hole in front of it.
func (t *Reducer) overflow(at int, it item, raw []byte, emit func(op []byte)) {
	if t.items[at].full = true; it.truncated {
		return
	}
	t.openPut(at, it.kind, raw)
	t.truncate(&t.items[at])
	t.closePut()
	emit(t.op)
}
