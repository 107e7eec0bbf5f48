package acp

// MayFollow reports by the machine's name whether one state may follow another.
var MayFollow = map[string]func(from, next int) bool{
	"client":     func(from, next int) bool { return clientTransitions.May(uint8(from), uint8(next)) },
	"turn":       func(from, next int) bool { return turnTransitions.May(uint8(from), uint8(next)) },
	"session":    func(from, next int) bool { return sessionTransitions.May(uint8(from), uint8(next)) },
	"history":    func(from, next int) bool { return historyTransitions.May(uint8(from), uint8(next)) },
	"question":   func(from, next int) bool { return questionTransitions.May(uint8(from), uint8(next)) },
	"replay":     func(from, next int) bool { return replayTransitions.May(uint8(from), uint8(next)) },
	"wait":       func(from, next int) bool { return waitTransitions.May(uint8(from), uint8(next)) },
	"request":    func(from, next int) bool { return requestTransitions.May(uint8(from), uint8(next)) },
	"forward":    func(from, next int) bool { return forwardTransitions.May(uint8(from), uint8(next)) },
	"connection": func(from, next int) bool { return connTransitions.May(uint8(from), uint8(next)) },
}
