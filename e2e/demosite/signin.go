//go:build !js

package demosite

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/holdfast-mcp/holdfast/e2e/demosite/authserver"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// Where the server is that wants a sign-in, and the metadata that says whom it trusts (RFC 9728).
const (
	privatePath  = "/private"
	resourcePath = "/.well-known/oauth-protected-resource" + privatePath
)

// The scope that everything takes, and the one that a tool wants in addition.
const (
	readScope  = "harbour:read"
	writeScope = "harbour:write"
	writeTool  = "sign_log"
)

// addSignIn adds a server that lets nobody in without a token, and the authorization server that gives one.
func (s *Site) addSignIn(haste float64) {
	s.private = gosdk.New(gosdk.Options{SignedIn: true, Haste: haste,
		Instructions: "Everything here takes a sign-in."})
	s.signIns = authserver.New(authserver.Options{})
	s.mux.Handle(authserver.Path+"/", s.signIns)
	s.mux.Handle(authserver.MetadataPath, s.signIns)
	s.mux.HandleFunc(resourcePath, func(w http.ResponseWriter, r *http.Request) {
		auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
			Resource:             resourceAt(r),
			AuthorizationServers: []string{"http://" + otherName(r.Host) + authserver.Path},
			ScopesSupported:      []string{readScope},
		}).ServeHTTP(w, r)
	})
	s.mux.Handle(privatePath, s.unlessDown(s.signedIn(s.private)))
}

// resourceAt is the server's address as the request has it.
func resourceAt(r *http.Request) string { return "http://" + r.Host + privatePath }

// otherName is the same address by the other name of this machine, where it is one of the two: the
// authorization server is another origin then, as it is on the web.
func otherName(address string) string {
	host, port, err := net.SplitHostPort(address)
	switch {
	case err == nil && host == "127.0.0.1":
		return net.JoinHostPort("localhost", port)
	case err == nil && host == "localhost":
		return net.JoinHostPort("127.0.0.1", port)
	default:
		return address
	}
}

// signedIn lets requests through that carry a token for this server, by the official SDK's own
// check; the SDK keeps sessions apart by their user. One tool wants a scope more.
func (s *Site) signedIn(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		metadata := "http://" + r.Host + resourcePath
		verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
			whose, good := s.signIns.Token(token)
			if !good || whose.Resource != resourceAt(r) {
				return nil, auth.ErrInvalidToken
			}
			return &auth.TokenInfo{UserID: whose.Person, Scopes: whose.Scopes, Expiration: whose.Until}, nil
		}
		auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{
			ResourceMetadataURL: metadata, Scopes: []string{readScope}})(
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				if callsTool(body, writeTool) && !slices.Contains(
					auth.TokenInfoFromContext(r.Context()).Scopes, writeScope) {
					w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+
						writeScope+`", resource_metadata="`+metadata+`"`)
					w.WriteHeader(http.StatusForbidden)
					return
				}
				server.ServeHTTP(w, r)
			})).ServeHTTP(w, r)
	})
}

// callsTool reports whether a message is a call of that tool.
func callsTool(message []byte, tool string) bool {
	var call struct {
		Method string
		Params struct{ Name string }
	}
	return json.Unmarshal(message, &call) == nil && call.Method == "tools/call" && call.Params.Name == tool
}
