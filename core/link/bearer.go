package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// Bearer is a client's bearer token and what is known of it. It stays in memory. Its
// zero value has none. Like all of this package it emits nothing: where a method says
// so, its caller asks the provider (effect Token).
type Bearer struct {
	value    string
	number   int // how many there have been: tells which one a request carried
	state    bearerState
	refused  bool        // a server has refused the last one, and there is no other yet
	askAt    engine.Time // bearerAway: when the provider is asked again
	attempts int         // times in a row that the provider could not reach the network
}

type bearerState uint8

const (
	bearerIdle  bearerState = iota // the provider has answered, or was never asked
	bearerAsked                    // it has been asked, and nothing leaves before it has answered
	bearerAway                     // the same, but it could not reach the network and is asked again later
)

// Number tells which token a request carries that leaves now.
func (b *Bearer) Number() int { return b.number }

// AppendField appends the header field that carries the token, if there is one.
func (b *Bearer) AppendField(header []engine.Field) []engine.Field {
	if b.value == "" {
		return header
	}
	return append(header, engine.Field{Name: "Authorization", Value: "Bearer " + b.value})
}

// Asking reports whether an answer is waited for, however long that takes.
func (b *Bearer) Asking() bool { return b.state != bearerIdle }

// Answerable reports whether the provider has a question that it has not answered.
func (b *Bearer) Answerable() bool { return b.state == bearerAsked }

// Awaited reports whether what a server has refused waits for another token, and with it all
// that needs one.
func (b *Bearer) Awaited() bool { return b.refused && b.Asking() }

// Ask reports whether the provider has to be asked now: it is asked once, however
// many requests need it.
func (b *Bearer) Ask() bool {
	if b.Asking() {
		return false
	}
	b.state = bearerAsked
	return true
}

// Refused drops the token of that number, which a server has refused. It returns
// false where there is a newer one already: the request was under way while somebody
// else's 401 led to it.
func (b *Bearer) Refused(number int) bool {
	if number != b.number && !b.Asking() {
		return false
	}
	b.value, b.refused = "", true
	return true
}

// Answered takes the provider's answer: the token alone, without a scheme, or why
// there is none. It returns why there is none.
func (b *Bearer) Answered(value string, failure *engine.Error) *engine.Error {
	b.state, b.attempts, b.refused = bearerIdle, 0, false
	if failure == nil && !Sendable(value) {
		failure = &engine.Error{Code: engine.CodeBadArgument, Op: "token", Message: "the token holds characters that a header cannot carry"}
	}
	if failure == nil {
		b.value = value
		b.number++
	}
	return failure
}

// Away notes that the provider needs the network and could not reach it: Due says
// when it is asked again.
func (b *Bearer) Away(now engine.Time, policy *Policy, random *engine.Random) {
	b.state = bearerAway
	b.askAt = now.After(policy.Delay(b.attempts, -1, random))
	b.attempts++
}

// Hear takes news: a provider that could not reach the network may be asked sooner.
func (b *Bearer) Hear(n *News) (moved bool) {
	if b.state == bearerAway {
		b.askAt, moved = n.Sooner(b.askAt, 0)
	}
	return moved
}

// Due reports whether the provider has to be asked again now.
func (b *Bearer) Due(now engine.Time) bool {
	if now < b.Deadline() {
		return false
	}
	b.state = bearerAsked
	return true
}

// Deadline returns when Due has something to say.
func (b *Bearer) Deadline() engine.Time {
	if b.state != bearerAway {
		return engine.Never
	}
	return b.askAt
}

// Stop has nobody wait for an answer any more.
func (b *Bearer) Stop() { b.state = bearerIdle }

// Sendable reports whether a bearer token is RFC 6750's b64token in spirit:
// visible ASCII only, which a header field can carry.
func Sendable(token string) bool {
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return false
		}
	}
	return token != ""
}

// MaxRefusals returns how often in a row a request is refused before that is its answer, by who
// gives tokens. A provider gives one other token. Where a person signs in, the first may be
// over, the next without the scopes that the request needs, and the last is what they have granted.
func MaxRefusals(hasProvider, signIn bool) uint8 {
	switch {
	case signIn:
		return 3
	case hasProvider:
		return 1
	}
	return 0
}

// AwaitingAuthorization returns the word for the app that what its server has refused waits until
// somebody has signed in: until the machine's next Token input. The state of the client is
// what it was.
func AwaitingAuthorization() engine.Effect {
	return engine.Effect{Kind: engine.State, Data: []byte(`{"state":"awaiting_authorization"}`)}
}

// TokenAnswer is what became of the question for a token.
type TokenAnswer uint8

// What may become of it.
const (
	TokenFailed TokenAnswer = iota // the provider has thrown
	TokenGiven
	TokenOffline // the provider could not reach the network
)

// Read returns the token, or why there is none: text is the token where one was given, else what went wrong.
func (a TokenAnswer) Read(text string) (token string, failure *engine.Error) {
	switch a {
	case TokenGiven:
		return text, nil
	case TokenOffline:
		failure = &engine.Error{Code: engine.CodeNetwork, Message: "the token provider could not reach the network"}
	default:
		failure = &engine.Error{Code: engine.CodeUnauthorized, Message: "the token provider failed"}
	}
	failure.Op, failure.Retryable = "token", true
	failure.Cause = &engine.Error{Code: engine.CodeUnauthorized, Message: text}
	return "", failure
}
