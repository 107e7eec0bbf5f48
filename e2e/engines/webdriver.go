//go:build !js

package engines

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// A webdriver speaks W3C WebDriver to a driver.
type webdriver struct {
	base string // address of the driver
}

// failed is the value of an answer that is an error.
type failed struct {
	Error   string `json:"error"`
	Message string `json:"message"`
}

// call makes a request, and puts the value of its answer where value points, if it does.
func (d webdriver) call(ctx context.Context, method, path string, body, value any) error {
	var sent io.Reader
	if method == http.MethodPost {
		if body == nil {
			body = struct{}{}
		}
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, d.base+path, sent)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var got struct{ Value json.RawMessage }
	if err := json.NewDecoder(io.LimitReader(answer.Body, answerCap)).Decode(&got); err != nil {
		return fmt.Errorf("webdriver: %s %s: %w", method, path, err)
	}
	if answer.StatusCode != http.StatusOK {
		var why failed
		_ = json.Unmarshal(got.Value, &why) // or it is said with nothing
		return fmt.Errorf("webdriver: %s %s: %s %s", method, path, why.Error, why.Message)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(got.Value, value)
}

// asyncScript hands what an expression gives to the driver, which waits for the
// call of its last argument: https://www.w3.org/TR/webdriver2/#execute-async-script.
func asyncScript(expression string) map[string]any {
	return map[string]any{
		"script": `const done = arguments[arguments.length - 1];
			const failed = (error) => done({ error: String(error) });
			try { Promise.resolve(` + expression + `).then((text) => done({ text }), failed); } catch (error) { failed(error); }`,
		"args": []any{},
	}
}

// scriptAnswer is what such a script hands over.
type scriptAnswer struct{ Text, Error string }

func (a scriptAnswer) text() (string, error) {
	if a.Error != "" {
		return "", fmt.Errorf("the script threw %s", a.Error)
	}
	return a.Text, nil
}
