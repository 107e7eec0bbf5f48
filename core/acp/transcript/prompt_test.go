//go:build !js

package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// says returns the text of an item or of a pending prompt.
func says(content any) string {
	var b strings.Builder
	list, _ := content.([]any)
	for _, e := range list {
		said, _ := e.(map[string]any)["text"].(string)
		b.WriteString(said)
	}
	return b.String()
}

// shown returns what the user's side of the transcript says, in order, pending prompts last.
func (r *reduced) shown() []string {
	list := []string{}
	for _, it := range r.view.Items {
		if it["type"] == "user_message" {
			list = append(list, says(it["content"]))
		}
	}
	for _, p := range r.view.Pending {
		list = append(list, says(p.Content))
	}
	return list
}

func promptStep(p int, said string) string {
	return fmt.Sprintf(`{"prompt":%d,"content":[{"type":"text","text":%q}]}`, p, said)
}

// TestFault120_EachPromptOnce: the agent's echo of a prompt, and whichever of echo and answer comes first,
// whether the answer names the message or is {}, in one piece or in chunks: the prompt is there once after
// each step.
func TestFault120_EachPromptOnce(t *testing.T) {
	echoes := map[string][]string{
		"whole":     {userSays("u1", "hello there")},
		"chunks":    {chunkOf("user_message", "u1", "hello"), chunkOf("user_message", "u1", " there")},
		"one chunk": {chunkOf("user_message", "u1", "hello there")},
		"no content, then some": {`{"sessionUpdate":"user_message","messageId":"u1"}`,
			userSays("u1", "hello there")},
		"trimmed": {userSays("u1", "hello  there")},
		"twice":   {userSays("u1", "hello there"), userSays("u1", "hello there")},
		"none":    {},
	}
	for name, echo := range echoes {
		for _, answer := range []string{`{"accepted":1,"messageId":"u1"}`, `{"accepted":1}`} {
			for at := 0; at <= len(echo); at++ {
				steps := slices.Concat([]string{promptStep(1, "hello there")}, echo[:at], []string{answer},
					echo[at:], []string{`{"idle":true}`, `{"idle":true}`})
				r := newReduced(t, 2, 1<<20)
				for i, step := range steps {
					r.step(step)
					full := 0
					for _, s := range r.shown() {
						if strings.HasPrefix("hellothere", strings.ReplaceAll(s, " ", "")) && s != "" {
							full++
						}
					}
					if full != 1 {
						t.Fatalf("%s, answer %s after %d: shown %q after step %d", name, answer, at,
							r.shown(), i)
					}
				}
				if n := len(r.view.Items); n != 1 || len(r.view.Pending) != 0 || len(r.sent) != 0 {
					t.Errorf("%s, answer %s after %d: %d items, %d pending, %d kept", name, answer, at, n,
						len(r.view.Pending), len(r.sent))
				}
			}
		}
	}
}

// TestFault120_Echoes are the turns that reconciling can take, and what is shown in the end.
func TestFault120_Echoes(t *testing.T) {
	hi, hi2, ho := promptStep(1, "hi"), promptStep(2, "hi"), promptStep(3, "ho")
	idle, reset := `{"idle":true}`, `{"reset":true}`
	for _, c := range []struct {
		name    string
		version int
		steps   []string
		shown   string
		pending int
	}{
		{"two alike, answered in order", 2,
			[]string{hi, hi2, userSays("u1", "hi"), userSays("u2", "hi"), `{"accepted":1,"messageId":"u1"}`,
				`{"accepted":2,"messageId":"u2"}`, idle}, "hi hi", 0},
		{"two alike, answered crosswise", 2,
			[]string{hi, hi2, userSays("u1", "hi"), userSays("u2", "hi"), `{"accepted":1,"messageId":"u2"}`,
				`{"accepted":2,"messageId":"u1"}`, idle}, "hi hi", 0},
		{"two alike, the first refused", 2,
			[]string{hi, hi2, userSays("u1", "hi"), `{"unsent":1}`, `{"accepted":2,"messageId":"u1"}`, idle},
			"hi", 0},
		{"two alike, the first is elsewhere", 2,
			[]string{hi, hi2, userSays("u1", "hi"), `{"accepted":1,"messageId":"u2"}`, `{"accepted":2}`,
				userSays("u2", "hi"), idle}, "hi hi", 0},
		{"two alike behind an older one, the first is elsewhere", 2,
			[]string{userSays("u0", "other"), hi, hi2, userSays("u1", "hi"),
				`{"accepted":1,"messageId":"u2"}`, `{"accepted":2}`, userSays("u2", "hi"), idle},
			"other hi hi",
			0},
		{"two alike behind an older one, the first refused", 2,
			[]string{userSays("u0", "other"), hi, hi2, userSays("u1", "hi"), `{"unsent":1}`, `{"accepted":2}`,
				idle}, "other hi", 0},
		{"held while another goes on", 2,
			[]string{hi, ho, userSays("u1", "hi"), `{"accepted":1,"messageId":"u1"}`, idle}, "hi ho", 1},
		{"another tab's message, then ours", 2,
			[]string{hi, userSays("x", "other"), userSays("u1", "hi"), `{"accepted":1}`, idle}, "other hi",
			0},
		{"another tab's message begins like ours", 2,
			[]string{promptStep(1, "hi there"), chunkOf("user_message", "x", "hi"),
				chunkOf("user_message", "x", " you"), userSays("u1", "hi there"), `{"accepted":1}`, idle},
			"hi you hi there", 0},
		{"the agent rewrites it", 2, []string{hi, `{"accepted":1,"messageId":"u1"}`, userSays("u1", "HI"),
			idle}, "HI", 0},
		{"the echo comes after the end", 2,
			[]string{hi, `{"accepted":1}`, idle, chunkOf("user_message", "u1", "h"),
				chunkOf("user_message", "u1", "i"), idle}, "hi", 0},
		{"the named echo comes after two ends", 2,
			[]string{hi, `{"accepted":1,"messageId":"u1"}`, idle, idle, chunkOf("user_message", "u1", "hi")},
			"hi", 0},
		{"replayed on load", 2, []string{hi, userSays("u1", "hi"), `{"accepted":1,"messageId":"u1"}`, idle,
			reset, chunkOf("user_message", "u1", "hi")}, "hi", 0},
		{"replayed before the answer", 2,
			[]string{hi, userSays("u1", "hi"), reset, userSays("u1", "hi"), `{"accepted":1,"messageId":"u1"}`,
				idle}, "hi", 0},
		{"a replay without it, answered", 2, []string{hi, `{"accepted":1,"messageId":"u1"}`, reset, idle},
			"hi", 0},
		{"a replay that has only an older one like it", 2,
			[]string{userSays("u0", "hi"), hi, reset, userSays("u0", "hi"), idle}, "hi hi", 1},
		{"the same in two replays", 2,
			[]string{userSays("u0", "hi"), hi, reset, userSays("u0", "hi"), reset, userSays("u0", "hi"),
				idle}, "hi hi", 1},
		{"an older one like it stands elsewhere in the replay", 2,
			[]string{userSays("u0", "hi"), hi, reset, chunkOf("agent_message", "a", "x"),
				userSays("u0", "hi"), idle}, "hi hi", 1},
		{"the replay has less than before", 2,
			[]string{chunkOf("agent_message", "a", "x"), chunkOf("agent_message", "b", "x"), hi, reset,
				userSays("u1", "hi"), idle}, "hi", 0},
		{"the end of another's message is like ours", 2,
			[]string{promptStep(1, "hi there"), promptStep(2, "you"), chunkOf("user_message", "x", "hi"),
				chunkOf("user_message", "x", " you"), idle}, "hi you you hi there", 2},
		{"refused after a replay", 2, []string{userSays("u0", "hi"), hi, reset, userSays("u0", "hi"),
			`{"unsent":1}`}, "hi", 0},
		{"a picture", 2, []string{`{"prompt":1,"content":[{"type":"image","data":"AA=="}]}`,
			`{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"image","data":"AA=="}]}`,
			`{"accepted":1}`, idle}, "", 0},
		{"version 1, no echo", 1, []string{hi, chunkOf("agent_message", "", "x"), `{"accepted":1}`, idle},
			"hi", 0},
		{"version 1, an echo with an id", 1,
			[]string{hi, chunkOf("user_message", "u1", "h"), chunkOf("user_message", "u1", "i"), idle}, "hi",
			0},
		{"version 1, loaded with an older one like it", 1,
			[]string{chunkOf("user_message", "", "hi"), chunkOf("agent_message", "", "x"), hi, reset,
				chunkOf("user_message", "", "hi"), chunkOf("agent_message", "", "x")}, "hi hi", 1},
		{"version 1, loaded with it", 1,
			[]string{chunkOf("user_message", "", "hi"), chunkOf("agent_message", "", "x"), hi, reset,
				chunkOf("user_message", "", "hi"), chunkOf("agent_message", "", "x"),
				chunkOf("user_message", "", "hi"), idle}, "hi hi", 0},
		{"version 1, refused", 1, []string{hi, `{"unsent":1}`, idle}, "hi", 0},
		{"answers to nobody", 2, []string{`{"accepted":9,"messageId":"u"}`, `{"unsent":9}`, idle}, "", 0},
	} {
		r := newReduced(t, c.version, 1<<20)
		for _, step := range c.steps {
			r.step(step)
		}
		if got := strings.Join(r.shown(), " "); got != c.shown || len(r.view.Pending) != c.pending ||
			r.broken != nil {
			t.Errorf("%s: shown %q, %d of it pending, broken %q", c.name, got, len(r.view.Pending), r.broken)
		}
	}
}

// TestFault120_RandomPrompts: many prompts with few texts, foreign messages between them, agents of both
// kinds. In the end each prompt that was accepted and each foreign message is there once.
func TestFault120_RandomPrompts(t *testing.T) {
	first, end := histories(t)
	for seed := first; seed < end; seed++ {
		c, r := seeded(seed), newReduced(t, 2, 1<<20)
		names := c.IntN(2) == 0 // the agent's answers name the message
		want := []string{}
		message := 0
		echo := func(said string) []string {
			message++
			want = append(want, said)
			id := fmt.Sprint("u", message)
			if n := len(said); n > 1 && c.IntN(2) == 0 {
				return []string{chunkOf("user_message", id, said[:1]), chunkOf("user_message", id, said[1:])}
			}
			return []string{userSays(id, said)}
		}
		for p := 1; p <= 1+c.IntN(8); p++ {
			said := c.of("hi", "ho", "hi there", "x")
			r.step(promptStep(p, said))
			switch c.IntN(5) {
			case 0:
				r.step(fmt.Sprintf(`{"unsent":%d}`, p))
				continue
			case 1:
				r.do(echo(c.of("hi", "foreign"))...)
			}
			steps := echo(said)
			answer := fmt.Sprintf(`{"accepted":%d}`, p)
			if names {
				answer = fmt.Sprintf(`{"accepted":%d,"messageId":"u%d"}`, p, message)
			}
			steps = slices.Insert(steps, c.IntN(len(steps)+1), answer)
			for _, step := range steps {
				r.step(step)
			}
			if c.IntN(2) == 0 {
				r.step(`{"idle":true}`)
			}
		}
		r.step(`{"idle":true}`)
		if names { // where nothing is named, a foreign message may be taken for one of ours that is alike
			same(t, fmt.Sprintf("HOLDFAST_SEED=%d", seed), r.shown(), want)
		}
		if len(r.view.Pending) != 0 {
			t.Fatalf("HOLDFAST_SEED=%d: %q is pending", seed, r.shown())
		}
		if len(r.view.Items) < len(want) {
			t.Fatalf("HOLDFAST_SEED=%d: %q of %q", seed, r.shown(), want)
		}
	}
}

// TestFault616_SameWordsBeforeItLeaves: another client says the same before a prompt leaves. That message is
// not the prompt, neither when it comes nor when the history is told once more.
func TestFault616_SameWordsBeforeItLeaves(t *testing.T) {
	for version, said := range map[int]string{
		2: userSays("u1", "hi"),
		1: `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hi"}}`,
	} {
		r := New(version, 1<<20)
		var ops []string
		emit := func(op []byte) { ops = append(ops, string(op)) }
		update := func() { r.Update([]byte(said), emit) }
		r.Waits(1, []byte(`[{"type":"text","text":"hi"}]`), emit)
		update()
		r.Reset(emit)
		update()
		if n := strings.Count(strings.Join(ops, " "), `"placed"`); n != 0 || len(r.Prompts()) != 1 {
			t.Errorf("version %d: taken for it before it has left: %q", version, ops)
		}
		ops = nil
		r.Leaves(1, emit)
		r.Reset(emit)
		update()
		if last := ops[len(ops)-1]; strings.Contains(last, `"placed"`) {
			t.Errorf("version %d: taken for it in a history: %q", version, ops)
		}
	}
}
