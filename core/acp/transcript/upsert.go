package transcript

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// upsert applies an update with patch semantics, or one that replaces its item.
func (t *Reducer) upsert(row *updateKind, update []byte, emit func(op []byte)) {
	object, meta := update, []byte(nil)
	if row.within != memberNone {
		object, meta = t.got[row.within], t.got[memberMeta]
		jsonrpc.Members(object, updateMembers, t.got[:])
		if kind := t.got[memberType]; string(kind) != `"items"` {
			t.unknown(update, emit) // a plan of another kind (S2 PlanUpdateContent)
			return
		}
	}
	raw := []byte(`""`)
	if row.id != memberNone {
		raw = t.got[row.id]
	}
	if value := t.got[row.content]; row.mode == modeReplace && (value == nil || value[0] != '[') {
		t.breaks(ruleContent)
		return
	}
	at, id, ok := t.find(row, raw)
	if !ok {
		return
	}
	isNew := at == len(t.items)
	if isNew && row.kind == itemUserMessage && len(t.sent) > 0 {
		if echoed, is := t.adopt(id, signature(t.got[memberContent]), true); is {
			at, isNew = echoed, false
		}
	}
	it := t.item(at, row.kind)
	if row.mode == modeReplace && it.meta {
		t.openPut(at, row.kind, raw)
		t.op = append(t.op, `"_meta":null,`...)
		t.closePut()
		emit(t.op)
		it.meta = false
	}
	if it.own {
		raw = nil
	}
	t.openPut(at, row.kind, raw)
	start := len(t.op)
	t.content(row, &it)
	if !t.members(row, object, &it) {
		return
	}
	if row.within != memberNone && t.got[memberMeta] == nil && jsonrpc.IsObject(meta) {
		t.member("_meta", meta)
		it.meta = true
	}
	changed := len(t.op) > start
	t.closePut()
	t.keep(at, it, id, true)
	if changed || isNew {
		emit(t.op)
	}
	if row.kind == itemUserMessage {
		t.repeated(at, id, t.got[memberContent], true, emit)
	}
}

// members appends the members of an object to the put, but for the item's id and its content; it is false if the update
// cannot be taken at all.
func (t *Reducer) members(row *updateKind, object []byte, it *item) bool {
	before, n, ok := t.broken, 0, true
	jsonrpc.Range(object, func(key, value []byte) bool {
		if n++; n > maxPatchMembers {
			t.broken, ok = before, false
			t.breaks(ruleManyMembers)
			return false
		}
		ok = t.patchMember(row, key, value, it)
		return ok
	})
	return ok
}

// patchMember appends one of them; false if the update cannot be taken at all.
func (t *Reducer) patchMember(row *updateKind, key, value []byte, it *item) bool {
	switch {
	case string(key) == "sessionUpdate", row.id != memberNone && string(key) == updateMembers[row.id], row.within != memberNone && string(key) == "type":
		return true
	case row.content != memberNone && string(key) == updateMembers[row.content]:
		if t.got[row.content] == nil {
			t.breaks(ruleTwice)
			return false
		}
		return true
	case reserved(string(key)):
		t.breaks(ruleReserved)
		return true
	case row.keepNull && string(value) == "null":
		return true
	}
	if !row.knows(key) {
		if it.loose += len(key) + len(value); it.loose > t.limit {
			t.truncate(it)
			return true
		}
	}
	if string(key) == "_meta" {
		if it.meta = true; !jsonrpc.IsObject(value) && string(value) != "null" {
			t.breaks(ruleMeta)
			return true
		}
	}
	t.member(string(key), value)
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

func (t *Reducer) member(name string, value []byte) {
	t.op = append(jsonrpc.AppendString(t.op, name), ':')
	t.op = append(append(t.op, value...), ',')
}

// reserved reports whether an item's own member would be hidden by one of that name, or an object's prototype.
func reserved(name string) bool {
	switch name {
	case "type", "id", "truncated", "content", "output", "__proto__":
		return true
	}
	return false
}

// truncate marks an item as one of which not everything is there. Only the first time it is news.
func (t *Reducer) truncate(it *item) {
	if !it.truncated {
		it.truncated = true
		t.breaks(ruleTruncated)
		t.op = append(t.op, `"truncated":true,`...)
	}
}

// content appends what the update makes of the item's content, if it says anything about it.
func (t *Reducer) content(row *updateKind, it *item) {
	value, name := t.got[row.content], "content"
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
			t.breaks(ruleBase64)
			return
		}
		if size = n; n > t.limit {
			size, full = t.limit/3*3, true
			whole = append(append([]byte(`{"data":"`), base64Prefix(data, size)...), `"}`...)
		}
	case value[0] == '[':
		if whole, full = t.fit(value); string(whole) != "[]" {
			size = len(whole)
		}
	default:
		t.breaks(ruleContent)
		return
	}
	it.size, it.local, it.full = size, false, full
	if !full && it.truncated && it.loose <= t.limit {
		it.truncated = false
		t.op = append(t.op, `"truncated":null,`...)
	}
	t.member(name, whole)
	if full {
		t.truncate(it)
	}
}

// fit returns an array of objects without the elements that are none and those that are too many.
func (t *Reducer) fit(array []byte) (fitting []byte, full bool) {
	elements := jsonrpc.Elements(array)
	size, n, bad := 2, 0, false
	for _, e := range elements {
		if !jsonrpc.IsObject(e) {
			bad = true
			continue
		}
		if size += len(e) + 1; size > t.limit {
			full = true
			break
		}
		elements[n] = e
		n++
	}
	if bad {
		t.breaks(ruleContent)
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
func (t *Reducer) live(row *updateKind, update []byte, emit func(op []byte)) {
	at := len(t.items)
	if !t.room(at, nil) {
		return
	}
	it := item{kind: row.kind}
	t.openPut(at, row.kind, nil)
	if !t.members(row, update, &it) {
		return
	}
	t.closePut()
	t.keep(at, it, nil, false)
	emit(t.op)
}

// unknown keeps an update whose kind is not known whole, for whoever does know it (S2 SessionUpdate, other).
func (t *Reducer) unknown(update []byte, emit func(op []byte)) {
	jsonrpc.Members(update, updateMembers, t.got[:])
	at, name := len(t.items), t.got[memberName]
	if !t.room(at, nil) {
		return
	}
	it := item{kind: itemUnknown}
	b := append(t.op[:0], `{"op":"put","at":`...)
	b = strconv.AppendInt(b, int64(at), 10)
	b = append(append(b, `,"type":`...), name...)
	if len(update) > t.limit {
		b = append(append(b, `,"patch":{"sessionUpdate":`...), name...)
		t.op = append(b, ',')
		t.truncate(&it)
		t.closePut()
	} else {
		b = append(append(b, `,"patch":`...), update...)
		t.op = append(b, '}')
	}
	t.keep(at, it, nil, false)
	emit(t.op)
}
