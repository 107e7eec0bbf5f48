//go:build !js

// A server whose tools run once, by what docs/idempotency.md has for Go. It counts what arrives and what runs.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type order struct {
	Order int  `json:"order"`
	Wait  bool `json:"wait,omitempty"`
	Fail  bool `json:"fail,omitempty"`
}

var (
	mu      sync.Mutex
	arrived int
	ran     int
	gate    = make(chan struct{})
)

func pay(_ context.Context, _ *mcp.CallToolRequest, in order) (*mcp.CallToolResult, any, error) {
	mu.Lock()
	ran++
	said := fmt.Sprintf("payment %d of order %d", ran, in.Order)
	mu.Unlock()
	if in.Wait {
		<-gate
	}
	if in.Fail {
		return nil, nil, errors.New(said)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}}, nil, nil
}

func counted(work mcp.ToolHandlerFor[order, any]) mcp.ToolHandlerFor[order, any] {
	return func(ctx context.Context, r *mcp.CallToolRequest, in order) (*mcp.CallToolResult, any, error) {
		mu.Lock()
		arrived++
		mu.Unlock()
		return work(ctx, r, in)
	}
}

func verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	return &auth.TokenInfo{UserID: token, Expiration: time.Now().Add(time.Hour)}, nil
}

func number(name string) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		log.Fatal(err)
	}
	return n
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "once", Version: "1"}, nil)
	runs := &Runs{Keep: time.Duration(number("KEEP_MS")) * time.Millisecond, Most: number("MOST")}
	for _, name := range []string{"pay", "refund"} {
		mcp.AddTool(server, &mcp.Tool{Name: name}, counted(Once(runs, pay)))
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	http.Handle("/mcp", auth.RequireBearerToken(verify, nil)(handler))
	http.HandleFunc("/release", func(http.ResponseWriter, *http.Request) { close(gate) })
	http.HandleFunc("/seen", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		json.NewEncoder(w).Encode([]int{arrived, ran})
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}
