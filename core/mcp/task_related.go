package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// metaRelatedTask is the metadata key that names the task that a message belongs to.
const metaRelatedTask = wire.MetaPrefix + "related-task"

// relatedMember returns what a message's params or result say of the task that
// they belong to, raw; nil for nothing.
func relatedMember(object []byte) []byte {
	meta, _ := jsonrpc.Member(object, "_meta")
	related, _ := jsonrpc.Member(meta, metaRelatedTask)
	return related
}

// relate puts into an answer's _meta which task it belongs to: what the request
// said of it (2025-11-25 tasks, associating task-related messages).
func relate(result, related []byte) []byte {
	if related == nil || !jsonrpc.IsObject(result) {
		return result
	}
	meta, _ := jsonrpc.Member(result, "_meta")
	if !jsonrpc.IsObject(meta) {
		meta = nil
	}
	member := append([]byte(`"`+metaRelatedTask+`":`), related...)
	meta = jsonrpc.AppendObject(nil, jsonrpc.AppendWithout(nil, meta, metaRelatedTask), member)
	return jsonrpc.AppendObject(nil, jsonrpc.AppendWithout(nil, result, "_meta"),
		append([]byte(`"_meta":`), meta...))
}

// relatedTask returns the id of the task that a result or params belong to.
func relatedTask(object []byte) string {
	return taskID(relatedMember(object))
}

// maxRelated bounds what is kept of what a request says of its task, in bytes.
const maxRelated = 4 << 10

// relatedOf returns a copy of what a request of the server's says of its task, nil
// where that is more than any task's id needs.
func relatedOf(params []byte) []byte {
	related := relatedMember(params)
	if len(related) > maxRelated {
		return nil
	}
	return bytes.Clone(related)
}

// withTaskID returns what is said of a task with that id in the place of its own.
func withTaskID(related []byte, id string) []byte {
	return jsonrpc.AppendObject(nil, jsonrpc.AppendWithout(nil, related, "taskId"),
		jsonrpc.AppendString([]byte(`"taskId":`), id))
}

// withoutTask returns what of a message may rest in plain: whoever has the id of a
// task may read its result, so that it is left empty where a message says to which
// one it belongs. The call knows its task by what is sealed.
func withoutTask(data []byte) []byte {
	return relateInside(data, func(related []byte) []byte { return withTaskID(related, "") })
}

// rests returns what of the call's outcome may rest in plain. A result that is there at once may name its
// task beside its content (SEP-1905 case 1).
func (call *call) rests(data []byte) []byte {
	data = withoutTask(data)
	if !call.namesTask {
		return data
	}
	made, _ := jsonrpc.Member(data, "task")
	member := append([]byte(`"task":`), withTaskID(made, "")...)
	return jsonrpc.AppendObject(nil, jsonrpc.AppendWithout(nil, data, "task"), member)
}

// withTask returns a message as the server sent it, of one that withoutTask had
// stored: it belongs to the task that the call has become.
func (call *call) withTask(data []byte) []byte {
	if call.task == nil {
		return data
	}
	return relateInside(data, func(related []byte) []byte {
		if taskID(related) != "" {
			return related
		}
		return withTaskID(related, call.task.id)
	})
}

// mentionsTask reports whether "related-task" is anywhere in data. It is looked for by its hyphen: by its
// first letter, as bytes.Contains does it, took twice the time, which for each event and result that is kept
// was as long as to parse it.
func mentionsTask(data []byte) bool {
	for i := 0; ; i++ {
		at := bytes.IndexByte(data[i:], '-')
		if at < 0 {
			return false
		}
		if i += at; bytes.HasSuffix(data[:i], []byte("related")) &&
			bytes.HasPrefix(data[i+1:], []byte("task")) {
			return true
		}
	}
}

// relateInside changes what a message, its params and its result say of the task
// that they belong to, and the requests that an event tells of.
func relateInside(data []byte, change func(related []byte) []byte) []byte {
	if !mentionsTask(data) {
		return data
	}
	for _, part := range []string{"params", "result"} {
		inner, _ := jsonrpc.Member(data, part)
		if related := relatedMember(inner); related != nil {
			member := append([]byte(`"`+part+`":`), relate(inner, change(related))...)
			data = jsonrpc.AppendObject(nil, jsonrpc.AppendWithout(nil, data, part), member)
		}
	}
	if related := relatedMember(data); related != nil {
		data = relate(data, change(related))
	}
	asked, _ := jsonrpc.Member(data, "inputRequests") // of an event: each is a request of its own
	if entries, _ := jsonrpc.Entries(asked, maxTaskInput); len(entries) > 0 {
		var all []byte
		for _, e := range entries {
			all = appendInput(all, e.Key, relateInside(e.Value, change))
		}
		data = jsonrpc.AppendObject(nil, jsonrpc.AppendWithout(nil, data, "inputRequests"),
			append([]byte(`"inputRequests":`), append(all, '}')...))
	}
	return data
}
