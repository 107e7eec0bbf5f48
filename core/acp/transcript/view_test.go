//go:build !js

package transcript

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// view is what a page makes of the operations: the reference for the one in TypeScript.
type view struct {
	Items   []map[string]any `json:"items"`
	Session map[string]any   `json:"session"`
	Pending []pendingView    `json:"pending"`
}

type pendingView struct {
	Prompt  uint64 `json:"prompt"`
	Content []any  `json:"content"`
}

func newView() *view {
	return &view{Items: []map[string]any{}, Session: map[string]any{}, Pending: []pendingView{}}
}

// operation is any of them.
type operation struct {
	Op      string         `json:"op"`
	At      *int           `json:"at"`
	Type    string         `json:"type"`
	ID      *string        `json:"id"`
	Patch   map[string]any `json:"patch"`
	Content any            `json:"content"`
	Data    string         `json:"data"`
	Prompt  uint64         `json:"prompt"`
}

// apply applies one operation and refuses what a page could not make sense of.
func (v *view) apply(text []byte) error {
	var o operation
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	var item map[string]any
	if o.At != nil {
		switch {
		case *o.At < 0, *o.At > len(v.Items), *o.At == len(v.Items) && o.Op != "put":
			return fmt.Errorf("item %d of %d", *o.At, len(v.Items))
		case *o.At == len(v.Items):
			item = map[string]any{"type": o.Type}
			if o.ID != nil {
				item["id"] = *o.ID
			}
			v.Items = append(v.Items, item)
		default:
			item = v.Items[*o.At]
		}
	}
	switch o.Op {
	case "put":
		if o.Patch == nil || item["type"] != o.Type {
			return fmt.Errorf("a put of %q on %v", o.Type, item["type"])
		}
		for _, name := range []string{"type", "id"} {
			delete(o.Patch, name) // of an unknown update
		}
		patch(item, o.Patch)
	case "append":
		content, _ := item["content"].([]any)
		item["content"] = append(slices.Clip(content), o.Content)
	case "output":
		more, err := decoded(o.Data)
		if err != nil {
			return err
		}
		data, err := outputOf(item)
		if err != nil {
			return err
		}
		item["output"] = map[string]any{"data": base64.StdEncoding.EncodeToString(append(data, more...))}
	case "session":
		patch(v.Session, o.Patch)
	case "pending":
		if _, found := v.pending(o.Prompt); found {
			return fmt.Errorf("prompt %d is pending already", o.Prompt)
		}
		content, _ := o.Content.([]any)
		v.Pending = append(v.Pending, pendingView{o.Prompt, content})
	case "placed", "unsent":
		if i, found := v.pending(o.Prompt); found {
			v.Pending = slices.Delete(v.Pending, i, i+1)
		}
	case "reset":
		*v = *newView()
	default:
		return fmt.Errorf("op %q", o.Op)
	}
	return nil
}

func (v *view) pending(p uint64) (int, bool) {
	i := slices.IndexFunc(v.Pending, func(s pendingView) bool { return s.Prompt == p })
	return i, i >= 0
}

func patch(object, with map[string]any) {
	for name, value := range with {
		meta, isMap := value.(map[string]any)
		switch {
		case value == nil:
			delete(object, name)
		case name == "_meta" && isMap:
			old, _ := object[name].(map[string]any)
			merged := map[string]any{}
			maps.Copy(merged, old)
			for k, x := range meta {
				if merged[k] = x; x == nil {
					delete(merged, k)
				}
			}
			object[name] = merged
		default:
			object[name] = value
		}
	}
}

func outputOf(item map[string]any) ([]byte, error) {
	output, _ := item["output"].(map[string]any)
	text, _ := output["data"].(string)
	return decoded(text)
}

func decoded(text string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		b, err = base64.RawStdEncoding.DecodeString(text)
	}
	return b, err
}

// reduced is a transcript with the view that its operations give.
type reduced struct {
	t *testing.T
	*Reducer
	view   *view
	ops    []json.RawMessage
	broken []string
}

func newReduced(t *testing.T, version, limit int) *reduced {
	return &reduced{t: t, Reducer: New(version, limit), view: newView()}
}

// emit also overwrites the operation, which is valid during the call only.
func (r *reduced) emit(op []byte) {
	r.ops = append(r.ops, slices.Clone(json.RawMessage(op)))
	if err := r.view.apply(op); err != nil {
		r.t.Fatalf("%s: %v", op, err)
	}
	for i := range op {
		op[i] = '!'
	}
}

// do applies updates, and notes which rules they broke.
func (r *reduced) do(updates ...string) *reduced {
	r.t.Helper()
	for _, u := range updates {
		text := []byte(u)
		if what := r.Update(text, r.emit); what != "" {
			r.broken = append(r.broken, what)
		}
		for i := range text {
			text[i] = '?'
		}
	}
	if len(r.items) != len(r.view.Items) {
		r.t.Fatalf("%d items here, %d on the page", len(r.items), len(r.view.Items))
	}
	return r
}

// text writes anything as JSON, keys in order.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
