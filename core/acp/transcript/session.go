package transcript

import "github.com/holdfast-mcp/holdfast/core/jsonrpc"

// maxCostBytes bounds the cost that is kept for updates that leave it out: an amount and a currency.
const maxCostBytes = 1 << 10

// valueBegins returns the first byte of a value of the session, so that the page may use it without asking what it is.
func valueBegins(name string) byte {
	switch name {
	case "availableCommands", "configOptions", "availableModes":
		return '['
	case "_meta":
		return '{'
	}
	return '"'
}

// sessionValue patches the session with the members of an update that its row names.
func (t *Reducer) sessionValue(row *updateKind, update []byte, emit func(op []byte)) {
	values := [4][]byte{}
	t.op = append(t.op[:0], `{"op":"session","patch":{`...)
	start := len(t.op)
	jsonrpc.Members(update, row.known, values[:])
	for i, name := range row.known {
		value := values[i]
		switch {
		case value == nil:
			continue
		case string(value) == "null":
		case value[0] != valueBegins(name):
			t.breaks(ruleSessionMember)
			continue
		case name == "_meta":
			if t.loose += len(value); t.loose > t.limit {
				t.breaks(ruleTruncated)
				continue
			}
		}
		t.member(name, value)
	}
	if len(t.op) > start {
		t.closePut()
		emit(t.op)
	}
}

// usage replaces the session's usage. The cost alone is one to keep where it is left out (S2 UsageUpdate), so it is
// put in again.
func (t *Reducer) usage(update []byte, emit func(op []byte)) {
	switch cost := t.got[memberCost]; {
	case cost == nil:
	case string(cost) == "null":
		t.cost = nil
	case len(cost) > maxCostBytes || !jsonrpc.IsObject(cost):
		t.breaks(ruleSessionMember)
	default:
		t.cost = append(t.cost[:0], cost...)
	}
	rest := jsonrpc.AppendWithout(nil, jsonrpc.AppendWithout(nil, update, "sessionUpdate"), "cost")
	var cost []byte
	if t.cost != nil {
		cost = append([]byte(`"cost":`), t.cost...)
	}
	t.op = append(t.op[:0], `{"op":"session","patch":{"usage":`...)
	t.op = append(jsonrpc.AppendObject(t.op, rest, cost), "}}"...)
	emit(t.op)
}
