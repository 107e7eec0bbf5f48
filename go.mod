module github.com/holdfast-mcp/holdfast

go 1.26.8

// npm's folder holds no Go. Without this line `go vet ./...` walks it while npm still writes it, and fails.
ignore ./node_modules

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.1
	github.com/coder/websocket v1.8.15
	github.com/google/uuid v1.6.0
	github.com/hack-pad/safejs v0.1.1
	github.com/modelcontextprotocol/go-sdk v1.8.0
	golang.org/x/net v0.62.0
)

require (
	github.com/evanw/esbuild v0.28.2 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/time v0.15.0 // indirect
)

tool github.com/evanw/esbuild/cmd/esbuild
