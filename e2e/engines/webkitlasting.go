//go:build !js

package engines

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"
)

// lastingWebkit is MiniBrowser without the driver, whose storage outlives it. It is
// spoken to as WebKit's inspector does: the commands are described in
// Source/JavaScriptCore/inspector/protocol of WebKit, and the page's own are wrapped in
// those of the domain Target.
type lastingWebkit struct {
	*webkit
}

// inspectable is the address of a page's inspector, in the list that MiniBrowser serves.
var inspectable = regexp.MustCompile(`(/socket/\d+/\d+/WebPage)`)

func (w *lastingWebkit) Open(ctx context.Context, url string) (Tab, error) {
	if w.program != nil {
		return nil, fmt.Errorf("another page of a lasting browser: %w", ErrCannot)
	}
	if err := profileDirectories(w.env); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + port
	if w.program, err = launch(append(w.env, "WEBKIT_INSPECTOR_HTTP_SERVER="+address), w.parts.browser,
		url); err != nil {
		return nil, err
	}
	path, err := w.listed(ctx, "http://"+address+"/")
	if err != nil {
		return nil, err
	}
	return inspect(ctx, "ws://"+address+path)
}

// listed waits until the browser lists its page.
func (w *lastingWebkit) listed(ctx context.Context, url string) (string, error) {
	for {
		if found := inspectable.FindStringSubmatch(get(ctx, url)); found != nil {
			return found[1], nil
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("MiniBrowser lists no page: %w; it wrote: %s", ctx.Err(),
				w.program.output.last())
		case <-w.program.gone:
			return "", fmt.Errorf("MiniBrowser has ended: %s", w.program.output.last())
		case <-time.After(again):
		}
	}
}

// get returns what is at an address, or nothing while nobody serves it.
func get(ctx context.Context, url string) string {
	request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return ""
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

func (w *lastingWebkit) User(context.Context) (Browser, error) {
	return nil, fmt.Errorf("another user of a lasting browser: %w", ErrCannot)
}

// inspectedTab is a page behind its inspector.
type inspectedTab struct {
	outer *socket
	page  *socket // the commands of the page itself, which outer carries
}

// inspectorTarget is a page of the inspector's domain Target.
type inspectorTarget struct {
	TargetInfo struct {
		TargetID string `json:"targetId"`
		Type     string `json:"type"`
	} `json:"targetInfo"`
}

// inspect connects to a page's inspector.
func inspect(ctx context.Context, url string) (*inspectedTab, error) {
	t := &inspectedTab{page: &socket{waiting: map[int]chan reply{}}}
	pages := make(chan string, 8)
	var err error
	t.outer, err = dial(ctx, url, func(method string, params json.RawMessage) {
		switch method {
		case "Target.targetCreated":
			var made inspectorTarget
			if json.Unmarshal(params, &made) == nil && made.TargetInfo.Type == "page" {
				pages <- made.TargetInfo.TargetID
			}
		case "Target.dispatchMessageFromTarget":
			var wrapped struct{ Message string }
			var m incoming
			if json.Unmarshal(params, &wrapped) == nil && json.Unmarshal([]byte(wrapped.Message), &m) == nil {
				t.page.take(m)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	select {
	case id := <-pages:
		t.page.write = func(ctx context.Context, text []byte) error {
			return t.outer.call(ctx, "Target.sendMessageToTarget",
				map[string]any{"targetId": id, "message": string(text)}, nil)
		}
		return t, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("the inspector has no page: %w", ctx.Err())
	}
}

// remote is a value of the inspector's domain Runtime.
type remote struct {
	Result struct {
		Value       string `json:"value"`
		Description string `json:"description"`
		ObjectID    string `json:"objectId"`
	} `json:"result"`
	WasThrown bool `json:"wasThrown"`
}

func (tab *inspectedTab) Evaluate(ctx context.Context, expression string) (string, error) {
	var promise, value remote
	if err := tab.page.call(ctx, "Runtime.evaluate", map[string]any{"expression": expression},
		&promise); err != nil {
		return "", err
	}
	if promise.WasThrown {
		return "", fmt.Errorf("the script threw %s", promise.Result.Description)
	}
	err := tab.page.call(ctx, "Runtime.awaitPromise",
		map[string]any{"promiseObjectId": promise.Result.ObjectID, "returnByValue": true}, &value)
	if err != nil {
		return "", err
	}
	if value.WasThrown {
		return "", fmt.Errorf("the script threw %s", value.Result.Description)
	}
	return value.Result.Value, nil
}

func (tab *inspectedTab) Navigate(context.Context, string) error {
	return fmt.Errorf("to navigate a lasting browser: %w", ErrCannot)
}

func (tab *inspectedTab) Reload(context.Context) error {
	return fmt.Errorf("to reload a lasting browser: %w", ErrCannot)
}

func (tab *inspectedTab) Close(context.Context) error {
	return fmt.Errorf("to close a lasting browser's page: %w", ErrCannot)
}
