//go:build !js

package authserver

import (
	"crypto/rand"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxClients bounds how many clients are known; the oldest go first.
const maxClients = 1000

// A client has registered itself.
type client struct {
	name      string
	redirects []string
	since     time.Time
}

// register takes a client without a secret (RFC 7591).
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Name      string   `json:"client_name"`
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Method != "" && asked.Method != "none" ||
		len(asked.Name) > 100 {
		refuse(w, "invalid_client_metadata")
		return
	}
	if len(asked.Redirects) == 0 || len(asked.Redirects) > 5 {
		refuse(w, "invalid_redirect_uri")
		return
	}
	for _, redirect := range asked.Redirects {
		if !goodRedirect(redirect) {
			refuse(w, "invalid_redirect_uri")
			return
		}
	}
	id := rand.Text()
	s.mu.Lock()
	if len(s.clients) >= maxClients {
		oldest := ""
		for id, one := range s.clients {
			if oldest == "" || one.since.Before(s.clients[oldest].since) {
				oldest = id
			}
		}
		delete(s.clients, oldest)
	}
	s.clients[id] = client{asked.Name, asked.Redirects, s.now()}
	s.mu.Unlock()
	answer(w, http.StatusCreated, map[string]any{
		"client_id": id, "client_name": asked.Name, "redirect_uris": asked.Redirects,
		"token_endpoint_auth_method": "none",
		"grant_types":                []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
	})
}

// goodRedirect takes https, and http on this machine.
func goodRedirect(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.Contains(text, "#") {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" &&
		(u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}
