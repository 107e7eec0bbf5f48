package main

// enum is a set of Go constants that becomes one enum of TypeScript.
type enum struct {
	name  string // in TypeScript
	doc   string
	lower bool // the members begin with a small letter
	from  []origin
}

// origin is where the members of an enum come from.
type origin struct {
	folder string // of the Go package
	typ    string // the constants' type; "" for those without one
	prefix string // what their names begin with, and the enum's do not
}

// enums are the numbers that cross the border.
var enums = []enum{
	{"Kind", "First word of a record of the span table.", false, []origin{{"jsbridge", "Kind", "Kind"}}},
	{"EVENT", "The kind of a delivered event.", true, []origin{{"core/engine", "EventKind", "Event"}}},
	{"StreamState", "The state of a call's or session's stream.", false, []origin{{"core/engine", "StreamState", "Stream"}}},
	{"OUTCOME", "How a call ended.", true, []origin{{"core/engine", "Outcome", "Outcome"}}},
	{"Ending", "How an exchange ended.", false, []origin{{"core/engine", "Ending", "End"}}},
	{"TokenAnswer", "The outcome of a request for a token.", false, []origin{{"core/link", "TokenAnswer", "Token"}}},
	{"CallFlags", "How a call is made: what is stored with it, and what is not.", false, []origin{{"core/journal", "Flags", ""}, {"wasm", "", "call"}}},
	{"TaskWish", "The app's wish for a call: run as a task, or not.", false, []origin{{"core/mcp", "TaskWish", "Task"}}},
	{"FACT", "Facts of an open connection to a server that a page acts on, as bits.", true, []origin{{"core/mcp", "Facts", "Fact"}}},
	{"StoreResult", "The result of a commit.", false, []origin{{"core/journal", "Result", "Result"}}},
	{"STORE_REASON", "Why a store fails.", true, []origin{{"core/durable", "Reason", "Reason"}}},
	{"TAB_INPUT", "Reports of a page, by which the core decides which page carries a call.", true, []origin{{"core/tabs", "InputKind", ""}}},
	{"TAB_EFFECT", "Requests of the core to a page, about which page carries a call.", true, []origin{{"core/tabs", "Kind", ""}}},
	{"OpKind", "The subject of an operation of the store.", false, []origin{{"core/journal", "OpKind", "Op"}}},
	{"OpFlags", "Flags of an operation of the store.", false, []origin{{"core/journal", "OpFlags", "Op"}}},
}

// words are the texts that cross the border in JSON, and that both sides decide by.
var words = []struct {
	name, doc string
	from      origin
}{
	{"ResumptionWord", "The outcome of a resume.", origin{"core/engine", "Resumption", ""}},
	{"CutWord", "Why a stream was cut, or parked.", origin{"core/mcp", "", "cut"}},
	{"WithdrawalWord", "Why nobody waits for the answer to an agent's request any more.", origin{"core/acp", "withdrawal", "withdrawn"}},
}

// lists are variables that name the members of an enum of Go's.
var lists = []struct{ name, doc, folder, variable string }{
	{"StreamWord", "The state of a stream.", "core/engine", "streamStates"},
	{"GuaranteeWord", "The guarantee for a call on a reload.", "core/durable", "guaranteeNames"},
	{"StoreReasonWord", "Why a store fails.", "core/durable", "reasonNames"},
	{"ServerStateWord", "How a client of a server stands.", "core/mcp", "stateNames"},
	{"AgentStateWord", "How a client of an agent stands.", "core/acp", "stateNames"},
}

// arrays are variables of which TypeScript needs the words themselves: those of a list,
// each at its number, or the keys of a map.
var arrays = []struct {
	name, doc, folder, variable string
	keys                        bool
}{
	{"GUARANTEE_WORDS", "The guarantees for a call on a reload, in rising order.", "core/durable", "guaranteeNames", false},
	{"NAMED_METHODS", "The requests that say in a header field Mcp-Name what they are for.", "core/mcp/wire", "mirroredName", true},
}

// number is a single one.
type number struct {
	name, doc, folder, constant string
}

var numbers = []number{
	{"DEAD", "The result of an export once the Go program has panicked.", "wasm", "dead"},
	{"CLOSE_INVALID", "The close code of a WebSocket that the browser refused to make.", "core/engine", "CloseInvalid"},
	{"WISH_SHIFT", "How a call is made has from this bit on what its app says of a task: a TaskWish.", "wasm", "wishShift"},
	{"CHUNK_BYTES", "Bytes that one chunk may have.", "jsbridge", "ChunkBytes"},
	{"REPLAY_HEADER", "Bytes of a replayed event before its text.", "core/engine", "replayHeader"},
	{"OP_HEADER", "Bytes of an operation before its data.", "core/journal", "opHeader"},
	{"FLOOR_SHIFT", "The facts of a connection have from this bit on what a call of a tool begins with, a number of GUARANTEE_WORDS.", "core/mcp", "floorShift"},
	{"CEILING_SHIFT", "And from this bit on the best that it may come to, where calls are stored.", "core/mcp", "ceilingShift"},
	{"MAX_DRAFT", "Bytes that the draft of one answer may have as JSON: a form, not a file.", "core/journal", "MaxDraft"},
	{"MISSED_BY", "By how much, in ms, a timer is late on a page that was frozen or busy, and hears of it before what the browser has done meanwhile.", "core/durable", "missedBy"},
	{"ROTATE_EVERY", "How long an agent's session at work does without a stream at most, in ms, for each of those that wait before it.", "core/acp", "rotateEvery"},
	{"VISIT_EVERY", "The same where none that waits is at work, in ms: agents may begin a turn by themselves.", "core/acp", "visitEvery"},
	{"OP_OUTCOME_SHIFT", "The flags of an operation from this bit on are a call's outcome.", "core/journal", "opOutcomeShift"},
}

// layouts are structs of 32-bit words: how many words each has.
var layouts = []struct{ name, doc, folder, typ string }{
	{"RECORD_WORDS", "Words in a record of the span table.", "jsbridge", "Record"},
	{"HEADER_WORDS", "Words in the header of the span table.", "jsbridge", "header"},
}

// codes are the packages whose constants of type engine.Code the core's errors have.
var codes = []string{"core/engine", "core/link", "core/mcp", "core/acp"}

// inputTables are the interfaces of wasm/inputs.go, in the order of their numbers.
var inputTables = []struct {
	name   string
	on     string // whose methods are called
	of     string // the field that a client has where they are for it; "" for all clients
	prefix string // of their names in TypeScript
}{
	{"machineInputs", "c.machine", "", ""},
	{"clientInputs", "c", "", ""},
	{"serverInputs", "c.mcp", "mcp", ""},
	{"callInputs", "c", "mcp", ""},
	{"agentInputs", "c.agent", "agent", "agent"},
	{"socketInputs", "c.agent", "agent", ""},
	{"forwardInputs", "c", "agent", "agent"},
}
