package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 131: a page that slept while a call that it follows went out of the store is
// told how the call had ended, and why it is gone: it was acknowledged, it expired, or
// there was no room. Only one that somebody has given up is said to be that.
func TestFault131_WhyACallIsGone(t *testing.T) {
	const stored = ": it is not stored any more"
	for _, test := range []struct {
		why  journal.Gone
		end  engine.Outcome
		want string
	}{
		{journal.GoneAcked, 0, "lost: tools/call: another page has given the call up"},
		{journal.GoneExpired, 0, "lost: tools/call: the call is not stored any more: its retention is over"},
		{journal.GoneEvicted, 0, "lost: tools/call: the call is not stored any more, for want of room"},
		{journal.GoneAcked, engine.OutcomeResult,
			"acknowledged: tools/call: the call has ended with a result, which another page has acknowledged" + stored},
		{journal.GoneExpired, engine.OutcomeResult,
			"acknowledged: tools/call: the call has ended with a result, and its retention is over" + stored},
		{journal.GoneEvicted, engine.OutcomeRPCError,
			"acknowledged: tools/call: the call has ended with an " +
				"error of the server's, and was evicted for want of room" + stored},
		{journal.GoneExpired, engine.OutcomeFailure,
			"acknowledged: tools/call: the call has failed, and its retention is over" + stored},
	} {
		k := newKeeping(t, mcp.Config{})
		head := journal.AppendHead(nil,
			&journal.Head{Method: "tools/call", Params: []byte(`{"name":"work"}`), CreatedAt: 1_000_000})
		ops := journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Call: 77, Epoch: 1, Plain: head})
		gone := journal.AppendOp(nil, journal.Op{Kind: journal.OpForget,
			Flags: journal.OpOutcome(test.why, test.end), Call: 77})
		k.Input("restore", func(c *mcp.Client, now engine.Time) { c.Restore(now, ops) })
		k.Input("restore", func(c *mcp.Client, now engine.Time) { c.Restore(now, gone) })
		if !strings.HasSuffix(strings.TrimSpace(k.Log()), test.want) {
			t.Errorf("%d, %d: want %q\n%s", test.why, test.end, test.want, k.Log())
		}
	}
}

// Fault 131: what the store lets go leaves how it had ended, and why it went: a limit,
// a quota, a retention that is over.
func TestFault131_WhatGoesSaysWhy(t *testing.T) {
	const week = 7 * 24 * 3_600_000
	for name, test := range map[string]struct {
		limit int
		lose  func(k *keeping)
		want  []journal.OpFlags
	}{
		"limit": {3_000, func(k *keeping) { k.ended("b", 2_000, journal.ManualAck) },
			[]journal.OpFlags{journal.OpOutcome(journal.GoneEvicted, engine.OutcomeResult)}},
		"quota": {0, func(k *keeping) {
			k.Store.Quota = k.Store.Bytes()
			k.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
			k.stored()
		}, []journal.OpFlags{journal.OpOutcome(journal.GoneEvicted, engine.OutcomeResult)}},
		"retention": {0, func(k *keeping) {
			k.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
			k.stored()
			k.JumpWall(5 * week)
			k.SoundWall()
			k.Reload()
			k.Start()
			k.stored()
		}, []journal.OpFlags{journal.OpOutcome(journal.GoneExpired, engine.OutcomeResult),
			journal.OpOutcome(journal.GoneExpired, 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeping(t, mcp.Config{Limits: mcp.Limits{Stored: test.limit}, Wall: 1_790_000_000_000})
			k.ended("a", 2_000, journal.ManualAck)
			first := k.Store.Calls()[0]
			test.lose(k)
			for i, want := range test.want {
				if got := k.Store.Gone(first + uint64(i)); got != want {
					t.Errorf("call %d leaves %d and %d, want %d and %d", i, got.Gone(), got.Outcome(),
						want.Gone(), want.Outcome())
				}
			}
		})
	}
}

// Fault 131: what an app acknowledges leaves how it had ended, too; and where somebody
// waits to hear that it is stored, its commit says so.
func TestFault131_AcknowledgedSaysHowItEnded(t *testing.T) {
	for ticket, want := range map[uint32]journal.OpFlags{0: 0, 7: journal.OpAwaited} {
		k := newKeeping(t, mcp.Config{})
		k.ended("a", 10, journal.ManualAck)
		id :=
			k.Effects[slices.IndexFunc(k.Effects,
				func(e engine.Effect) bool { return e.Kind == engine.Settle })].C
		k.Input("ack", func(c *mcp.Client, now engine.Time) { c.Ack(now, id, 0, ticket) })
		var got []journal.OpFlags
		for _, e := range k.Effects {
			for r := journal.ReadOps(e.Data); e.Kind == engine.Store; {
				op, ok := r.Next()
				if !ok {
					break
				}
				if op.Kind == journal.OpForget {
					got = append(got, op.Flags)
				}
			}
		}
		want |= journal.OpOutcome(journal.GoneAcked, engine.OutcomeResult)
		if len(got) != 1 || got[0] != want {
			t.Errorf("ticket %d: forgotten with %v, want %v\n%s", ticket, got, want, k.Log())
		}
	}
}
