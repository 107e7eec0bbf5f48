//go:build !js

package authserver

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	app      = "http://127.0.0.1:1/app"
	resource = "http://127.0.0.1:1/private"
	verifier = "a-verifier-of-forty-three-characters-or-more"
)

// A desk is a server, and a clock that only a test moves.
type desk struct {
	t    *testing.T
	s    *Server
	url  string
	time time.Time
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, time: time.Unix(1_800_000_000, 0)}
	d.s = New(Options{Now: func() time.Time { return d.time }})
	server := httptest.NewServer(d.s)
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

// post sends a form, or JSON where body is no form; it returns the status and the object of the answer.
func (d *desk) post(path string, body any) (int, map[string]any) {
	d.t.Helper()
	kind, text := "application/x-www-form-urlencoded", ""
	switch body := body.(type) {
	case url.Values:
		text = body.Encode()
	case string:
		kind, text = "application/json", body
	}
	a, err := http.Post(d.url+Path+path, kind, strings.NewReader(text))
	if err != nil {
		d.t.Fatal(err)
	}
	defer a.Body.Close()
	var object map[string]any
	json.NewDecoder(a.Body).Decode(&object)
	if a.Header.Get("Access-Control-Allow-Origin") != "*" {
		d.t.Errorf("%s keeps pages out", path)
	}
	return a.StatusCode, object
}

func (d *desk) register() string {
	d.t.Helper()
	status, made := d.post("/register", `{"client_name":"a <b>client</b>","redirect_uris":["`+app+
		`"],"token_endpoint_auth_method":"none"}`)
	if status != http.StatusCreated {
		d.t.Fatalf("register: %d %v", status, made)
	}
	return made["client_id"].(string)
}

// asking is a good authorization request.
func asking(client string) url.Values {
	hash := sha256.Sum256([]byte(verifier))
	return url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {app}, "state": {"s1"},
		"scope": {"harbour:read"}, "resource": {resource},
		"code_challenge_method": {"S256"}, "code_challenge": {base64.RawURLEncoding.EncodeToString(hash[:])},
	}
}

// stay does not follow redirects: they lead to an app that is not there.
var stay = &http.Client{CheckRedirect: func(*http.Request,
	[]*http.Request) error {
	return http.ErrUseLastResponse
}}

// authorize asks, and returns the page, or what the redirect says.
func (d *desk) authorize(asked url.Values) (status int, page string, said url.Values) {
	d.t.Helper()
	a, err := stay.Get(d.url + Path + "/authorize?" + asked.Encode())
	if err != nil {
		d.t.Fatal(err)
	}
	return d.read(a)
}

func (d *desk) read(a *http.Response) (status int, page string, said url.Values) {
	defer a.Body.Close()
	body, _ := io.ReadAll(a.Body)
	if to, err := a.Location(); err == nil {
		if !strings.HasPrefix(to.String(), app+"?") {
			d.t.Errorf("it leads to %s", to)
		}
		said = to.Query()
	}
	return a.StatusCode, string(body), said
}

var requestID = regexp.MustCompile(`name="request" value="([^"]+)"`)

// choose has a person choose on the page.
func (d *desk) choose(page, person string) (int, url.Values) {
	d.t.Helper()
	id := requestID.FindStringSubmatch(page)
	if id == nil {
		d.t.Fatalf("no choice in %s", page)
	}
	a, err := stay.PostForm(d.url+Path+"/authorize", url.Values{"request": {id[1]}, "person": {person}})
	if err != nil {
		d.t.Fatal(err)
	}
	status, _, said := d.read(a)
	return status, said
}

// code is what Ada's yes comes back as.
func (d *desk) code(client string) string {
	d.t.Helper()
	_, page, _ := d.authorize(asking(client))
	_, said := d.choose(page, "Ada")
	if said.Get("iss") != d.url+Path || said.Get("state") != "s1" || said.Get("code") == "" {
		d.t.Fatalf("it says %v", said)
	}
	return said.Get("code")
}

func redeeming(client, code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code},
		"code_verifier": {verifier}, "redirect_uri": {app}, "resource": {resource}}
}

func with(form url.Values, name, value string) url.Values {
	changed := maps.Clone(form)
	changed.Set(name, value)
	return changed
}

func TestMetadataNamesItsIssuer(t *testing.T) {
	d := newDesk(t)
	a, err := http.Get(d.url + MetadataPath)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	var said map[string]any
	json.NewDecoder(a.Body).Decode(&said)
	if said["issuer"] != d.url+Path || said["token_endpoint"] != d.url+Path+"/token" ||
		said["authorization_response_iss_parameter_supported"] != true {
		t.Errorf("it says %v", said)
	}
}

func TestRegistration(t *testing.T) {
	d := newDesk(t)
	for body, want := range map[string]string{
		`{"redirect_uris":["https://app.example/back"]}`:                                                "",
		`{"redirect_uris":["http://localhost:7357/demo/"]}`:                                             "",
		`{"redirect_uris":["http://app.example/back"]}`:                                                 "invalid_redirect_uri",
		`{"redirect_uris":["javascript:alert(1)"]}`:                                                     "invalid_redirect_uri",
		`{"redirect_uris":["https://app.example/back#part"]}`:                                           "invalid_redirect_uri",
		`{"redirect_uris":["https://ada@app.example/"]}`:                                                "invalid_redirect_uri",
		`{"redirect_uris":[]}`:                                                                          "invalid_redirect_uri",
		`{"redirect_uris":["https://app.example/"],"token_endpoint_auth_method":"client_secret_basic"}`: "invalid_client_metadata",
		`no JSON`: "invalid_client_metadata",
	} {
		status, said := d.post("/register", body)
		if denial, _ := said["error"].(string); denial != want ||
			(status == http.StatusCreated) != (want == "") {
			t.Errorf("%s: %d %v", body, status, said)
		}
	}
}

func TestAuthorizationRequests(t *testing.T) {
	d := newDesk(t)
	client := d.register()
	for name, c := range map[string]struct {
		asked url.Values
		want  string // "page", "refused", or the error that the app gets
	}{
		"good":                    {asking(client), "page"},
		"both scopes":             {with(asking(client), "scope", "harbour:read harbour:write"), "page"},
		"an unknown client":       {asking("nobody"), "refused"},
		"another address":         {with(asking(client), "redirect_uri", "https://evil.example/"), "refused"},
		"an address with a query": {with(asking(client), "redirect_uri", app+"?x=1"), "refused"},
		"no PKCE":                 {with(asking(client), "code_challenge", ""), "invalid_request"},
		"plain PKCE":              {with(asking(client), "code_challenge_method", "plain"), "invalid_request"},
		"a token at once":         {with(asking(client), "response_type", "token"), "unsupported_response_type"},
		"no resource":             {with(asking(client), "resource", ""), "invalid_target"},
		"an unknown scope":        {with(asking(client), "scope", "harbour:read everything"), "invalid_scope"},
		"no scope":                {with(asking(client), "scope", ""), "invalid_scope"},
	} {
		status, page, said := d.authorize(c.asked)
		switch {
		case c.want == "page" && (status != 200 || !strings.Contains(page, "I am Ada") ||
			strings.Contains(page, "<b>client")):
			t.Errorf("%s: %d %s", name, status, page)
		case c.want == "refused" && (status != 400 || said != nil):
			t.Errorf("%s: %d %v", name, status, said)
		case c.want != "page" && c.want != "refused" &&
			(said.Get("error") != c.want || said.Get("iss") != d.url+Path || said.Get("state") != "s1"):
			t.Errorf("%s: %d %v", name, status, said)
		}
	}
}

func TestAPersonSaysNoAndChoosesOnce(t *testing.T) {
	d := newDesk(t)
	_, page, _ := d.authorize(asking(d.register()))
	if _, said := d.choose(page, ""); said.Get("error") != "access_denied" || said.Get("iss") == "" {
		t.Errorf("no: %v", said)
	}
	if status, said := d.choose(page, "Ada"); status != 400 || said != nil {
		t.Errorf("a page that was used: %d %v", status, said)
	}
	_, page, _ = d.authorize(asking(d.register()))
	d.time = d.time.Add(2 * requestTime)
	if status, _ := d.choose(page, "Ada"); status != 400 {
		t.Errorf("too late: %d", status)
	}
}

func TestCodes(t *testing.T) {
	d := newDesk(t)
	client, other := d.register(), d.register()
	for name, c := range map[string]struct {
		change func(url.Values) url.Values
		late   time.Duration
		want   string
	}{
		"good":             {func(f url.Values) url.Values { return f }, 0, ""},
		"without resource": {func(f url.Values) url.Values { return with(f, "resource", "") }, 0, ""},
		"another verifier": {func(f url.Values) url.Values { return with(f, "code_verifier", verifier+"x") },
			0, "invalid_grant"},
		"another address": {func(f url.Values) url.Values { return with(f, "redirect_uri", app+"/") }, 0,
			"invalid_grant"},
		"another client": {func(f url.Values) url.Values { return with(f, "client_id", other) }, 0,
			"invalid_grant"},
		"an unknown client": {func(f url.Values) url.Values { return with(f, "client_id", "nobody") }, 0,
			"invalid_client"},
		"another resource": {func(f url.Values) url.Values { return with(f, "resource", resource+"/x") }, 0,
			"invalid_target"},
		"another grant": {func(f url.Values) url.Values { return with(f, "grant_type", "password") }, 0,
			"unsupported_grant_type"},
		"late": {func(f url.Values) url.Values { return f }, 2 * codeTime, "invalid_grant"},
	} {
		form := c.change(redeeming(client, d.code(client)))
		d.time = d.time.Add(c.late)
		status, said := d.post("/token", form)
		if denial, _ := said["error"].(string); denial != c.want || (status == 200) != (c.want == "") {
			t.Errorf("%s: %d %v", name, status, said)
		}
	}
}

// signIn returns the answer of the token endpoint to a good code, and the code.
func (d *desk) signIn(client string) (tokens map[string]any, code string) {
	d.t.Helper()
	code = d.code(client)
	status, tokens := d.post("/token", redeeming(client, code))
	if status != 200 {
		d.t.Fatalf("%d %v", status, tokens)
	}
	return tokens, code
}

func (d *desk) lives(tokens map[string]any) bool {
	_, good := d.s.Token(tokens["access_token"].(string))
	return good
}

func refreshing(client string, tokens map[string]any) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {client},
		"refresh_token": {tokens["refresh_token"].(string)}}
}

func TestTokensSayWhoseTheyAre(t *testing.T) {
	d := newDesk(t)
	tokens, _ := d.signIn(d.register())
	whose, good := d.s.Token(tokens["access_token"].(string))
	if !good || whose.Person != "Ada" || whose.Resource != resource ||
		strings.Join(whose.Scopes, " ") != "harbour:read" {
		t.Errorf("it is %v of %+v", good, whose)
	}
	part, _ := base64.RawURLEncoding.DecodeString(strings.Split(tokens["access_token"].(string), ".")[1])
	var claims map[string]any
	if json.Unmarshal(part, &claims); claims["sub"] != "ada" || claims["iss"] != d.url+Path ||
		claims["aud"] != resource {
		t.Errorf("it says %s", part)
	}
	d.time = d.time.Add(accessTime)
	if d.lives(tokens) {
		t.Error("it lives for ever")
	}
}

func TestRefreshTokensWorkOnce(t *testing.T) {
	d := newDesk(t)
	client := d.register()
	first, _ := d.signIn(client)
	_, second := d.post("/token", refreshing(client, first))
	if second["refresh_token"] == first["refresh_token"] || !d.lives(second) {
		t.Fatalf("it gives %v", second)
	}
	if status, said := d.post("/token", refreshing(d.register(), second)); status != 400 || !d.lives(second) {
		t.Errorf("another client's: %d %v", status, said)
	}
	// Whoever comes with the old one has stolen it, or was stolen from: both are out.
	if status, said := d.post("/token", refreshing(client, first)); status != 400 ||
		said["error"] != "invalid_grant" || d.lives(second) {
		t.Errorf("used again: %d %v", status, said)
	}
	if status, _ := d.post("/token", refreshing(client, second)); status != 400 {
		t.Errorf("the next one still works: %d", status)
	}
}

func TestACodeUsedTwiceEndsItsTokens(t *testing.T) {
	d := newDesk(t)
	client := d.register()
	tokens, code := d.signIn(client)
	if status, _ := d.post("/token", redeeming(client, code)); status != 400 || d.lives(tokens) {
		t.Errorf("%d, and the tokens live: %v", status, d.lives(tokens))
	}
}

func TestRevocation(t *testing.T) {
	d := newDesk(t)
	client := d.register()
	for _, c := range []struct {
		name, token, by string
		lives, goesOn   bool
	}{
		{"the refresh token", "refresh_token", client, false, false},
		{"the access token", "access_token", client, false, true},
		{"another client's", "refresh_token", d.register(), true, true},
	} {
		tokens, _ := d.signIn(client)
		if status, _ := d.post("/revoke",
			url.Values{"token": {tokens[c.token].(string)}, "client_id": {c.by}}); status != 200 {
			t.Errorf("%s: %d", c.name, status)
		}
		lives := d.lives(tokens)
		status, _ := d.post("/token", refreshing(client, tokens))
		if lives != c.lives || (status == 200) != c.goesOn {
			t.Errorf("%s: lives %v, refreshed %d", c.name, lives, status)
		}
	}
	if status, _ := d.post("/revoke", url.Values{"token": {"unknown"}, "client_id": {client}}); status !=
		200 {
		t.Errorf("an unknown token: %d", status)
	}
}
