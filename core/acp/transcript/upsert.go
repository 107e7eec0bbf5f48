package transcript

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// upsert applies an update with patch semantics, or one that replaces its item.
func (r *Reducer) upsert(row *updateKind, update []byte, emit func(op []byte)) {
	object, meta := update, []byte(nil)
	if row.within != memberNone {
		object, meta = r.got[row.within], r.got[memberMeta]
		jsonrpc.Members(object, updateMembers, r.got[:])
		if kind := r.got[memberType]; string(kind) != `"items"` {
			r.unknown(update, emit) // a plan of another kind (S2 PlanUpdateContent)
			return
		}
	}
	raw := []byte(`""`)
	if row.id != memberNone {
		raw = r.got[row.id]
	}
	if value := r.got[row.content]; row.mode == modeReplace && (value == nil || value[0] != '[') {
		r.breaks(ruleContent)
		return
	}
	at, id, ok := r.find(row, raw)
	if !ok {
		return
	}
	isNew := at == len(r.items)
	if isNew && row.kind == itemUserMessage && len(r.sent) > 0 {
		if echoed, is := r.adopt(id, signature(r.got[memberContent]), true); is {
			at, isNew = echoed, false
		}
	}
	it := r.item(at, row.kind)
	if row.mode == modeReplace && it.meta {
		r.openPut(at, row.kind, raw)
		r.op = jsonrpc.Raw(r.op, `"_meta":null,`)
		r.closePut()
		emit(r.op)
		it.meta = false
	}
	if it.own {
		raw = nil
	}
	r.openPut(at, row.kind, raw)
	start := len(r.op)
	r.content(row, &it)
	if !r.members(row, object, &it) {
		return
	}
	if row.within != memberNone && r.got[memberMeta] == nil && jsonrpc.IsObject(meta) {
		r.member("_meta", meta)
		it.meta = true
	}
	changed := len(r.op) > start
	r.closePut()
	r.keep(at, it, id, true)
	if changed || isNew {
		emit(r.op)
	}
	if row.kind == itemUserMessage {
		r.repeated(at, id, r.got[memberContent], true, emit)
	}
}

// members appends the members of an object to the put, but for the item's id and its content; it is false if
// the update cannot be taken at all.
func (r *Reducer) members(row *updateKind, object []byte, it *item) bool {
	before, n, ok := r.broken, 0, true
	jsonrpc.Range(object, func(key, value []byte) bool {
		if n++; n > maxPatchMembers {
			r.broken, ok = before, false
			r.breaks(ruleManyMembers)
			return false
		}
		ok = r.patchMember(row, key, value, it)
		return ok
	})
	return ok
}

// patchMember appends one of them; false if the update cannot be taken at all.
func (r *Reducer) patchMember(row *updateKind, key, value []byte, it *item) bool {
	switch {
	case string(key) == "sessionUpdate", row.id != memberNone && string(key) == updateMembers[row.id],
		row.within != memberNone && string(key) == "type":
		return true
	case row.content != memberNone && string(key) == updateMembers[row.content]:
		if r.got[row.content] == nil {
			r.breaks(ruleTwice)
			return false
		}
		return true
	case reserved(string(key)):
		r.breaks(ruleReserved)
		return true
	case row.keepNull && string(value) == "null":
		return true
	}
	if !row.knows(key) {
		if it.loose += len(key) + len(value); it.loose > r.limit {
			r.truncate(it)
			return true
		}
	}
	if string(key) == "_meta" {
		if it.meta = true; !jsonrpc.IsObject(value) && string(value) != "null" {
			r.breaks(ruleMeta)
			return true
		}
	}
	r.member(string(key), value)
	return true
}

// knows reports whether a member of that name replaces the one before.
func (r *updateKind) knows(key []byte) bool {
	for _, name := range r.known {
		if name == string(key) {
			return true
		}
	}
	return false
}

func (r *Reducer) member(name string, value []byte) {
	r.op = append(jsonrpc.AppendString(r.op, name), ':')
	r.op = append(append(r.op, value...), ',')
}

// reserved reports whether an item's own member would be hidden by one of that name, or an object's
// prototype.
func reserved(name string) bool {
	switch name {
	case "type", "id", "truncated", "content", "output", "__proto__":
		return true
	}
	return false
}

// truncate marks an item as one of which not everything is there. Only the first time it is news.
func (r *Reducer) truncate(it *item) {
	if !it.truncated {
		it.truncated = true
		r.breaks(ruleTruncated)
		r.op = jsonrpc.Raw(r.op, `"truncated":true,`)
	}
}

// content appends what the update makes of the item's content, if it says anything about it.
func (r *Reducer) content(row *updateKind, it *item) {
	value, name := r.got[row.content], "content"
	if row.content == memberEntries || row.content == memberOutput {
		name = updateMembers[row.content]
	}
	whole, full := value, false
	size := 0
	switch {
	case value == nil, row.keepNull && string(value) == "null":
		return
	case string(value) == "null":
	case row.content == memberOutput:
		data, _ := jsonrpc.Member(value, "data")
		n, ok := base64Bytes(data)
		if !ok {
			r.breaks(ruleBase64)
			return
		}
		if size = n; n > r.limit {
			size, full = r.limit/3*3, true
			whole = jsonrpc.Raw(append([]byte(`{"data":"`), base64Prefix(data, size)...), `"}`)
		}
	case value[0] == '[':
		if whole, full = r.fit(value); string(whole) != "[]" {
			size = len(whole)
		}
	default:
		r.breaks(ruleContent)
		return
	}
	it.size, it.local, it.full = size, false, full
	if !full && it.truncated && it.loose <= r.limit {
		it.truncated = false
		r.op = jsonrpc.Raw(r.op, `"truncated":null,`)
	}
	r.member(name, whole)
	if full {
		r.truncate(it)
	}
}

// fit returns an array of objects without the elements that are none and those that are too many.
func (r *Reducer) fit(array []byte) (fitting []byte, full bool) {
	elements := jsonrpc.Elements(array)
	size, n, bad := 2, 0, false
	for _, e := range elements {
		if !jsonrpc.IsObject(e) {
			bad = true
			continue
		}
		if size += len(e) + 1; size > r.limit {
			full = true
			break
		}
		elements[n] = e
		n++
	}
	if bad {
		r.breaks(ruleContent)
	}
	if !bad && !full {
		return array, false
	}
	b := []byte{'['}
	for i, e := range elements[:n] {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e...)
	}
	return append(b, ']'), full
}

// live makes an item each time: of a notice.
func (r *Reducer) live(row *updateKind, update []byte, emit func(op []byte)) {
	at := len(r.items)
	if !r.room(at, nil) {
		return
	}
	it := item{kind: row.kind}
	r.openPut(at, row.kind, nil)
	if !r.members(row, update, &it) {
		return
	}
	r.closePut()
	r.keep(at, it, nil, false)
	emit(r.op)
}

// unknown keeps an update whose kind is not known whole, for whoever does know it (S2 SessionUpdate, other).
func (r *Reducer) unknown(update []byte, emit func(op []byte)) {
	jsonrpc.Members(update, updateMembers, r.got[:])
	at, name := len(r.items), r.got[memberName]
	if !r.room(at, nil) {
		return
	}
	it := item{kind: itemUnknown}
	b := append(r.op[:0], `{"op":"put","at":`...)
	b = strconv.AppendInt(b, int64(at), 10)
	b = append(jsonrpc.Raw(b, `,"type":`), name...)
	if len(update) > r.limit {
		b = append(jsonrpc.Raw(b, `,"patch":{"sessionUpdate":`), name...)
		r.op = append(b, ',')
		r.truncate(&it)
		r.closePut()
	} else {
		b = append(jsonrpc.Raw(b, `,"patch":`), update...)
		r.op = append(b, '}')
	}
	r.keep(at, it, nil, false)
	emit(r.op)
}
