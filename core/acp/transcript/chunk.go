package transcript

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// chunk appends one element to an item's content. It allocates nothing where the item is known: a model's
// text comes as thousands of these.
func (r *Reducer) chunk(row *updateKind, emit func(op []byte)) {
	content := r.got[row.content]
	if !jsonrpc.IsObject(content) {
		r.breaks(ruleContent)
		return
	}
	raw := r.got[row.id]
	at, id, ok := r.find(row, raw)
	if !ok {
		return
	}
	isNew := at == len(r.items)
	if isNew && row.kind == itemUserMessage && len(r.sent) > 0 {
		if echoed, is := r.adopt(id, signature(content), false); is {
			at, isNew = echoed, false
		}
	}
	it := r.item(at, row.kind)
	named := id != nil
	if isNew && !named {
		raw, it.own = r.ownID(), true
	} else if it.own {
		raw = nil
	}
	first := it.size == 0
	switch full := it.full || it.size+len(content) > r.limit; {
	case isNew || it.local:
		if it.local {
			it.size, full = 0, len(content) > r.limit
		}
		r.openPut(at, row.kind, raw)
		if isNew {
			r.op = append(r.op, row.opens...)
		}
		r.op = jsonrpc.Raw(r.op, `"content":[`)
		if !full {
			r.op = append(r.op, content...)
			it.size += len(content)
		}
		r.op = jsonrpc.Raw(r.op, "],")
		if it.local, it.full = false, full; full {
			r.truncate(&it)
		}
		r.closePut()
		r.keep(at, it, id, named)
		emit(r.op)
	case full:
		r.overflow(at, it, raw, emit)
	default:
		it.size += len(content)
		r.items[at] = it
		b := append(r.op[:0], `{"op":"append","at":`...)
		b = strconv.AppendInt(b, int64(at), 10)
		b = append(jsonrpc.Raw(b, `,"content":`), content...)
		r.op = append(b, '}')
		emit(r.op)
	}
	if !named {
		r.run = at
	}
	if row.kind == itemUserMessage && len(r.sent) > 0 {
		if s := r.boundTo(at); s != nil || first {
			r.repeated(at, id, content, false, emit)
		}
	}
}

// output appends bytes to a terminal's.
func (r *Reducer) output(row *updateKind, emit func(op []byte)) {
	data, raw := r.got[row.content], r.got[row.id]
	n, valid := base64Bytes(data)
	if !valid {
		r.breaks(ruleBase64)
		return
	}
	at, id, ok := r.find(row, raw)
	if !ok {
		return
	}
	it := r.item(at, row.kind)
	switch full := it.full || it.size+n > r.limit; {
	case at == len(r.items):
		r.openPut(at, row.kind, raw)
		if it.full = full; full {
			r.truncate(&it)
		} else {
			r.op = append(append(jsonrpc.Raw(r.op, `"output":{"data":`), data...), "},"...)
			it.size = n
		}
		r.closePut()
		r.keep(at, it, id, true)
		emit(r.op)
	case full:
		r.overflow(at, it, raw, emit)
	default:
		r.items[at].size += n
		b := append(r.op[:0], `{"op":"output","at":`...)
		b = strconv.AppendInt(b, int64(at), 10)
		b = append(jsonrpc.Raw(b, `,"data":`), data...)
		r.op = append(b, '}')
		emit(r.op)
	}
}

// overflow leaves something out of an item that is full. What comes later and is smaller does not go in
// either: there would be a hole in front of it.
func (r *Reducer) overflow(at int, it item, raw []byte, emit func(op []byte)) {
	if r.items[at].full = true; it.truncated {
		return
	}
	r.openPut(at, it.kind, raw)
	r.truncate(&r.items[at])
	r.closePut()
	emit(r.op)
}
