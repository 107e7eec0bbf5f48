package transcript

import "github.com/holdfast-mcp/holdfast/core/jsonrpc"

// maxCostBytes bounds the cost that is kept for updates that leave it out: an amount and a currency.
const maxCostBytes = 1 << 10

// valueBegins returns the first byte of a value of the session, so that the page may use it without asking
// what it is.
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
func (r *Reducer) sessionValue(row *updateKind, update []byte, emit func(op []byte)) {
	values := [4][]byte{}
	r.op = append(r.op[:0], `{"op":"session","patch":{`...)
	start := len(r.op)
	jsonrpc.Members(update, row.known, values[:])
	for i, name := range row.known {
		value := values[i]
		switch {
		case value == nil:
			continue
		case string(value) == "null":
		case value[0] != valueBegins(name):
			r.breaks(ruleSessionMember)
			continue
		case name == "_meta":
			if r.loose += len(value); r.loose > r.limit {
				r.breaks(ruleTruncated)
				continue
			}
		}
		r.member(name, value)
	}
	if len(r.op) > start {
		r.closePut()
		emit(r.op)
	}
}

// usage replaces the session's usage. The cost alone is one to keep where it is left out (S2 UsageUpdate), so
// it is put in again.
func (r *Reducer) usage(update []byte, emit func(op []byte)) {
	switch cost := r.got[memberCost]; {
	case cost == nil:
	case string(cost) == "null":
		r.cost = nil
	case len(cost) > maxCostBytes || !jsonrpc.IsObject(cost):
		r.breaks(ruleSessionMember)
	default:
		r.cost = append(r.cost[:0], cost...)
	}
	rest := jsonrpc.AppendWithout(nil, jsonrpc.AppendWithout(nil, update, "sessionUpdate"), "cost")
	var cost []byte
	if r.cost != nil {
		cost = append([]byte(`"cost":`), r.cost...)
	}
	r.op = append(r.op[:0], `{"op":"session","patch":{"usage":`...)
	r.op = append(jsonrpc.AppendObject(r.op, rest, cost), "}}"...)
	emit(r.op)
}
