package coretest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

var eventNames = map[engine.EventKind]string{
	engine.EventProgress: "progress", engine.EventLog: "log", engine.EventNotification: "notification",
	engine.EventStatus: "status", engine.EventResumed: "resumed", engine.EventIntegrity: "integrity",
	engine.EventInput: "input", engine.EventRequest: "request",
	engine.EventGuarantee: "guarantee", engine.EventDurability: "durability",
	engine.EventSegment: "segment", engine.EventTask: "task", engine.EventPeek: "peek",
	engine.EventDraft: "draft",
	engine.EventItem:  "transcript", engine.EventPhase: "turn",
	engine.EventQuestion: "question", engine.EventWithdrawn: "withdrawn", engine.EventForward: "forward",
	engine.EventStreams: "streams", engine.EventAcked: "acked", engine.EventEvicted: "evicted",
	engine.EventQuarantined: "quarantined",
}

// Describe writes an effect as one line, which is what golden files hold.
func Describe(e engine.Effect) string {
	switch e.Kind {
	case engine.Fetch:
		once := ""
		if e.Request.Once {
			once = " once"
		}
		return fmt.Sprintf("fetch x%d %s%s%s %s", e.X, e.Request.Method, once, fields(e.Request),
			e.Request.Body)
	case engine.Read:
		return fmt.Sprintf("read x%d", e.X)
	case engine.Abort:
		return fmt.Sprintf("abort x%d", e.X)
	case engine.Deliver:
		if e.Failure != nil {
			return fmt.Sprintf("deliver c%d #%d %s %s", e.C, e.Position, eventNames[e.Event],
				failure(e.Failure))
		}
		return fmt.Sprintf("deliver c%d #%d %s %s", e.C, e.Position, eventNames[e.Event], e.Data)
	case engine.Settle:
		switch e.Outcome {
		case engine.OutcomeResult:
			return fmt.Sprintf("settle c%d result %s", e.C, e.Data)
		case engine.OutcomeRPCError:
			return fmt.Sprintf("settle c%d error %s", e.C, e.Data)
		case engine.OutcomeHeaderMismatch:
			return fmt.Sprintf("settle c%d mismatch %s", e.C, e.Data)
		case engine.OutcomeVisitRequired:
			return fmt.Sprintf("settle c%d visit %s", e.C, e.Data)
		}
		return fmt.Sprintf("settle c%d %s", e.C, failure(e.Failure))
	case engine.State:
		if e.Failure != nil {
			return fmt.Sprintf("state %s %s", e.Data, failure(e.Failure))
		}
		return fmt.Sprintf("state %s", e.Data)
	case engine.Source:
		return fmt.Sprintf("source x%d", e.X)
	case engine.Socket:
		return fmt.Sprintf("socket x%d%s", e.X, fields(e.Request))
	case engine.Frame:
		return fmt.Sprintf("frame x%d %s", e.X, e.Data)
	case engine.Token:
		return "token"
	case engine.Store:
		strict := ""
		if e.Strict {
			strict = " strict"
		}
		return fmt.Sprintf("store %d%s%s", e.Ticket, strict, describeOps(e.Data))
	case engine.Handshake:
		return "handshake"
	case engine.Recall:
		return fmt.Sprintf("recall c%d %s", e.C, e.Data)
	}
	return fmt.Sprintf("effect %d", e.Kind)
}

// fields lists the header fields that tell requests apart; the rest are the
// same in every request of a kind.
func fields(r *engine.Request) string {
	var b strings.Builder
	for _, f := range r.Header {
		switch f.Name {
		case "Content-Type", "Accept":
		default:
			fmt.Fprintf(&b, " %s=%s", f.Name, f.Value)
		}
	}
	return b.String()
}

func failure(e *engine.Error) string {
	text := string(e.Code)
	if e.Retryable {
		text += " (retryable)"
	}
	text += ": " + e.Error()
	switch e.Reach {
	case engine.ReachAnswers:
		text += " (somebody answers)"
	case engine.ReachNothing:
		text += " (nothing answers)"
	}
	return text
}

// quoted writes text as scripts do: quoted where it holds control characters,
// cut where it is long.
func quoted(text string) string {
	if len(text) > 200 {
		return strconv.Quote(text[:80]) + fmt.Sprintf("... (%d bytes)", len(text))
	}
	return strconv.Quote(text)
}
